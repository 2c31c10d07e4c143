"""Bytes on this machine that belong to others: logs below agents' homes, their databases and folders, checkouts. Reads,
bounded and without trust; writes nothing. What the records mean is left to the readers in `agents`.

Doors: `discovery.discover`, `framing.Framing`, and a gatherer (`databases`, `gathering`) for sessions that are no files
of their own.
"""
