"""The names of benchmark tasks: SWE-bench and its relatives call them after the repository and the pull request.

All such tasks run in a folder of the same name, so that only the name of the task tells their repositories apart.
"""

import re

_INSTANCE = re.compile(r"([A-Za-z0-9][\w.-]{0,80}?)__([A-Za-z0-9][\w.-]{0,80})-\d{1,8}")


def remote_of(instance: str) -> str:
    """The repository of a task such as `octo-org__tool-1234`; "" where the name says none."""
    match = _INSTANCE.fullmatch(instance)
    return f"github.com/{match[1]}/{match[2]}" if match else ""
