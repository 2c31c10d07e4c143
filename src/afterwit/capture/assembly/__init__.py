"""Folds the readings of one file into rows. Pure: no file, no store, no clock. Door: `assemble.Assembler`."""
