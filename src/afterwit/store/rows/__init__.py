"""The queries, one function each, by the noun that a row is about: files, parts, sessions, items, memory. Transactions
are the caller's.
"""
