"""Texts of the pages: a module or a folder for each page, and `everywhere` for those that several pages show.

They are English. Each other language has the same modules in a folder of its code, with the same names: what pages
look up here is in the language of the session. A page imports modules from here, never names of a module, and
looks a text up when it shows it.
"""

from espalier.language import translate

translate(__name__, __path__)
