import random
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest
from tests.every import for_every

from afterwit.actions.failures import messages
from afterwit.digest import last_words
from afterwit.model.text import Phrases, needed_pieces

parser, sre = import_module("re._parser"), import_module("re._constants")  # which read what a pattern says
FORMS = (r"\bNo such (?:File|folder)\b|^ladder: \S+ missing$", r"\bnot (?!yet)\w+", r"\bby setting (?-i:[A-Z_]{3,})=")
KEPT = [form for module in (messages, last_words) for form in vars(module).values() if isinstance(form, Phrases)]


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("Error by setting TREE=1", True),
        ("error by setting tree=1", False),
        ("NO SUCH FILE", True),
        ("oak\nLadder: old missing\n", True),
        ("Not Yet", False),
        ("no ſuch file", True),  # a letter that patterns without case take for an s
    ],
)
def test_capitals_count_only_where_a_form_says_so(text: str, is_there: bool) -> None:
    assert Phrases(*FORMS).are_in(text) is is_there


@pytest.mark.parametrize(
    ("form", "pieces"),
    [
        (r"\bcommand not found\b(?!\.| (?:in|on) )", ("command not found",)),
        (r"\bno such (?:host|Port)s?\b", ("no such ",)),
        (r"\b(?:could(?:n't| not)|unable to) find\b", ("could", "unable to")),
        (r"\bfind(?:ing)?s?\b|\bflags?\b", ("find", "flag")),
        (r"(?:apple|pear|fig) \w{2,40}", ("apple", "pear", "fig")),
        (r"(?:apple|pear)? \w+", ()),
        (r"(?:apple|pear){0,2}x|ladder", ()),
        (r"[a-z|]ladder\(s\)", ("ladder",)),
        (r"(?<!garden )(?P<what>tree|bush)", ("tree", "bush")),
        (r"\d+ (?i:IDs)|\(a\)", ()),
    ],
)
def test_what_every_match_holds_is_found(form: str, pieces: tuple[str, ...]) -> None:
    assert needed_pieces(form) == pieces


@for_every("form", [form for phrases in KEPT for form in phrases._forms])
def test_whatever_a_form_matches_holds_one_of_its_pieces(form: str) -> None:
    rng = random.Random(form)
    pieces = needed_pieces(form)
    for _ in range(40):
        made = "".join(_made(parser.parse(form), rng)).lower()
        assert not pieces or any(piece in made for piece in pieces), made


def _made(pattern: Iterable[Any], rng: random.Random) -> Iterable[str]:
    """A text of the form; what stands beside it is left out."""
    for kind, given in pattern:
        if kind is sre.LITERAL:
            yield chr(given)
        elif kind is sre.BRANCH:
            yield from _made(rng.choice(given[1]), rng)
        elif kind is sre.SUBPATTERN:
            yield from _made(given[-1], rng)
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, inner = given
            for _ in range(rng.randint(least, min(int(most), least + 2))):
                yield from _made(inner, rng)
        elif kind not in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            yield "\0"  # a letter of many
