"""What people want of an item follows from what they decided, whatever the order in which it is read."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import draft
from tests.thoroughness import examples

from afterwit.model.knowledge import EVERYWHERE, Category, Trigger
from afterwit.store.decisions import Decision, DecisionKind, ItemChanges, will_of

APPROVE, REJECT, RETIRE, PIN, UNPIN, EDIT = (
    DecisionKind.APPROVE,
    DecisionKind.REJECT,
    DecisionKind.RETIRE,
    DecisionKind.PIN,
    DecisionKind.UNPIN,
    DecisionKind.EDIT,
)


def made(*kinds: DecisionKind) -> list[Decision]:
    return [Decision(at_ms, kind) for at_ms, kind in enumerate(kinds)]


def test_a_pin_brings_back_what_was_taken_out() -> None:
    for verdict in (REJECT, RETIRE):
        will = will_of(made(verdict, PIN))
        assert (will.is_pinned, will.why_out, will.is_approved) == (True, "", True)


def test_what_is_taken_out_loses_its_pin() -> None:
    will = will_of(made(PIN, REJECT))
    assert (will.is_pinned, will.why_out) == (False, "rejected by a person")
    assert not will_of(made(PIN, REJECT, APPROVE)).is_pinned


def test_an_approval_leaves_the_pin_and_a_pin_leaves_the_approval() -> None:
    assert will_of(made(PIN, APPROVE)).is_pinned
    assert will_of(made(APPROVE, PIN, UNPIN)).is_approved


def test_an_edit_changes_what_it_names_and_nothing_else() -> None:
    one = draft("Keep functions small.", category=Category.PATTERN, advice="make lint")
    changes = ItemChanges(scope=EVERYWHERE, triggers=(Trigger(rule="E501"),))
    edited = changes.apply(one)
    assert (edited.scope, edited.triggers) == (EVERYWHERE, (Trigger(rule="E501"),))
    assert (edited.sentence, edited.category, edited.advice) == (one.sentence, one.category, one.advice)


def test_triggers_and_advice_can_be_taken_away() -> None:
    one = draft(triggers=(Trigger(rule="E501"),), advice="make lint")
    edited = ItemChanges(triggers=(), advice="").apply(one)
    assert (edited.triggers, edited.advice) == ((), "")


def test_of_two_edits_the_later_has_the_last_word_on_each_field() -> None:
    first = Decision(1, EDIT, ItemChanges(sentence="Use `make`.", category=Category.FACT))
    second = Decision(2, EDIT, ItemChanges(category=Category.PITFALL))
    assert will_of([second, first]).changes == ItemChanges(sentence="Use `make`.", category=Category.PITFALL)


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(DecisionKind))), st.randoms(use_true_random=False))
def test_the_order_in_which_decisions_are_read_does_not_matter(
    kinds: list[tuple[int, DecisionKind]], rng: object
) -> None:
    decisions = [Decision(*one) for one in kinds]
    mixed = list(decisions)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    assert will_of(mixed) == will_of(decisions)
    assert not (will_of(mixed).is_pinned and will_of(mixed).why_out)
