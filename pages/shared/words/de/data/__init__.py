"""Texte zu Tabellen: die Seite „Daten“, Filter, Rollen von Spalten, und was an einer Tabelle in die Irre führt."""
