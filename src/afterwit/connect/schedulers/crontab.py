"""A marked block in the user's crontab. Everything around it stays as it is, byte for byte.

The block's first line says what was there before it (a last line without an end, or no crontab at all), so that taking
it out restores exactly that. Output is thrown away: what could not be read stands in the store. A run that is missed is
not made up for.
"""

import re
import shlex
from typing import NamedTuple

from afterwit.connect.schedulers.job import MARK, NICE, Cadence, Job, RunProgram, Steps
from afterwit.model.errors import AfterwitError

_UNENDED = " (the line before had no end)"
_ALONE = " (there was no crontab before)"
_LINE = re.compile(rb"^(\d+) (\d+|\*) \* \* \* ", re.MULTILINE)


class _Cut(NamedTuple):
    """A crontab without our block."""

    before: bytes
    block: bytes
    after: bytes
    note: str


def plan(label: str, job: Job | None, crontab: bytes | None, *, has_ionice: bool) -> Steps:
    """The steps from this crontab (None: there is none) to one with the job, or without it."""
    cut = _cut(crontab or b"", label)
    if job is None:
        return _removed(cut) if cut else ()
    if cut is None:
        cut = _opened(crontab)
    block = _block(job, cut.note, has_ionice=has_ionice)
    if block == cut.block:
        return ()
    shown = _shown("-", cut.block) + _shown("+", block)
    return (RunProgram(("crontab", "-"), cut.before + block + cut.after, shown),)


def block_in(crontab: bytes | None, label: str) -> bytes:
    """Our block; empty if there is none."""
    cut = _cut(crontab or b"", label)
    return cut.block if cut else b""


def cadence_in(block: bytes) -> Cadence | None:
    match = _LINE.search(block)
    return Cadence(None if match[2] == b"*" else int(match[2]), int(match[1])) if match else None


def _opened(crontab: bytes | None) -> _Cut:
    """Where a new block goes: to the end."""
    if crontab is None:
        return _Cut(b"", b"", b"", _ALONE)
    if crontab and not crontab.endswith(b"\n"):
        return _Cut(crontab + b"\n", b"", b"", _UNENDED)
    return _Cut(crontab, b"", b"", "")


def _removed(cut: _Cut) -> Steps:
    before = cut.before
    if cut.note == _UNENDED and not cut.after:
        before = before.removesuffix(b"\n")
    rest, shown = before + cut.after, _shown("-", cut.block)
    if not rest and cut.note == _ALONE:
        return (RunProgram(("crontab", "-r"), shown=shown),)
    return (RunProgram(("crontab", "-"), rest, shown),)


def _cut(crontab: bytes, label: str) -> _Cut | None:
    name = re.escape(label).encode()
    opening = re.search(rb"^# >>> " + name + rb" >>> [^\n(]*?( \([^\n)]*\))?\n", crontab, re.MULTILINE)
    closing = re.search(rb"^# <<< " + name + rb" <<<(?:\n|\Z)", crontab, re.MULTILINE)
    if opening is None and closing is None:
        return None
    if opening is None or closing is None or closing.start() < opening.end():
        raise AfterwitError(
            f"The block of {label} in your crontab is damaged: one of its two marks is missing."
            " Remove what is left of it with `crontab -e`, then try again."
        )
    note = (opening[1] or b"").decode()
    block = crontab[opening.start() : closing.end()]
    return _Cut(crontab[: opening.start()], block, crontab[closing.end() :], note)


def _block(job: Job, note: str, *, has_ionice: bool) -> bytes:
    hour = "*" if job.cadence.hour is None else str(job.cadence.hour)
    settings = [f"{name}={value}" for name, value in sorted(job.environment.items())]
    low = ["nice", "-n", str(NICE), *(["ionice", "-c", "3"] if has_ionice else [])]
    command = shlex.join([*low, "env", *settings, *job.command]).replace("%", "\\%")
    line = f"{job.cadence.minute} {hour} * * * {command} >/dev/null 2>&1"
    return f"# >>> {job.label} >>> {MARK}{note}\n{line}\n# <<< {job.label} <<<\n".encode()


def _shown(sign: str, block: bytes) -> str:
    return "".join(f"{sign}{line}\n" for line in block.decode("utf-8", "replace").splitlines())
