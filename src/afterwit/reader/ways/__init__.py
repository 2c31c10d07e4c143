"""Ways to a model: those that are called, which `way` knows, and files, which people hand over themselves."""
