"""Texte der Seite „Neue Zeilen“."""
