"""Agreement of the digester with labels that people gave to real failures and sessions, before it was written.

`tests/labels` holds ids and labels only; `AFTERWIT_CORPUS` names the home folder with the transcripts. A failure is
looked up by its call; a poll stands for the command that it polls. The figures are printed, and docs/explanation has
them.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from afterwit.digest.door import unpack
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import Outcome

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
LABELS = Path(__file__).parents[1] / "labels"

pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")


class Corpus(NamedTuple):
    digests: dict[str, Digest]
    places: dict[tuple[str, str], int]  # session and call id → position of the step

    def failure(self, label: dict[str, Any]) -> Failure:
        digest, at = self.digests[label["session"]], self.places[label["session"], label["call"]]
        failures = {failure.at: failure for failure in digest.failures}
        started_by = digest.steps[at].started_by
        return failures[at] if at in failures or started_by is None else failures[started_by]


@pytest.fixture(scope="module")
def corpus(learned_corpus: Path) -> Corpus:
    db = apsw.Connection(str(learned_corpus / "afterwit.db"), flags=apsw.SQLITE_OPEN_READONLY)
    query = "SELECT native_id, body FROM sessions JOIN digests ON session_id = sessions.id"
    digests = {session: unpack(body) for session, body in db.execute(query)}
    query = """SELECT native_id, call_id FROM actions JOIN parts ON parts.id = actions.id >> 24
               JOIN sessions ON sessions.id = session_id
               ORDER BY native_id, ifnull(actions.at_ms, -1), precedence, actions.id"""
    places: dict[tuple[str, str], int] = {}
    count: Counter[str] = Counter()
    for session, call in db.execute(query):
        places[session, call] = count[session]
        count[session] += 1
    db.close()
    return Corpus(digests, places)


def labels(name: str) -> list[dict[str, Any]]:
    return json.loads((LABELS / f"{name}.json").read_text("utf-8"))  # type: ignore[no-any-return]


class Agreement(NamedTuple):
    right: int
    of: int
    confusion: dict[tuple[str, str], int]

    @property
    def share(self) -> float:
        return self.right / self.of


def agreement(given: list[dict[str, Any]], key: str, found: Callable[[dict[str, Any]], str]) -> Agreement:
    pairs = Counter((str(label[key]), str(found(label))) for label in given)
    same = sum(count for (one, other), count in pairs.items() if one == other)
    result = Agreement(same, len(given), {pair: count for pair, count in pairs.items() if pair[0] != pair[1]})
    print(f"\n{key}: {result.right}/{result.of}, otherwise (label, found): {result.confusion}")  # noqa: T201 - the figures are for people
    return result


def test_classes_agree_with_the_first_labeller(corpus: Corpus) -> None:
    found = agreement(labels("failures"), "class", lambda label: corpus.failure(label).failure.value)
    assert found.of == 150
    assert found.share >= 0.9


def test_classes_agree_with_the_second_labeller_who_labelled_blind(corpus: Corpus) -> None:
    found = agreement(labels("failures_second"), "class", lambda label: corpus.failure(label).failure.value)
    assert found.of == 40
    assert found.share >= 0.9


def test_the_two_labellers_agree_with_each_other() -> None:
    first = {(label["session"], label["call"]): label["class"] for label in labels("failures")}
    found = agreement(labels("failures_second"), "class", lambda label: first[label["session"], label["call"]])
    assert found.share >= 0.9


def test_resolutions_agree(corpus: Corpus) -> None:
    given = [label for label in labels("failures") if "resolution" in label]
    found = agreement(given, "resolution", lambda label: corpus.failure(label).resolution.value)
    assert found.of == 60
    assert found.share >= 0.85


def test_signatures_neither_merge_nor_split_too_much(corpus: Corpus) -> None:
    wrong: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for pair in labels("signatures"):
        is_same = corpus.failure(pair["one"]).signature == corpus.failure(pair["other"]).signature
        total[pair["same"]] += 1
        wrong[pair["same"]] += is_same != pair["same"]
    print(f"\nover-split {wrong[True]}/{total[True]}, over-merged {wrong[False]}/{total[False]}")  # noqa: T201 - the figures are for people
    assert sum(total.values()) == 100
    assert wrong[True] <= 0.1 * total[True]
    assert wrong[False] <= 0.1 * total[False]


def test_outcomes_that_are_given_beat_guessing_the_commonest(corpus: Corpus) -> None:
    def outcome(label: dict[str, Any]) -> str:
        return corpus.digests[label["session"]].verdict.outcome.value

    every = labels("outcomes")
    given = [label for label in every if outcome(label) != Outcome.UNKNOWN]
    found = agreement(given, "outcome", outcome)
    commonest = Counter(label["outcome"] for label in given).most_common(1)[0][1]
    print(f"always the commonest: {commonest}/{found.of}, unknown: {len(every) - found.of}")  # noqa: T201 - the figures are for people
    assert len(every) == 60
    assert found.of >= 45
    assert found.share >= 0.9
    assert found.right > commonest
