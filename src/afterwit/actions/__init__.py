"""What agents did: tool calls and command lines taken apart, how they ended, and why they failed.

Doors: `steps` (an action and its verdict), `tools` (what a call is about), `shell.parse` (a command line),
`failures.signature` (what makes two failures the same). Standard library alone, so that a hook can import it.
"""
