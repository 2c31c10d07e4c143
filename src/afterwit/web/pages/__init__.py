"""The pages, one module for each entry: handlers that ask the same functions as the commands, and what they show."""
