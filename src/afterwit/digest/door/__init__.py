"""Where digests meet the store: which sessions get one, and who makes it."""
