"""Invented sessions of several agents, for people who have no logs yet. The door is `run`.

`orchard`, `harbour` and `almanac` tell the stories, in the words of `script`; `claude_code`, `codex` and `hermes` write
them as those agents do; `home` is all of it as one folder.
"""
