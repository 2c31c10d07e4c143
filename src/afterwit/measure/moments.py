"""The moments of a replay in which a note would have helped: what happened, what would have been said, what it spares.

Made only of what the replay said in time and of what then happened. What is spared: searches before a file that was
named, and actions between a failure and the fix that was advised; the strictest reading of what the scores count. Pure.
"""

from collections.abc import Iterable

import msgspec

from afterwit.measure.player import PlayerNote
from afterwit.model.digest import Digest, Failure
from afterwit.redaction.markers import CLOSING, OPENING


class HelpfulMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A note that would have spared something."""

    at_ms: int | None
    session: str
    agent: str
    repo: str
    prompt: str  # the session's task, where files were named
    command: str  # that failed, where a fix was named
    error: str
    said: str
    item: str  # what stands behind the note
    until: str  # the file or the command that the session came to by itself
    spared_actions: int
    spared_seconds: int | None


def moment_of_files(digest: Digest, note: PlayerNote, path: str, touch: int, searches: int) -> HelpfulMoment | None:
    """The file of the task was named before the session looked for it. Those that were named first cost a look each.
    None where it would not have helped: the prompt names the file itself, or the work on it was only asked for later.
    """
    spared = searches - note.files.index(path)
    if spared <= 0 or path.rpartition("/")[2].lower() in digest.task.lower() or _is_asked_later(digest, touch):
        return None
    return HelpfulMoment(
        at_ms=digest.started_ms,
        session=digest.native_id,
        agent=digest.agent,
        repo=digest.repo,
        prompt=digest.task,
        command="",
        error="",
        said=_line_about(note.text, path),
        item=note.item,
        until=path,
        spared_actions=spared,
        spared_seconds=None,
    )


def _is_asked_later(digest: Digest, touch: int) -> bool:
    """Whether another prompt came before this action."""
    at_s = digest.steps[touch].at_s if touch < len(digest.steps) else None
    times = [said.at_ms for said in digest.prompts[1:] if said.at_ms is not None]
    if at_s is None or digest.started_ms is None:
        return bool(digest.prompts[1:])
    return any(at_ms <= digest.started_ms + at_s * 1000 for at_ms in times)


def moment_of_failure(digest: Digest, note: PlayerNote, failure: Failure, fix: int, spared: int) -> HelpfulMoment:
    """The fix of a failure was named before the session found it."""
    failed, fixed = digest.steps[failure.at], digest.steps[fix]
    at_ms = digest.started_ms
    if at_ms is not None and failed.at_s is not None:
        at_ms += failed.at_s * 1000
    is_timed = failed.at_s is not None and fixed.at_s is not None
    return HelpfulMoment(
        at_ms=at_ms,
        session=digest.native_id,
        agent=digest.agent,
        repo=digest.repo,
        prompt="",
        command=failed.target,
        error=failed.error,
        said=_plain(note.text),
        item=note.item,
        until=fixed.target,
        spared_actions=spared,
        spared_seconds=(fixed.at_s or 0) - (failed.at_s or 0) if is_timed else None,
    )


def best_moments(moments: Iterable[HelpfulMoment], most: int) -> list[HelpfulMoment]:
    """Those that spare most: of each session only the best, and the same matter again only if there are no others."""
    by_session: dict[str, HelpfulMoment] = {}
    for moment in sorted(moments, key=_rank):
        by_session.setdefault(moment.session, moment)
    by_matter: dict[str, HelpfulMoment] = {}
    for moment in by_session.values():
        by_matter.setdefault(moment.item if moment.command else f"{moment.repo} {moment.until}", moment)
    again = [moment for moment in by_session.values() if moment not in by_matter.values()]
    return sorted([*by_matter.values(), *again][:most], key=_rank)


def _rank(moment: HelpfulMoment) -> tuple[int, int, int, str]:
    return -moment.spared_actions, -(moment.spared_seconds or 0), -(moment.at_ms or 0), moment.session


def _plain(text: str) -> str:
    """What was said, without what marks it for agents and logs."""
    lines = (line.removeprefix("- ") for line in text.splitlines() if line not in (OPENING, CLOSING))
    return "\n".join(lines)


def _line_about(text: str, path: str) -> str:
    """The line that names the file, behind its heading."""
    heading = ""
    for line in text.splitlines():
        if path in line:
            return f"{heading} {line.removeprefix('- ')}".strip()
        heading = heading if line.startswith("- ") else line.strip()
    return text
