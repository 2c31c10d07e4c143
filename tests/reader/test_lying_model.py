"""A real model that makes things up reads sessions: nothing that it says is taken, and nothing breaks.

Needs `make liar`. The sessions are real ones where AFTERWIT_CORPUS names a home folder, invented ones elsewhere.
"""

import json
import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.demo_store import copied_demo, learned_demo
from tests.homes import Silent, world_of
from tests.reader.small_model import NAME, is_installed, llm_folder, served

from afterwit.config.world import World
from afterwit.knowledge.door.list import all_items
from afterwit.model.knowledge import READ
from afterwit.model.settings import ReadingSettings
from afterwit.reader.answers import GivenAnswer, understand_notes
from afterwit.reader.intake import Fate
from afterwit.reader.plan import ReadingWish
from afterwit.reader.read import ask, take
from afterwit.reader.requests import ReadingRequest
from afterwit.reader.ways import llm_models
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings
from afterwit.store.rows.readings import proposals_rejected
from afterwit.store.store import readonly_database

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
pytest.importorskip("llm")
pytestmark = pytest.mark.skipif(not is_installed(), reason="no small model is installed: `make liar`")

_REQUESTS = 50
_LONGEST = 400  # characters of the session's lines: what a small model reads in a second
_ANSWER_TOKENS = 150
_PSEUDONYM = re.compile(r"‹(\w+):\w+›")  # another one for each store
_PATIENCE_SECONDS = 200.0


def _form() -> dict[str, Any]:
    """The form of an answer, so bounded that a small model comes to an end, and has to say something: one sentence of
    words that it is sure of, with lines that may be there."""
    properties = {
        "sentence": {"type": "string", "pattern": "^[A-Z][a-z]{1,9}( `?[a-z_./-]{1,12}`?){5,12}[.]$"},
        "lines": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 12},
            "minItems": 1,
            "maxItems": 3,
        },
        "confidence": {"const": 0.9},
    }
    notes = {"type": "array", "minItems": 1, "maxItems": 1, "items": _table(properties)}
    return _table({"notes": notes})


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _cut(request: ReadingRequest) -> ModelQuestion:
    """The request as far as a small model can take it: its beginning, and the first lines of the session."""
    system = request.system.partition("\n\n")[0]
    lines = request.text.partition("\n## The session")[2].partition("\n")[2]
    return ModelQuestion(request.id, system, _PSEUDONYM.sub(r"‹\1›", lines)[:_LONGEST], _form(), _ANSWER_TOKENS)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learned_demo(tmp_path_factory.mktemp("demo") / "learned")


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    if CORPUS:
        found = world_of(Path(CORPUS).absolute(), request.getfixturevalue("corpus_copy"))
    else:
        found = copied_demo(request.getfixturevalue("demo"), tmp_path / "demo")
    caps = ReadingSettings(tokens_per_day=1 << 40, tokens_per_month=1 << 40)
    return found._replace(settings=msgspec.structs.replace(found.settings, reading=caps))


def test_nothing_that_a_lying_model_says_is_taken(world: World, tmp_path: Path) -> None:
    requests = [request for request in _asked(world, f"llm:{NAME}") if request.part == 1][:_REQUESTS]
    assert len(requests) == _REQUESTS or not CORPUS
    with served(tmp_path) as address:
        environ = {"LLM_USER_PATH": str(llm_folder(tmp_path / "llm", address)), "LLM_LOAD_PLUGINS": ""}
        way = llm_models.llm(NAME, WaySurroundings(environ, tmp_path, tmp_path / "work"))
        assert way.refusal() == ""
        assert address in way.recipient()
        with ThreadPoolExecutor(way.most_at_once) as threads:
            answers = list(threads.map(lambda request: way.answer(_cut(request), _PATIENCE_SECONDS), requests))
    assert [answer.fault for answer in answers if answer.fault] == []
    proposed = sum(len(understand_notes(answer.text).proposals) for answer in answers)
    assert proposed > len(answers) // 2, "a model that proposes nothing does not lie"
    result = take(world, answers, Silent())
    with readonly_database(world.layout) as db:
        rejected = proposals_rejected(db)
    print(f"{len(answers)} answers, {proposed} notes,", dict(Counter(row.reason for row in rejected)))  # noqa: T201
    assert result.fates[Fate.TAKEN] + result.fates[Fate.NOT_UNDERSTOOD] == len(answers)
    assert _read_sentences(world) == set()
    assert result.relations == 0
    assert result.notes == 0
    assert result.rejected == proposed


def test_an_honest_answer_to_the_same_sessions_is_taken(world: World) -> None:
    """So that nothing is refused because everything is."""
    typed = re.compile(r"^(\d+) user: (.{30,200}[a-z]\.)$", re.MULTILINE)
    rules = [(request, said) for request in _asked(world, "by-hand") for said in typed.finditer(request.text)]
    notes: dict[str, dict[str, Any]] = {}
    for request, said in rules:
        notes.setdefault(request.id, {"sentence": said[2], "lines": [int(said[1])], "confidence": 0.9})
    answers = [GivenAnswer(name, json.dumps({"notes": [note]})) for name, note in notes.items()]
    result = take(world, answers, Silent())
    assert result.notes > 0
    assert _read_sentences(world) <= {note["sentence"] for note in notes.values()}


def _asked(world: World, model: str) -> list[ReadingRequest]:
    requests: list[ReadingRequest] = []
    ask(world, ReadingWish(model=model, limit=_REQUESTS), lambda request, _: requests.append(request), Silent())
    return requests


def _read_sentences(world: World) -> set[str]:
    with readonly_database(world.layout) as db:
        return {item.sentence for item in all_items(db) if item.harvester == READ}
