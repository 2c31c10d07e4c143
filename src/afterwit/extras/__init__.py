"""What the core works without: each extra brings commands, pages, tools, checks or stages of its own.

The core imports none of them. `afterwit demo`, `memory`, `patterns`, `skills`, `templates`, `guards`, `share`,
`store backup`, `store hub` and `store sync` live here.
"""
