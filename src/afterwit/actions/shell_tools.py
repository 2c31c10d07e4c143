"""The tools that run a command line and end with its output, under all the names that agents give them.

Apart from the table of all tools (`tool_names`, which takes them from here), because a hook asks for these alone and
has no time to load enumerations. Imports nothing.
"""

RUNNING = (
    "bash shell exec_command shell_command local_shell run_shell_command run_command run_terminal_cmd run_in_terminal"
    " terminal execute_command exec execute_bash run_terminal_command bash_command"
)


def fold(name: str) -> str:
    """The spelling under which a tool is listed."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


_RUNNING = frozenset(map(fold, RUNNING.split()))


def runs_commands(tool: str) -> bool:
    """Whether a tool is one of these, however it is spelled."""
    return fold(tool) in _RUNNING
