"""Every rule finds its examples and leaves its benign texts alone."""

from collections.abc import Callable

import re2
from tests.every import for_every
from tests.redaction.templates import SHOWN

from afterwit.redaction.matching import Finder, trigger
from afterwit.redaction.redaction import Redactor
from afterwit.redaction.ruleset import RedactionRule, byte_options, rules

Fill = Callable[[str], tuple[str, list[str]]]
_CASES = [(rule, text) for rule in rules() for text in SHOWN[rule.id]["examples"]]
_BENIGN = [(rule, text) for rule in rules() for text in SHOWN[rule.id]["benign"]]


@for_every("rule, template", _CASES)
def test_a_rule_finds_its_example(rule: RedactionRule, template: str, fill: Fill) -> None:
    data = fill(template)[0].encode()
    assert re2.compile(trigger(rule), byte_options()).search(data), "the pre-filter does not see it"
    assert [span.kind for span in Finder(rule).spans(data)]


@for_every("rule, template", _CASES)
def test_no_invented_value_of_an_example_survives(
    rule: RedactionRule, template: str, fill: Fill, redactor: Redactor
) -> None:
    text, values = fill(template)
    redacted = redactor.text(text)
    assert redacted != text
    secret = max(values, key=len, default="")
    assert len(secret) < 6 or secret not in redacted


@for_every("rule, template", _BENIGN)
def test_a_rule_leaves_benign_text(rule: RedactionRule, template: str, fill: Fill) -> None:
    assert list(Finder(rule).spans(fill(template)[0].encode())) == []


def test_ids_are_unique_and_fit_a_placeholder() -> None:
    ids = [rule.id for rule in rules()]
    assert len(ids) == len(set(ids))
    assert all(re2.fullmatch("[a-z][a-z0-9-]*", rule.type) for rule in rules())


def test_every_rule_says_what_it_is_and_shows_both_sides() -> None:
    assert set(SHOWN) == {rule.id for rule in rules()}
    assert [rule.id for rule in rules() if not (rule.description and all(SHOWN[rule.id].values()))] == []
    assert all(set(shown) == {"examples", "benign"} for shown in SHOWN.values())


def test_there_are_many_known_formats() -> None:
    assert len(rules()) >= 370
