import json
from pathlib import Path

import pytest
from bench.repeated import measure, pairs_in
from tests.every import for_every

from afterwit.knowledge.repetitions import repetition

_PNPM = "Use `pnpm`, never `npm`."
_PUSH = "Never push without being asked."
_LINT = "Run `make lint` before every commit."
_CLIENT = "Never edit the generated client in `src/client`."
_HARVEST = "Write one changelog entry for each harvest in `CHANGELOG.md`."

_AGAIN = [
    (_PNPM, "use pnpm, not npm!"),
    (_PUSH, "don't push"),
    (_PUSH, "why did you push again?"),
    (_LINT, "you forgot to run the linter again"),
    (_CLIENT, "Why are you editing the generated client?"),
    (_CLIENT, "the generated client should not be edited, ever"),
    ("There is no `docker` on this machine: the database runs elsewhere.", "you don't have access to docker here"),
    (_HARVEST, "ok, and please add a changelog entry for the harvest"),
    ("Answer in German.", "please answer in german"),
    ("Keep commit messages short, without a body.", "shorter commit messages please, no body"),
    ("Open the seed catalogue yourself and look.", "don't forget to open the seed catalogue"),
]
_NOT_AGAIN = {
    "a task about the same matter": (_LINT, "fix the lint errors in parser.py"),
    "a question about it": (_CLIENT, "is the generated client in src/client up to date?"),
    "leave is given": (_PUSH, "ok push it"),
    "the opposite is wanted": (_PNPM, "use npm here, never pnpm"),
    "an order that a rule only names as its occasion": (
        "Before a commit of seeds, weigh them.",
        "please commit the seeds",
    ),
    "a report": (_CLIENT, "the generated client in src/client is broken"),
    "a quotation": (_PNPM, 'the readme says "use pnpm, never npm in this repository, please" and I wonder why'),
    "a pasted log": (_PNPM, "npm ERR! use pnpm, never npm\nnpm ERR! code 1"),
    "one thing among many": (_LINT, "make the lint job of the nightly pipeline upload its report to the bucket"),
    "a pasted command of several lines": (
        "Sow with `sow --user-name` of the greenhouse, never with your own.",
        "sow beds \\\n  --user-name greenhouse \\\n  --north",
    ),
    "a description that was pasted without a mark": (
        "Seedbox copies harvests from bed to bed over the garden line, without a local copy.",
        "what do you think of this post:\n\nMost tools keep a copy.\n\n"
        "Seedbox copies harvests from one bed to another bed over the garden line, quickly and without any local copy.",
    ),
    "a number of today": ("Every phase goes on a branch of its own.", "switch to the branch of phase 12"),
    "nothing": (_LINT, ""),
}


@for_every("line, turn", _AGAIN)
def test_a_user_who_says_a_line_again_is_heard(line: str, turn: str) -> None:
    assert repetition(line, turn)


@pytest.mark.parametrize("what", _NOT_AGAIN)
def test_what_only_shares_words_with_a_line_is_no_repetition(what: str) -> None:
    assert not repetition(*_NOT_AGAIN[what])


def test_our_own_block_that_comes_back_in_a_prompt_is_no_repetition() -> None:
    pasted = f"[afterwit notes]\n- {_PNPM}\n[end of afterwit notes]\n\nUse pnpm, never npm."
    assert not repetition(_PNPM, pasted)


def test_the_quote_is_the_sentence_and_not_the_whole_turn() -> None:
    turn = "The harvest looks good. But you forgot to run the linter again. I am off for lunch."
    assert repetition(_LINT, turn) == "But you forgot to run the linter again."


def test_the_bench_counts_what_the_rule_finds(tmp_path: Path) -> None:
    rows = [
        {"line": _PNPM, "turn": "use pnpm, not npm!", "before": "$ npm i", "label": "yes"},
        {"line": _PUSH, "turn": "ok push it", "before": "", "label": "no"},
        {"line": _PUSH, "turn": "leave the remote alone", "before": "", "label": True},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    figures = measure(pairs_in(file))
    assert (figures.pairs, figures.found, figures.precision, figures.recall) == (3, 1, 1.0, 0.5)
