"""Ways to a model: agents' command lines, the library `llm`, and files that people hand over themselves."""
