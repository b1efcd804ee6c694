"""Kernels that explain what trees and forests predict: Shapley values, and answers along one feature."""
