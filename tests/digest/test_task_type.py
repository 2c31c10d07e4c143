"""The kind of work: more than 60 % decides."""

import pytest

from afterwit.digest.digester import task_type
from afterwit.model.kinds import TaskType


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ({"shell": 7, "read": 3}, TaskType.CODE),
        ({"shell": 6, "read": 4}, TaskType.MIXED),
        ({"read": 3, "edit": 2, "write": 1, "search": 1, "shell": 3}, TaskType.FILE),
        ({"web": 7, "read": 3}, TaskType.RESEARCH),
        ({"mcp": 9}, TaskType.MIXED),
        ({}, TaskType.MIXED),
    ],
)
def test_the_group_above_sixty_percent_decides(kinds: dict[str, int], expected: TaskType) -> None:
    assert task_type(kinds) is expected
