"""Failed actions: the telling part of an output, its class, its signature, and what made it good.

Doors: `excerpt`, `failure_class`, `signature`, `resolution`. What a hook asks before it loads those is in
`actions.quick_look`.
"""
