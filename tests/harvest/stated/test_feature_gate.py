"""The gate lets every feature pass that a clause has, and few others."""

import json
from pathlib import Path

import pytest

from afterwit.harvest.stated.feature_gate import FeatureGate, loosened
from afterwit.harvest.stated.passing_features import AGAINST
from afterwit.harvest.stated.standing_features import FOR, clause_feature

FIXTURES = Path(__file__).parent / "fixtures"
FEATURES = (*FOR, *AGAINST)


def clauses() -> list[str]:
    lines = [line for name in FIXTURES.glob("*.jsonl") for line in name.read_text("utf-8").splitlines()]
    return [" ".join(json.loads(line)["text"].lower().split()) for line in lines]


def test_no_feature_is_held_back_and_few_pass_in_vain() -> None:
    gate = FeatureGate(FEATURES)
    passed = searched = had = 0
    for clause in clauses():
        possible = gate.possible(clause)
        features = {feature.name for feature in FEATURES if feature.form.search(clause)}
        assert features <= {feature.name for feature in possible}
        searched += len(FEATURES)
        passed += len(possible)
        had += len(features)
    assert had <= passed < searched / 5


def test_letters_that_an_automaton_takes_for_no_letters_let_everything_pass() -> None:
    gate = FeatureGate([clause_feature("a word", 1.0, r"\bne\b"), clause_feature("another", 1.0, r"\bcafé\w")])
    assert len(gate.possible("ünes cafés")) == 2
    assert gate.possible("the tunes") == []


def test_marks_in_the_place_of_quotations_are_seen() -> None:
    quoted = clause_feature("quoted", 1.0, "‹quoted›")
    assert FeatureGate([quoted]).possible("he said ‹quoted› to us") == [quoted]


@pytest.mark.parametrize(
    ("form", "looser"),
    [
        (r"(?<!do )(?<![(\])])\bwe (?!(?:need|want)\b)[a-z]{3,}\b", r"\bwe [a-z]*\b"),
        (r"a(?=b(?:c|\)))d{2}|[]({]{0,3}?\(e", r"ad*|[]({]*?\(e"),
        (r"\{1,2}\\{3}", r"\{1,2}\\*"),
    ],
)
def test_what_looks_around_and_counts_is_loosened(form: str, looser: str) -> None:
    assert loosened(form) == looser
