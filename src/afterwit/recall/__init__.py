"""What sessions are told: at their start, with prompts, at activities, after a failure.

Pure parts work on items and digests; `recall.recall` reads the store for them, `recall.spooled` takes in what hooks
noted, and `recall.deck.compile` writes what hooks read. `recall.hook` is the hot path: what agents call. Nothing is
imported here: hooks load parts of this package.
"""
