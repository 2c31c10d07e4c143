"""Calls that a person stopped: the words that came with it, and whether the call was really unwanted.

Claude Code notes a plan that is accepted and carried out in a session of its own as stopped, without a word, as it does
with one that is turned down. In real histories nearly all such plans were carried out minutes later. So a plan counts
as turned down only where the person said something to it.
"""

import re

from afterwit.model.kinds import ActionKind

_REASON = re.compile(r"the user said:?(.*)", re.IGNORECASE | re.DOTALL)


def reason_given(error: str) -> str:
    """What the person said when stopping a call; "" for nothing."""
    reason = _REASON.search(error)
    return reason[1].strip() if reason else ""


def is_unwanted(kind: ActionKind, error: str) -> bool:
    """Whether a call that was stopped was turned down, as far as the log tells."""
    return kind is not ActionKind.PLAN or bool(reason_given(error))
