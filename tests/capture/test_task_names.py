"""Which tasks a file of definitions may have, by its text."""

import pytest
from tests.every import for_every

from afterwit.actions.shell.project_calls import CallKind
from afterwit.capture.missing import TASK_FILES, may_define

MAKEFILE = """\
ROWS := 3
.PHONY: press mill \\
        cider
press: build  # with the big wheel
	echo not: a target
build weigh :: row.o
	cc press.c
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


def has(kind: CallKind, text: str | None, name: str) -> bool:
    return may_define(TASK_FILES[kind], TASK_FILES[kind].files[0], text, name)


@for_every(
    "kind, text, has_names, lacks",
    [
        (CallKind.PACKAGE, '{"scripts": {"press": "x", "row:weigh": "y"}}', "press row:weigh", "mill row-press"),
        (CallKind.PACKAGE, '{"name": "orchard"}', "", "press"),
        (CallKind.MAKE, MAKEFILE, "press mill cider build weigh", "echo target"),
        (CallKind.JUST, '@press row="3": mill\n  x\nmill:\n', "press mill", "rows"),
        (CallKind.TASK, TASKFILE, "press row:weigh mill", "cider pres"),
        (CallKind.MISE, '[tasks]\nmill = "x"\n[tasks.press]\nrun = "x"\n', "press mill", "cider"),
    ],
)
def test_a_file_has_the_tasks_whose_names_stand_in_it(kind: CallKind, text: str, has_names: str, lacks: str) -> None:
    assert [name for name in has_names.split() if not has(kind, text, name)] == []
    assert [name for name in lacks.split() if has(kind, text, name)] == []


@for_every(
    "kind, text",
    [
        (CallKind.MAKE, "include rules.mk\npress:\n"),
        (CallKind.MAKE, "-include .env\npress:\n"),
        (CallKind.MAKE, "$(TARGETS): press.py\n"),
        (CallKind.MAKE, "row-%:\n\techo $@\n"),
        (CallKind.MAKE, "$(foreach row,$(ROWS),$(eval $(call rule,$(row))))\n"),
        (CallKind.MAKE, ".DEFAULT:\n\techo\n"),
        (CallKind.JUST, "import 'more.just'\npress:\n"),
        (CallKind.JUST, "mod mill\n"),
        (CallKind.TASK, "includes:\n  mill: ./mill\ntasks:\n  press:\n    cmds: []\n"),
        (CallKind.TASK, "tasks:\n  press:\n    aliases: [p]\n"),
        (CallKind.MISE, '[task_config]\nincludes = ["mill"]\n'),
        (CallKind.PACKAGE, "{scripts:"),
        (CallKind.PACKAGE, "[]"),
        (CallKind.PACKAGE, "[" * 100_000),
        (CallKind.MAKE, None),
    ],
)
def test_a_file_that_may_bring_in_more_or_cannot_be_read_may_define_anything(kind: CallKind, text: str | None) -> None:
    assert has(kind, text, "cider")


@pytest.mark.parametrize("kind", TASK_FILES)
@pytest.mark.parametrize("text", ["", " " * 200_000, "a " * 100_000, "\n" * 200_000, "x:" * 100_000, "a\\\n" * 50_000])
def test_no_text_takes_long_or_raises(kind: CallKind, text: str) -> None:
    has(kind, text, "press")
