"""Digests: what happened in a session, in a form that everything later reads instead of the transcript.

`digester` makes one of the rows of a session, `outcome` judges how it ended; `value` says how much a session is worth,
for samples and for what may leave the archive. `door` is the door to the store.
"""
