"""What all commands use to talk with people and programs: options, output, tables, progress, amounts, files."""
