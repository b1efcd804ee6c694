"""Trees and forests in notebooks: a picture for every one, and the components of the pages as a widget."""
