"""The turns were written by several who did not know the rules: half stand, half only look like it. The weights were
fitted to `standing_turns` and `fitted_turns`; `unseen_turns` was kept back from forms and weights alike."""

import json
from pathlib import Path
from typing import NamedTuple

from tests.every import for_every

from afterwit.harvest.stated.standing_words import score, standing_clause, standing_sentences, weighed_features

FIXTURES = Path(__file__).parent / "fixtures"


class Counts(NamedTuple):
    right: int
    wrong: int
    missed: int


def tally(name: str) -> Counts:
    rows = [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]
    taken = [(bool(standing_sentences(row["text"])), row["standing"]) for row in rows]
    return Counts(right=taken.count((True, True)), wrong=taken.count((True, False)), missed=taken.count((False, True)))


def test_of_the_turns_that_it_was_developed_on_nearly_all_are_told_apart() -> None:
    right, wrong, missed = tally("standing_turns.jsonl")
    assert right + missed == 50
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.95


def test_of_turns_that_nothing_was_fitted_to_most_are_told_apart() -> None:
    right, wrong, missed = tally("unseen_turns.jsonl")
    assert right + missed == 100
    assert right / (right + wrong) >= 0.88
    assert right / (right + missed) >= 0.8


def test_of_the_turns_that_the_weights_were_fitted_to_most_are_told_apart() -> None:
    right, wrong, missed = tally("fitted_turns.jsonl")
    assert right + missed == 300
    assert right / (right + wrong) >= 0.9
    assert right / (right + missed) >= 0.84


@for_every(
    "text",
    [
        "The orchard's runner has no internet, so whatever a job needs must be in the image.",
        "We name rows after the trees in them, not after who planted them.",
        "You can push to any branch, main is mine.",
        "If a migration can't be rolled back, it doesn't go in.",
        "Squash merges only, the release script relies on it.",
        "I read diffs on my phone so keep them small.",
        "one commit per logical change please, I bisect a lot",
        "No new dependencies without my ok.",
        "/v1 is frozen, three presses still call it.",
        "I want you to weigh every crate whenever you load the cart.",
        "going forward, weights are in grams",
        "our convention is one crate per row",
    ],
)
def test_many_forms_stand(text: str) -> None:
    assert standing_sentences(text)


@for_every(
    "text",
    [
        "The header is misaligned and the menu covers the logo.",
        "Use the second option, not the first.",
        "For this batch prefer speed, I only need a rough idea.",
        "From now on the function returns a list, so adjust the callers.",
        "The counter must never go below zero and always reset at midnight.",
        "remember to also change the port in the compose file",
        "My old boss had a rule: no function longer than 20 lines.",
        "every time I press save the form is reset, please fix",
        "what's the convention for branch names here",
        "keep the logs for now, I'll delete them later",
        "add a hook that always runs the formatter on every commit",
        'Ann wrote "from now on nobody merges without my approval", is she kidding?',
    ],
)
def test_what_only_looks_like_it_does_not(text: str) -> None:
    assert standing_sentences(text) == []


def test_only_the_sentence_that_stands_is_taken() -> None:
    prompt = "Count the trees again.\n\nBy the way, we weigh crates in grams, never in ounces. Then close the gate."
    assert standing_sentences(prompt) == ["By the way, we weigh crates in grams, never in ounces."]


def test_the_clause_that_stands_is_found_in_a_longer_sentence() -> None:
    sentence = "fix the gate, and from now on always lock it in the evening"
    assert standing_clause(sentence) == "from now on always lock it in the evening"


def test_what_counts_can_be_read() -> None:
    features = weighed_features("From now on, never use the old gate.")
    assert {feature.name for feature in features} >= {"holds from now on", "always or never do"}
    assert score("From now on, never use the old gate.") > 0 > score("Use the old gate.")


def test_a_question_after_it_asks_for_more() -> None:
    rule = "I have been told that crates go on the left."
    assert standing_sentences(f"{rule} Is that so?") == []
