"""Which sessions to read or learn from first: every session gets a score, and the best are chosen."""
