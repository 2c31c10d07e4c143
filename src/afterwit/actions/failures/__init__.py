"""Failed actions: the telling part of an output, its class, its signature, and what made it good.

Doors: `excerpt`, `failure_class`, `signature`, `resolution`; `quick_look` is what a hook asks before it loads those.
"""
