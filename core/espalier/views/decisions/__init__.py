"""Decisions in words, tables and figures."""
