"""What stands between foreign text and those who read it: secrets out, hidden characters out, nothing shown unasked.

Doors: `redaction` (before anything is stored), `hygiene` (before anything is looked at), `shown` (before an agent reads
it), `markers` (what we said, when it comes back).
"""
