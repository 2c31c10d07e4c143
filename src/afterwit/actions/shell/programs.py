"""What is known about programs: how much a command matters in its line, and whose exit code is an answer.

A program that is not listed has no subcommands, does real work, and fails when it says so. The tables of names are in
`program_table`. Standard library only, because the hook reads commands too.
"""

from enum import IntEnum
from typing import NamedTuple

from afterwit.actions.shell.program_table import (
    FEEDS,
    FILTERS,
    GIT_LOOKS,
    LOOKS,
    MODULE_RUNNERS,
    PREPARES,
    SUBCOMMANDS,
    TALKS,
    names,
)

__all__ = [
    "ANSWERS",
    "MODULE_RUNNERS",
    "SUBCOMMANDS",
    "XARGS_FAILED",
    "Answer",
    "Weight",
    "is_answer",
    "names",
    "weight_of",
]


class Weight(IntEnum):
    """How much a command matters in its line."""

    PREPARES = 0  # or only talks
    FILTERS = 1  # or only feeds
    LOOKS = 2  # or only tidies
    WORKS = 3


def weight_of(program: str, subcommand: str, *, is_stage: bool, feeds: bool) -> Weight:
    """How much a command matters in its line. `is_stage`: it reads from a pipe. `feeds`: it writes into one."""
    if not program or program in PREPARES or program in TALKS:
        return Weight.PREPARES
    if (is_stage and program in FILTERS) or (feeds and program in FEEDS):
        return Weight.FILTERS
    if program in LOOKS or (program == "git" and subcommand.partition(" ")[0] in GIT_LOOKS):
        return Weight.LOOKS
    return Weight.WORKS


class Answer(NamedTuple):
    """Exit codes that are an answer and not a failure, if one of the flags is present (or always)."""

    codes: frozenset[int] = frozenset({1})
    flags: frozenset[str] = frozenset()


ANSWERS: dict[str, Answer] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "findstr", "git grep"), Answer()),
    **dict.fromkeys(("diff", "cmp", "colordiff", "zdiff", "delta"), Answer()),
    **dict.fromkeys(("test", "[", "[[", "expr", "let", "(("), Answer()),
    **dict.fromkeys(("which", "type", "hash", "whence", "where", "whereis"), Answer()),
    **dict.fromkeys(("pgrep", "pidof", "pkill", "killall", "lsof", "fuser", "printenv"), Answer()),
    "command": Answer(frozenset({1, 127}), names("-v -V")),
    "ps": Answer(flags=names("-p --pid -C -q")),
    "jq": Answer(frozenset({1, 4}), names("-e --exit-status")),
    "gofmt": Answer(flags=names("-d -l")),
    "getent": Answer(frozenset({2})),
    "nc": Answer(flags=names("-z -vz -zv")),
    "systemctl is-active": Answer(frozenset({1, 3})),
    "systemctl is-enabled": Answer(),
    "tmux has-session": Answer(),
    "git diff": Answer(flags=names("--exit-code --quiet --no-index")),
    "git diff-index": Answer(flags=names("--exit-code --quiet")),
    "git diff-files": Answer(flags=names("--exit-code --quiet")),
    "git ls-remote": Answer(frozenset({2}), names("--exit-code")),
    "git ls-files": Answer(flags=names("--error-unmatch")),
    "git merge-base": Answer(flags=names("--is-ancestor")),
    "git show-ref": Answer(),
    "git rev-parse": Answer(flags=names("-q --quiet")),
    "git symbolic-ref": Answer(flags=names("-q --quiet")),
    "git config": Answer(),
    "git check-ignore": Answer(),
    "git cat-file": Answer(flags=names("-e")),
}
XARGS_FAILED = 123  # GNU xargs: a command ended with 1 to 125


def is_answer(program: str, subcommand: str, flags: tuple[str, ...], exit_code: int) -> bool:
    """Whether this exit code only says no."""
    name = f"{program} {subcommand}".strip()
    answer = ANSWERS.get(name) or ANSWERS.get(program)
    return answer is not None and exit_code in answer.codes and (not answer.flags or not answer.flags.isdisjoint(flags))
