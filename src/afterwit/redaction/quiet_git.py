"""What keeps git to reading: the environment in which it is asked about a repository that may be anyone's.

Nothing is fetched, no lock is taken, nobody is asked for a password, replaced objects are not followed. No
configuration is read but the repository's own, and of that nothing counts by which it could start a program.
Standard library only, so that a hook can import it.
"""

import os

_INERT = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "log.showSignature": "false"}
QUIET_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_CONFIG_COUNT": str(len(_INERT)),
} | {
    f"GIT_CONFIG_{part}_{at}": value
    for at, setting in enumerate(_INERT.items())
    for part, value in zip(("KEY", "VALUE"), setting, strict=True)
}
