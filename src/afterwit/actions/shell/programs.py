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
    "AnswerCodes",
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


class AnswerCodes(NamedTuple):
    """Exit codes that are an answer and not a failure, if one of the flags is present (or always)."""

    codes: frozenset[int] = frozenset({1})
    flags: frozenset[str] = frozenset()


ANSWERS: dict[str, AnswerCodes] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "findstr", "git grep"), AnswerCodes()),
    **dict.fromkeys(("diff", "cmp", "colordiff", "zdiff", "delta"), AnswerCodes()),
    **dict.fromkeys(("test", "[", "[[", "expr", "let", "(("), AnswerCodes()),
    **dict.fromkeys(("which", "type", "hash", "whence", "where", "whereis"), AnswerCodes()),
    **dict.fromkeys(("pgrep", "pidof", "pkill", "killall", "lsof", "fuser", "printenv"), AnswerCodes()),
    "command": AnswerCodes(frozenset({1, 127}), names("-v -V")),
    "ps": AnswerCodes(flags=names("-p --pid -C -q")),
    "jq": AnswerCodes(frozenset({1, 4}), names("-e --exit-status")),
    "gofmt": AnswerCodes(flags=names("-d -l")),
    "getent": AnswerCodes(frozenset({2})),
    "nc": AnswerCodes(flags=names("-z -vz -zv")),
    "systemctl is-active": AnswerCodes(frozenset({1, 3})),
    "systemctl is-enabled": AnswerCodes(),
    "tmux has-session": AnswerCodes(),
    "git diff": AnswerCodes(flags=names("--exit-code --quiet --no-index")),
    "git diff-index": AnswerCodes(flags=names("--exit-code --quiet")),
    "git diff-files": AnswerCodes(flags=names("--exit-code --quiet")),
    "git ls-remote": AnswerCodes(frozenset({2}), names("--exit-code")),
    "git ls-files": AnswerCodes(flags=names("--error-unmatch")),
    "git merge-base": AnswerCodes(flags=names("--is-ancestor")),
    "git show-ref": AnswerCodes(),
    "git rev-parse": AnswerCodes(flags=names("-q --quiet")),
    "git symbolic-ref": AnswerCodes(flags=names("-q --quiet")),
    "git config": AnswerCodes(),
    "git check-ignore": AnswerCodes(),
    "git cat-file": AnswerCodes(flags=names("-e")),
}
XARGS_FAILED = 123  # GNU xargs: a command ended with 1 to 125


def is_answer(program: str, subcommand: str, flags: tuple[str, ...], exit_code: int) -> bool:
    """Whether this exit code only says no."""
    name = f"{program} {subcommand}".strip()
    answer = ANSWERS.get(name) or ANSWERS.get(program)
    return answer is not None and exit_code in answer.codes and (not answer.flags or not answer.flags.isdisjoint(flags))
