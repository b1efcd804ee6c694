"""Both forests to take away: documents that read back, code, and an ONNX file."""
