"""Hands approved patterns to agents and takes them back, as `afterwit patterns publish` and `unpublish` do.

Every file and every line that would change is shown first. What is then agreed to is what was shown: where something
has changed in between, nothing is done and the new plan is shown.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.connect.foreign_files import differences
from afterwit.extras.lab.patterns.publish import PublishOutcome, publish, unpublish
from afterwit.extras.lab.patterns.publishing_plan import PublishRequest, PublishStep
from afterwit.extras.lab.patterns.show import shown as pattern_named
from afterwit.model.errors import UsageError
from afterwit.store.decisions.published import PublishedForm
from afterwit.web.answering import Ask, WebAnswer, WebRoute, moved, shown, with_fields
from afterwit.web.changes_shown import ShownLine, signed_lines


class ShownStep(NamedTuple):
    """What would happen at one place."""

    what: str
    lines: list[ShownLine]


def _plan(ask: Ask) -> WebAnswer:
    """What would change, without any change."""
    wanted = {name: ask.first(name) for name in ("as", "file")}
    outcome = _carried_out(ask, wanted, "")
    return _shown_plan(ask, outcome.steps if outcome is not None else (), wanted)


def _carry_out(ask: Ask) -> WebAnswer:
    wanted = {name: ask.form.get(name, "").strip() for name in ("as", "file")}
    seen: list[PublishStep] = []
    outcome = _carried_out(ask, wanted, ask.form.get("plan", "") or "-", seen)
    if outcome is None:
        return _shown_plan(ask, seen, wanted, is_other=True)
    said = "back" if _is_removal(ask) else "published"
    return moved(with_fields(f"/more/patterns/{ask.names['pattern']}", {}, said=said if outcome.needed else "same"))


def _carried_out(
    ask: Ask, wanted: dict[str, str], agreed: str, seen: list[PublishStep] | None = None
) -> PublishOutcome | None:
    """Does what was agreed to, by the mark of its plan; without one, only says what there is to do."""

    def agree(steps: Sequence[PublishStep]) -> bool:
        if seen is not None:
            seen.extend(steps)
        return _mark(steps) == agreed

    form, names, is_dry_run = wanted["as"], (ask.names["pattern"],), not agreed
    if form not in ("", *PublishedForm):
        raise UsageError(f"{form!r} is none of: {', '.join(PublishedForm)}.")
    forms = (PublishedForm(form),) if form else ()
    if _is_removal(ask):
        return unpublish(ask.world, names, agree, forms, is_dry_run=is_dry_run)
    files = (_file(ask, wanted["file"]),) if form == PublishedForm.BLOCK else ()
    return publish(ask.world, PublishRequest(names, forms, files=files), agree, is_dry_run=is_dry_run)


def _file(ask: Ask, typed: str) -> Path:
    """A page has no folder that a path could start from."""
    path = ask.world.user_home / typed[2:] if typed.startswith("~/") else Path(typed)
    if not path.is_absolute():
        raise UsageError("Say which file gets the block, with its whole path: /home/me/src/orchard/AGENTS.md.")
    return path


def _shown_plan(ask: Ask, steps: Sequence[PublishStep], wanted: dict[str, str], *, is_other: bool = False) -> WebAnswer:
    needed = [step for step in steps if step.is_needed]
    pattern = pattern_named(ask.world, ask.names["pattern"])
    return shown(
        ask,
        "publish.html",
        entry=pattern.entry,
        path=with_fields(ask.path, {}),
        is_removal=_is_removal(ask),
        is_other=is_other,
        steps=[ShownStep(step.what, signed_lines(_lines(step))) for step in needed],
        mark=_mark(steps),
        wanted=wanted,
    )


def _is_removal(ask: Ask) -> bool:
    return ask.path.endswith("/unpublish")


def _lines(step: PublishStep) -> list[str]:
    change = step.change
    return list(differences(change.file.path, change.file.content, change.wanted)) if change is not None else []


def _mark(steps: Sequence[PublishStep]) -> str:
    """Changes whenever the plan does."""
    plan = "\n".join(f"{step.what}\n{chr(10).join(_lines(step))}" for step in steps if step.is_needed)
    return hashlib.sha256(plan.encode("utf-8", "replace")).hexdigest()


ROUTES = (
    WebRoute("/more/patterns/{pattern}/publish", _plan),
    WebRoute("/more/patterns/{pattern}/publish", _carry_out, "POST"),
    WebRoute("/more/patterns/{pattern}/unpublish", _plan),
    WebRoute("/more/patterns/{pattern}/unpublish", _carry_out, "POST"),
)
