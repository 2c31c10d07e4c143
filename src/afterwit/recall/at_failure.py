"""The known fix right after a known failure: at most one line, and nothing that the error text says already.

Looks items up by the failure's signature, by a path that the error names, and by the words of the command. Candidates
of one story may speak here, as an observation: the failure has just happened, so a hint costs little and the agent sees
at once whether it fits. Failures of the work itself get nothing: they are what the agent is working on.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from afterwit.actions.command_changes import advised, change_from
from afterwit.actions.failure_class import classify
from afterwit.actions.signature import signature
from afterwit.actions.steps import Step, parsed
from afterwit.harvest.wording import plain
from afterwit.knowledge.belief import lower
from afterwit.knowledge.matching import Moment, fires
from afterwit.model.kinds import ActionKind, FailureClass, Status
from afterwit.model.knowledge import Authority, Item, ItemStatus, Trigger
from afterwit.recall.situation import Situation

_SPEAKING = (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)
_ANSWERABLE = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.UNCLEAR)
_LEAST_BELIEF = 0.45
_NO_SUCH_PLACE = re.compile(r"no such file|does not exist|is a directory|EISDIR|not a directory", re.IGNORECASE)


class Failed(NamedTuple):
    """An action that has just failed."""

    kind: ActionKind
    tool: str
    target: str
    error: str

    @property
    def signature(self) -> str:
        """As digests name it; "" where the failure is the agent's own work."""
        step = Step(self.kind, self.tool, self.target, Status.FAILED, None, None, self.error)
        line = self.target if self.kind is ActionKind.SHELL else ""
        found = classify(step, line)
        return signature(step, found, line) if found in _ANSWERABLE else ""


class Fix(NamedTuple):
    item: Item
    advice: str  # the command line to use now, if there is one
    text: str


class _Found(NamedTuple):
    item: Item
    advice: str
    clarity: int  # how clearly the item is meant


def fix_for(items: Iterable[Item], situation: Situation, failed: Failed) -> Fix | None:
    """The best known fix; None is the usual answer."""
    sign = failed.signature
    if not sign:
        return None
    places = {scope: place for place, scope in enumerate(situation.scopes())}
    here = (item for item in items if situation.concerns(item) and _may_speak(item))
    found = [one for item in here if (one := _found(item, failed, sign)) is not None]
    best = min(
        found,
        key=lambda one: (not one.advice, -one.clarity, places[one.item.scope], -lower(one.item.belief), one.item.id),
        default=None,
    )
    return None if best is None else Fix(best.item, best.advice, _text(best.item, best.advice))


def _may_speak(item: Item) -> bool:
    return item.status in _SPEAKING and item.belief.mean >= _LEAST_BELIEF


def _found(item: Item, failed: Failed, sign: str) -> _Found | None:
    advice = advised(item.advice, plain(failed.target), plain(failed.error)) if item.advice else ""
    if advice in (failed.target.strip(), "") and change_from(item.advice) is not None:
        return None
    if advice and advice in failed.error:
        return None
    clarity = max((_clarity(trigger, failed, sign) for trigger in item.triggers), default=0)
    return _Found(item, advice, clarity) if clarity else None


def _clarity(trigger: Trigger, failed: Failed, sign: str) -> int:
    """How clearly a trigger means this failure; 0: not at all."""
    if trigger.rule or trigger.topic:
        return 0
    if trigger.path:
        return 3 if _names_place(trigger.path, failed.error) else 0
    moment = Moment(command=parsed(failed.target), tool=failed.tool, signature=sign)
    if not fires(trigger, moment):
        return 0
    return 2 if trigger.signature else 1


def _names_place(path: str, error: str) -> bool:
    named = re.search(rf"(?<![\w.-]){re.escape(path)}(?![\w./-])", error)
    return named is not None and _NO_SUCH_PLACE.search(error) is not None


def _text(item: Item, advice: str) -> str:
    here = f" Here: `{advice}`" if advice and advice not in item.sentence else ""
    seen = "" if item.authority is Authority.GUIDANCE else "Seen in an earlier session: "
    return f"{seen}{item.sentence}{here}"
