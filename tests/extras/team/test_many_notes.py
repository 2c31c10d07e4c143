"""Thousands of notes of others make nobody wait for long: twice as many take twice the work, whatever is done next."""

import json
from pathlib import Path

import pytest
from tests.extras.team.members import member
from tests.homes import NOW_MS
from tests.steps import steps_of

from afterwit.engine.curation.curate import edit
from afterwit.engine.curation.undo import undo
from afterwit.extras.team.folder import FOLDER
from afterwit.store.decisions import ItemChanges


def work(folder: Path, count: int) -> dict[str, int]:
    """The steps of a pull, a second one, an edit and its undoing, where others share so many notes that are alike."""
    ada = member(folder, "ada", folder / "checkout")
    ada.begins()
    notes = ada.place.root / FOLDER / "notes"
    notes.mkdir(exist_ok=True)
    for number in range(count):
        fact = f"Run `make index` before counting the trees of orchard {number} in the valley, or counts are old."
        said = {"by": "mallory", "machine": "m", "clock_ms": NOW_MS}
        lines = [{"kind": "note", **said, "words": {"fact": fact, "category": "pitfall"}}, {"kind": "approved", **said}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (notes / f"{number:012x}.jsonl").write_text(text, encoding="utf-8")
    done = {"pull": steps_of(ada.pulls), "again": steps_of(ada.later(1).pulls)}
    world, item = ada.later(2).world, next(iter(ada.notes.values()))
    done["edit"] = steps_of(lambda: edit(world, item.id, ItemChanges(sentence="Count the trees after pruning.")))
    done["undo"] = steps_of(lambda: undo(ada.later(3).world))
    return done


@pytest.mark.slow
def test_twice_as_many_notes_of_others_take_twice_the_work(tmp_path: Path) -> None:
    few, many = work(tmp_path / "few", 300), work(tmp_path / "many", 600)
    assert {name: round(many[name] / few[name], 1) for name in few if many[name] > 2.3 * few[name]} == {}
