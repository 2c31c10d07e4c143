"""Ways to a model. So far: files, which people hand over themselves."""
