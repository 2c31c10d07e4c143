"""Items of knowledge: made of drafts by the gate, merging, belief and what people decided, and shown to people.

Doors: `settle` (makes the items anew), `list` (looks at them), `reconcile` and `host_files` (what instruction files
say). `shown_items` decides what an agent may read. The rest is pure.
"""
