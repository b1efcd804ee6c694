"""German texts: the modules of `pages.shared.words`, which explain what each text is for."""
