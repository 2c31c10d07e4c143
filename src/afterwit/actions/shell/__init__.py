"""Command lines of shells: parsed as they run (`parse`), or as they are spelled, to be changed (`command_changes`)."""
