"""Standing figures about memory: one module for each, which makes rows of what happened and counts them.

A figure is always counted from its rows, and the rows name sessions and notes: so everything can be traced. Pure but
for `collect`, which reads the store session by session.
"""
