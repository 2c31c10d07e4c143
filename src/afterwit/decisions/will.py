"""What people want of an item, as it follows from what they decided about it: of each kind the latest counts.

A pin and a verdict that takes an item out exclude each other, so the later of the two holds. An edit changes what it
names and leaves the rest, and approves. Which status follows from it all is left to `weighing`.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.model.knowledge import Category, Draft, Scope, Trigger


class DecisionKind(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    RETIRE = "retire"
    PIN = "pin"
    UNPIN = "unpin"
    EDIT = "edit"


APPROVALS = (DecisionKind.APPROVE, DecisionKind.EDIT)
TAKEN_OUT = {DecisionKind.REJECT: "rejected by a person", DecisionKind.RETIRE: "retired by a person"}


class ItemChanges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an edit gives an item. What is None stays as it is."""

    sentence: str | None = None
    category: Category | None = None
    scope: Scope | None = None
    triggers: tuple[Trigger, ...] | None = None
    advice: str | None = None
    files: tuple[str, ...] | None = None

    @property
    def named(self) -> dict[str, object]:
        """The fields that are set."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}

    @property
    def in_words(self) -> str:
        """What is set, in words."""
        count = len(self.triggers or ())
        parts = (
            self.sentence,
            f"category {self.category}" if self.category is not None else None,
            f"scope {self.scope}" if self.scope is not None else None,
            f"{count or 'no'} trigger{'' if count == 1 else 's'}" if self.triggers is not None else None,
            f"advice {self.advice or 'none'}" if self.advice is not None else None,
            f"files {', '.join(self.files) or 'none'}" if self.files is not None else None,
        )
        return "; ".join(part for part in parts if part is not None)

    def then(self, later: "ItemChanges") -> "ItemChanges":
        """Both, where the later one has the last word."""
        return msgspec.structs.replace(self, **later.named)

    def applied(self, draft: Draft) -> Draft:
        return msgspec.structs.replace(draft, **self.named)


class Decision(NamedTuple):
    """What a person decided about an item."""

    at_ms: int
    kind: DecisionKind
    changes: ItemChanges = ItemChanges()


class Will(NamedTuple):
    """What people want of an item."""

    verdict: Decision | None = None  # approve, edit, reject or retire
    is_pinned: bool = False
    changes: ItemChanges = ItemChanges()

    @property
    def is_approved(self) -> bool:
        return self.is_pinned or (self.verdict is not None and self.verdict.kind in APPROVALS)

    @property
    def taken_out(self) -> str:
        """Why it is out of use, in words; "" where nobody took it out."""
        return TAKEN_OUT.get(self.verdict.kind, "") if self.verdict is not None else ""

    def after(self, decision: Decision) -> "Will":
        if decision.kind is DecisionKind.PIN:
            return self._replace(is_pinned=True, verdict=None if self.taken_out else self.verdict)
        if decision.kind is DecisionKind.UNPIN:
            return self._replace(is_pinned=False)
        is_pinned = self.is_pinned and decision.kind in APPROVALS
        return Will(verdict=decision, is_pinned=is_pinned, changes=self.changes.then(decision.changes))


def will_of(decisions: Iterable[Decision]) -> Will:
    """What follows from all decisions, in whatever order they are given."""
    will = Will()
    for decision in sorted(decisions, key=lambda decision: (decision.at_ms, decision.kind, repr(decision.changes))):
        will = will.after(decision)
    return will
