"""Texte zu Tabellen: was an ihnen in die Irre führt."""
