"""Everything about each agent, in a package of its name whose `__init__` describes it in one table (`AGENT`).

Doors: `registry` lists the agents, gives their readers and ties them to us, `hook_payloads` finds what a hook needs.
`descriptor` says what a table can hold, `log_reader` what a reader provides, `declared` reads logs that are only
described. No list of agents is kept anywhere else.
"""
