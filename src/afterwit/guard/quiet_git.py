"""What keeps git to reading: the environment in which it is asked about a repository that may be anyone's.

Nothing is fetched, no lock is taken, nobody is asked for a password, replaced objects are not followed, and no
configuration but the repository's own is read. Standard library only, so that a hook can import it.
"""

import os

QUIET_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
