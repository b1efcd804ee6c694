"""Models to approximate: those of scikit-learn, and ONNX files in a process of their own."""
