"""The known fix right after a known failure: at most one line, and nothing that the error text says already.

Looks items up by the failure's signature, by a path that the error names, and by the words of the command. Candidates
of one story may speak here, as a guess that is called so: the failure has just happened, so a hint costs little and the
agent sees at once whether it fits. Failures of the work itself get nothing: they are what the agent is working on.
"""

from collections.abc import Iterable
from typing import NamedTuple

from afterwit.actions.failures.quick_look import LEAST_BELIEF, is_any_call, names_missing
from afterwit.actions.failures.signature import answerable_signature
from afterwit.actions.shell.command_changes import advised
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import Step
from afterwit.harvest.wording import plain
from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.kinds import ActionKind, Status
from afterwit.model.knowledge import Channel, Item, ItemStatus, Trigger
from afterwit.recall.deck.reader import words_called, words_in
from afterwit.recall.situation import Situation, order
from afterwit.recall.start_block import said_of
from afterwit.redaction.shown import Shown, command, joined, ours

_STATED = (Channel.USER, Channel.ASSISTANT)


class FailedAction(NamedTuple):
    """An action that has just failed."""

    kind: ActionKind
    tool: str
    target: str
    error: str
    exit_code: int | None = None

    @property
    def signature(self) -> str:
        """As digests name it; "" where nothing is to be said about it."""
        step = Step(self.kind, self.tool, self.target, Status.FAILED, None, self.exit_code, self.error)
        return answerable_signature(step)


class Fix(NamedTuple):
    item: Item
    advice: str  # the command line to use now, if there is one
    text: Shown


class _Match(NamedTuple):
    item: Item
    advice: str
    clarity: int  # how clearly the item is meant


def fix_for(items: Iterable[Item], situation: Situation, failed: FailedAction) -> Fix | None:
    """The best known fix; None is the usual answer."""
    sign = failed.signature
    if not sign:
        return None
    places = {scope: place for place, scope in enumerate(situation.scopes())}
    here = (item for item in items if situation.concerns(item))
    matches = [match for item in here if (match := _match(item, failed, sign)) is not None]
    best = min(
        matches,
        key=lambda match: (not match.advice, -match.clarity, places[match.item.scope], order(match.item)),
        default=None,
    )
    return None if best is None else Fix(best.item, best.advice, _text(best.item, best.advice))


def answers(item: Item, trigger: Trigger) -> bool:
    """Whether an item may answer the failures that one of its triggers means. A candidate may if no words stand behind
    it, and only where the trigger names the very failure."""
    if item.is_known_to_host or item.belief.mean < LEAST_BELIEF or trigger.rule or trigger.topic:
        return False
    if is_any_call(trigger.program, trigger.words, trigger.signature, item.advice):
        return False
    if item.status is ItemStatus.ACTIVE:
        return not trigger.path or bool(item.advice)
    is_exact = bool(trigger.signature or (trigger.path and item.advice))
    return item.status is ItemStatus.CANDIDATE and is_exact and item.channel not in _STATED


def _match(item: Item, failed: FailedAction, sign: str) -> _Match | None:
    clarity = max((_clarity(trigger, failed, sign) for trigger in item.triggers if answers(item, trigger)), default=0)
    if not clarity:
        return None
    target = _plain_lines(failed.target)
    advice = advised(item.advice, target, _plain_lines(failed.error))
    if advice and (advice in failed.error or advice.strip() == target.strip()):
        return None
    shown = plain(advice)
    return _Match(item, shown, clarity) if shown or not item.advice else None


def _plain_lines(text: str) -> str:
    """Clean, line by line; "" where a line holds a placeholder, since a command cannot be made of that."""
    lines = [(line, plain(line)) for line in text.splitlines()]
    return "\n".join(made for _, made in lines) if all(made or not line.strip() for line, made in lines) else ""


def _clarity(trigger: Trigger, failed: FailedAction, sign: str) -> int:
    """How clearly a trigger means this failure; 0: not at all."""
    if trigger.path:
        return 3 if names_missing(trigger.path, failed.error) else 0
    if not (trigger.signature or trigger.program or trigger.words or trigger.error):
        return 0
    words = frozenset(words_in(failed.error) | words_called(failed.target)) if trigger.error else frozenset()
    moment = TriggerMoment(command=parsed(failed.target), tool=failed.tool, signature=sign, error=words)
    if not fires(trigger, moment):
        return 0
    return 2 if trigger.signature else 1


def _text(item: Item, advice: str) -> Shown:
    here = (ours(" Here: "), command(advice)) if advice and advice not in item.sentence else ()
    return joined((said_of(item), *here))
