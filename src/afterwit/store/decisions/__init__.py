"""The journal of what cannot be derived again, and what follows from its entries about knowledge.

Doors: `journal` (writes and applies entries), `decided` (what is in force), `will` (what people want of one item).
"""
