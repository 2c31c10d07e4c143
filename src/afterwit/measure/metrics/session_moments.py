"""What happened in a session that a note may have waited for: commands, files, failures, rules, prompts.

Much the same question as in hooks, asked afterwards of a digest. Every step is a moment, with each thing
that it does, and every prompt; a file that was only read has no step in a digest, and so no time: it counts whenever it
was read.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from afterwit.actions.activities import activities_of
from afterwit.actions.quick_look import fits_path
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, Step
from afterwit.model.knowledge import Activity, Item, Trigger
from afterwit.model.text import words_of
from afterwit.recall.deck.reader import words_called, words_in
from afterwit.recall.hook.triggers import is_called_in

_NEVER = Trigger()


class TriggerMoment(NamedTuple):
    """What happened at once, as far as a trigger may ask for it."""

    command: str = ""
    tool: str = ""
    signature: str = ""
    error: frozenset[str] = frozenset()  # words of a call that failed, and of its output
    rules: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()  # below the repository
    words: frozenset[str] = frozenset()  # of a prompt, by `model.text`
    activity: Activity | None = None


class DatedMoment(NamedTuple):
    at_ms: int | None  # None: not known
    moment: TriggerMoment


def moments_in(digest: Digest) -> list[DatedMoment]:
    """All of them; one list serves all notes that the session was told."""
    return [*_of_steps(digest), *_of_prompts(digest), *_of_files(digest)]


def came_after(item: Item, moments: list[DatedMoment], told_ms: int) -> bool:
    """Whether what a note waits for happened after it was told. What has no time counts."""
    return any(
        fires(trigger, dated.moment)
        for dated in moments
        if dated.at_ms is None or dated.at_ms >= told_ms
        for trigger in item.triggers
    )


def fires(trigger: Trigger, moment: TriggerMoment) -> bool:
    """Whether everything is there that the trigger asks for; one that asks for nothing never fires."""
    return (
        trigger != _NEVER
        and (not trigger.signature or trigger.signature == moment.signature)
        and moment.error.issuperset(trigger.error)
        and (not trigger.tool or trigger.tool == moment.tool)
        and (not trigger.rule or trigger.rule in moment.rules)
        and (trigger.activity is None or trigger.activity is moment.activity)
        and moment.words.issuperset(trigger.topic)
        and (not trigger.path or any(fits_path(trigger.path, path) for path in moment.paths))
        and is_called_in(moment.command, trigger.program, trigger.words)
    )


def _of_steps(digest: Digest) -> Iterator[DatedMoment]:
    signatures = {failure.at: failure.signature for failure in digest.failures}
    rules: defaultdict[int, set[str]] = defaultdict(set)
    for rule in digest.rules:
        rules[rule.at].add(rule.id)
    for at, step in enumerate(digest.steps):
        happened = TriggerMoment(
            command=step.target if step.kind is ActionKind.SHELL else "",
            tool=step.tool,
            signature=signatures.get(at, ""),
            error=frozenset(words_in(step.error) | words_called(step.target)) if at in signatures else frozenset(),
            rules=frozenset(rules[at]),
            paths=step.files,
        )
        for activity in (None, *activities_of(step.kind, step.target)):
            yield DatedMoment(_time_of(digest, step), happened._replace(activity=activity))


def _time_of(digest: Digest, step: Step) -> int | None:
    """To the end of its second, since steps are dated to the second."""
    if digest.started_ms is None or step.at_s is None:
        return None
    return digest.started_ms + 1000 * step.at_s + 999


def _of_prompts(digest: Digest) -> Iterator[DatedMoment]:
    for said in digest.prompts:
        yield DatedMoment(said.at_ms, TriggerMoment(words=frozenset(words_of(said.text))))


def _of_files(digest: Digest) -> Iterator[DatedMoment]:
    for file in digest.files:
        if file.reads and not file.path.startswith("/"):
            yield DatedMoment(None, TriggerMoment(paths=(file.path,)))
