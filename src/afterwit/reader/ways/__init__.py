"""Ways to a model: those that are called, which `registry` knows, and files, which people hand over themselves."""
