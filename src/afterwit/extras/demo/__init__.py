"""Invented sessions of several agents, for people who have no logs yet. The door is `run`.

`stories` tells them, in the words of `script`; `claude_code`, `codex` and `hermes` write them as those agents do; `run`
makes one home folder of it all.
"""
