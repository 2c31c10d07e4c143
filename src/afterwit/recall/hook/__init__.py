"""`afterwit-hook`, which agents call at their events: reads the deck, answers in milliseconds, notes in the spool.

`entry` is the way in and `call` one call. Nothing is imported here, and every module loads only what its event needs.
"""
