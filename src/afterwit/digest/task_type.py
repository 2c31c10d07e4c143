"""What kind of work a session is: the group of kinds that more than 60 % of its actions belong to decides."""

from collections.abc import Mapping

from afterwit.model.kinds import ActionKind, TaskType

_SHARE = 0.6
_GROUPS = {
    TaskType.CODE: (ActionKind.SHELL,),
    TaskType.FILE: (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE, ActionKind.SEARCH),
    TaskType.RESEARCH: (ActionKind.WEB,),
}


def task_type(kinds: Mapping[str, int]) -> TaskType:
    """The type of a session with so many actions of each kind."""
    total = sum(kinds.values())
    for group, members in _GROUPS.items():
        if total and sum(kinds.get(kind, 0) for kind in members) > _SHARE * total:
            return group
    return TaskType.MIXED
