"""The tasks that files of definitions have, and when they may have more."""

import pytest
from tests.every import for_every

from afterwit.actions.shell.project_calls import CallKind
from afterwit.capture.missing import TASK_FILES, TaskNames, defines

MAKEFILE = """\
ROWS := 3
PRESS ?= press.py
.PHONY: press mill \\
        cider
press: build  # with the big wheel
	echo not: a target
build weigh :: row.o
%.o: %.c
	cc $<
row-%:
	echo $@
"""
TASKFILE = """\
version: '3'

tasks:
  # with the big wheel
  press:
    cmds:
      - echo hello
  "row:weigh":
    desc: Weigh
  mill: ./mill.sh
"""


def read(kind: CallKind, text: str) -> TaskNames:
    found = TASK_FILES[kind].read(text)
    assert found is not None
    return found


@for_every(
    "kind, text, has, lacks",
    [
        (CallKind.PACKAGE, '{"scripts": {"press": "x", "row:weigh": "y"}}', "press row:weigh", "mill"),
        (CallKind.PACKAGE, '{"name": "orchard"}', "", "press"),
        (CallKind.MAKE, MAKEFILE, "press mill cider build weigh row-3", "ROWS echo wheel"),
        (
            CallKind.JUST,
            'rows := "3"\nalias p := press\n@press row="3": mill\n  x\nmill:\n',
            "press mill p",
            "rows row",
        ),
        (CallKind.TASK, TASKFILE, "press row:weigh mill", "cmds desc version"),
        (CallKind.MISE, '[tasks]\nmill = "x"\n[tasks.press]\nrun = "x"\n', "press mill", "run"),
    ],
)
def test_a_file_has_the_tasks_that_it_names(kind: CallKind, text: str, has: str, lacks: str) -> None:
    tasks = read(kind, text)
    assert [name for name in has.split() if not defines(tasks, name)] == []
    assert [name for name in lacks.split() if defines(tasks, name)] == []
    assert not tasks.is_open


@for_every(
    "kind, text",
    [
        (CallKind.MAKE, "include rules.mk\npress:\n"),
        (CallKind.MAKE, "-include .env\npress:\n"),
        (CallKind.MAKE, "$(TARGETS): press.py\n"),
        (CallKind.MAKE, "$(foreach row,$(ROWS),$(eval $(call rule,$(row))))\n"),
        (CallKind.MAKE, ".DEFAULT:\n\techo\n"),
        (CallKind.JUST, "import 'more.just'\npress:\n"),
        (CallKind.JUST, "mod mill\n"),
        (CallKind.TASK, "includes:\n  mill: ./mill\ntasks:\n  press:\n    cmds: []\n"),
        (CallKind.TASK, "tasks:\n  press:\n    aliases: [p]\n"),
        (CallKind.MISE, '[task_config]\nincludes = ["mill"]\n'),
    ],
)
def test_a_file_that_may_bring_in_more_is_open(kind: CallKind, text: str) -> None:
    assert read(kind, text).is_open


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (CallKind.PACKAGE, "{scripts:"),
        (CallKind.PACKAGE, "[]"),
        (CallKind.PACKAGE, "[" * 100_000),
        (CallKind.MISE, "[tasks"),
        (CallKind.TASK, "tasks: {press: x}\n"),
    ],
)
def test_a_text_that_cannot_be_read_has_no_answer(kind: CallKind, text: str) -> None:
    assert TASK_FILES[kind].read(text) is None


@pytest.mark.parametrize("kind", TASK_FILES)
@pytest.mark.parametrize("text", ["", " " * 200_000, "a " * 100_000, "\n" * 200_000, "x:" * 100_000, "a\\\n" * 50_000])
def test_no_text_takes_long_or_raises(kind: CallKind, text: str) -> None:
    TASK_FILES[kind].read(text)
