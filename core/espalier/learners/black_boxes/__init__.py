"""Models to approximate: scikit-learn estimators, and ONNX files in a separate process."""
