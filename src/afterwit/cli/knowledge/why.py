"""`afterwit knowledge why`: every piece of evidence behind an item."""

from typing import Any

import click
import msgspec

from afterwit.cli.commands import command
from afterwit.cli.knowledge.items import EXITS, item_shape
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import print_json, print_line, print_text
from afterwit.config.calendar import Calendar
from afterwit.curation.curate import PERSON
from afterwit.curation.why import Backing, Why
from afterwit.curation.why import why as run
from afterwit.knowledge.documents import WrittenEvidence, written
from afterwit.model.knowledge import Evidence


@command(
    examples=("afterwit knowledge why 3fa9c1", "afterwit knowledge why 3fa9c1 --json"),
    exits=EXITS,
)
@click.argument("item")
@reporting
@timed
def why(here: Here, item: str, is_json: bool) -> None:
    """Show every piece of evidence behind an item: where, when, and the words themselves.

    ITEM is an id or the beginning of one. Below each piece stands how to open its session.
    """
    answer = run(here.world, item)
    if is_json:
        print_json(_shape(answer))
        return
    print_text(answer.item.sentence)
    print_text(
        f"{answer.item.status}, confidence {answer.item.confidence:.2f}: {answer.item.reason or 'no reason noted'}"
    )
    for backing in answer.evidence:
        print_line("")
        _show(here.calendar, backing)
    if not answer.evidence:
        print_line("")
        print_line("No evidence is left.")
    for decision in answer.decisions:
        print_line("")
        print_text(f"{here.calendar.moment(decision.at_ms)}  decided: {decision.what}")


def _show(calendar: Calendar, backing: Backing) -> None:
    piece, session = backing.evidence, backing.evidence.session
    sign = "against" if piece.is_against else "for"
    at = f", step {piece.at}" if piece.at is not None else ""
    repo = session.repo.rpartition("/")[2]
    place = "  ".join(filter(None, (calendar.moment(piece.at_ms or session.at_ms or None), session.agent, repo)))
    print_text(f"{place}  {sign}, {piece.channel}{at}", rest="  ")
    if piece.excerpt:
        print_text("\n".join(piece.excerpt.splitlines()), first="  │ ", rest="  │ ")
    if piece.source:
        print_text(piece.source, first="  from ", rest="  ")
    print_text(_opening(piece, backing.opens), first="  ", rest="    ")


def _opening(piece: Evidence, opens: str) -> str:
    if opens:
        return f"afterwit sessions show {opens}"
    if piece.session.agent == PERSON:
        return "written by a person"
    return f"session {piece.session.native_id} is not in this store"


def _shape(answer: Why) -> dict[str, Any]:
    item = item_shape(answer.item, has_evidence=False)
    evidence = [_evidence_shape(answer, backing) for backing in answer.evidence]
    return {"item": item, "evidence": evidence, "decisions": msgspec.to_builtins(answer.decisions)}


def _evidence_shape(answer: Why, backing: Backing) -> dict[str, Any]:
    """As in `index.json`, with all fields, and whether the session can be opened."""
    alone = msgspec.structs.replace(answer.item, evidence=(backing.evidence,))
    (piece,) = written(alone).evidence
    return {name: getattr(piece, name) for name in WrittenEvidence.__struct_fields__} | {"is_here": backing.is_here}
