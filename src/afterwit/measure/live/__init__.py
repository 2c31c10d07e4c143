"""The live effect: how sessions went that were told something, beside those that were told nothing, by chance.

`outcomes` says how a session went, `cases` joins that with what was drawn for it, `effect` compares. The door to the
store is `cases`; what is compared by formula is `measure.statistics`.
"""
