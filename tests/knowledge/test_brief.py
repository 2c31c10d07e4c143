"""The page follows from what was compiled and from what people changed on it."""

from itertools import count

import msgspec
import pytest
from tests.knowledge.drafting import ORCHARD, piece
from tests.recall.knowing import item, line, page, read

from afterwit.knowledge.brief import Page, edit_of, notes_of_lines, pages_of, rests_on, told_lines, versions_of
from afterwit.knowledge.whose_words import Listener
from afterwit.model.brief import Heading, Line
from afterwit.model.knowledge import Channel, Item
from afterwit.store.decisions import BriefCompiled, BriefEdited, JournalEntry, KnowledgeEntry, in_force

REPO = ORCHARD.name
_numbers = count(1)


def _entry(kind: KnowledgeEntry, body: object) -> JournalEntry:
    number = next(_numbers)
    return JournalEntry("here", number, number, kind, msgspec.to_builtins(body))


def _compiled(*lines: Line, repo: str = REPO) -> JournalEntry:
    notes = tuple(dict.fromkeys(note for each in lines for note in each.notes))
    made = BriefCompiled(request="r", repo=repo, items=notes, until_ms=1, model="m", prompt="1", checks=1, lines=lines)
    return _entry(KnowledgeEntry.COMPILED, made)


def _edited(before: Page, *texts: str, heading: Heading = Heading.TRAP) -> JournalEntry:
    """A person leaves these lines below a heading, and all others as they are."""
    wanted = {each: [line.text for line in before.lines if line.heading is each] for each in Heading}
    return _entry(KnowledgeEntry.BRIEF_EDITED, edit_of(before, {**wanted, heading: list(texts)}))


def _page(*entries: JournalEntry) -> Page:
    return pages_of(entries)[REPO]


def _texts(there: Page, heading: Heading | None = Heading.TRAP) -> list[str]:
    return [line.text for line in there.lines if line.heading is heading]


A, B, C = line("Oil the belt.", Heading.TRAP, "a"), line("Mind the mill.", Heading.TRAP, "b"), line("Stack.", None, "c")


def test_of_several_compilations_the_last_counts_and_each_is_a_version() -> None:
    entries = [_compiled(A, B), _compiled(A, C), _compiled(B, repo="elsewhere")]
    assert _page(*entries).lines == (A, C)
    assert [there.lines for _, there in versions_of(entries, REPO)] == [(A, B), (A, C)]
    assert _page(*entries).asked == {"a", "c"}
    assert pages_of(entries).keys() == {REPO, "elsewhere"}


def test_headings_stand_in_their_order_and_what_waits_for_a_trigger_comes_last() -> None:
    must = line("Lint.", Heading.MUST, "d")
    assert _page(_compiled(C, A, must)).lines == (must, A, C)


def test_a_compilation_that_was_taken_back_leaves_the_one_before() -> None:
    first, second = _compiled(A), _compiled(B)
    undone = _entry(KnowledgeEntry.UNDONE, {"machine": "here", "number": second.number})
    assert _page(*in_force([first, second, undone])).lines == (A,)


def test_an_edit_that_was_taken_back_leaves_the_page_as_it_was() -> None:
    first = _compiled(A, B)
    edit = _edited(_page(first), "My own.", B.text)
    undone = _entry(KnowledgeEntry.UNDONE, {"machine": "here", "number": edit.number})
    assert _texts(_page(first, edit)) == ["My own.", B.text]
    assert _page(*in_force([first, edit, undone])).lines == (A, B)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_persons_line_keeps_its_words_and_its_place_through_ten_compilations(place: int) -> None:
    own = "Wear  gloves, “always” — says `the cellar`!"
    texts = [A.text, B.text]
    texts.insert(place, own)
    entries = [_compiled(A, B)]
    entries.append(_edited(_page(*entries), *texts))
    for size in (7, 2, 12, 3, 9, 2, 30, 5, 4, 6):
        lines = [line(f"Trap {size} {at}.", Heading.TRAP, f"n{size}-{at}") for at in range(size)]
        entries.append(_compiled(*lines, line("Elsewhere.", Heading.MUST, "m")))
        there = _texts(_page(*entries))
        assert there[place] == own
        assert len(there) == size + 1


def test_several_lines_of_a_person_keep_their_places_among_each_other() -> None:
    entries = [_compiled(A, B)]
    entries.append(_edited(_page(*entries), "First.", A.text, "Third.", B.text, "Fifth."))
    entries.append(_compiled(*(line(f"Trap {at}.", Heading.TRAP, f"n{at}") for at in range(9))))
    assert [at for at, text in enumerate(_texts(_page(*entries))) if text in ("First.", "Third.", "Fifth.")] == [
        0,
        2,
        4,
    ]
    entries.append(_compiled())
    assert _texts(_page(*entries)) == ["First.", "Third.", "Fifth."]


def test_what_a_person_took_out_comes_back_neither_in_these_words_nor_of_the_same_notes() -> None:
    entries = [_compiled(A, B)]
    entries.append(_edited(_page(*entries), B.text))
    for again in (A, line("oil the belt", Heading.TRAP, "x"), line("The belt wants oil.", Heading.TRAP, "a")):
        assert _texts(_page(*entries, _compiled(again, B))) == [B.text]
    other = line("The belt of the mill is new.", Heading.TRAP, "a", "z")
    assert _texts(_page(*entries, _compiled(other, B))) == [other.text, B.text]


def test_what_a_person_writes_again_is_no_longer_taken_out() -> None:
    entries = [_compiled(A, B)]
    entries.append(_edited(_page(*entries), B.text))
    entries.append(_edited(_page(*entries), B.text, A.text))
    assert _texts(_page(*entries)) == [B.text, A.text]
    assert _page(*entries).removed == ()


def test_a_page_that_comes_back_as_it_was_is_no_edit() -> None:
    there = _page(_compiled(A, B, line("Lint.", Heading.MUST, "d")))
    wanted = {each: _texts(there, each) for each in Heading}
    assert edit_of(there, wanted) == BriefEdited(repo=REPO)


def _edit(*texts: str) -> BriefEdited:
    return edit_of(page(A, B), {Heading.TRAP: texts})


def test_a_new_line_is_a_persons_and_rests_on_nothing() -> None:
    edit = _edit(A.text, "Feed the geese at dawn.", B.text)
    (put,) = edit.put
    assert (put.text, put.at, put.notes, put.is_own, put.heading) == (
        "Feed the geese at dawn.",
        1,
        (),
        True,
        Heading.TRAP,
    )
    assert edit.removed == ()


def test_a_changed_line_is_a_persons_and_rests_on_what_it_rested_on() -> None:
    edit = _edit("Oil the belt twice.", B.text)
    (put,) = edit.put
    assert (put.text, put.notes, put.is_own) == ("Oil the belt twice.", A.notes, True)
    assert [gone.text for gone in edit.removed] == [A.text]
    assert _texts(page(A, B).after(_entry(KnowledgeEntry.BRIEF_EDITED, edit))) == ["Oil the belt twice.", B.text]


def test_a_line_that_is_no_longer_there_is_taken_out() -> None:
    assert _edit(B.text) == BriefEdited(repo=REPO, removed=(A,))


def test_a_moved_line_becomes_a_persons_where_it_stands_now() -> None:
    edit = _edit(B.text, A.text)
    assert len(edit.put) == 1
    assert edit.removed == ()
    there = page(A, B).after(_entry(KnowledgeEntry.BRIEF_EDITED, edit))
    assert _texts(there) == [B.text, A.text]
    assert len(there.lines) == 2


def test_a_line_that_is_moved_below_another_heading_stands_there_alone() -> None:
    edit = edit_of(page(A, B), {Heading.TRAP: [B.text], Heading.MUST: [A.text]})
    there = page(A, B).after(_entry(KnowledgeEntry.BRIEF_EDITED, edit))
    assert [(each.heading, each.text) for each in there.lines] == [(Heading.MUST, A.text), (Heading.TRAP, B.text)]
    again = there.after(_compiled(A, B))
    assert [(each.heading, each.text) for each in again.lines] == [(Heading.MUST, A.text), (Heading.TRAP, B.text)]


def test_notes_are_those_of_every_line_that_ever_was() -> None:
    entries = [_compiled(A, B), _compiled(C)]
    assert notes_of_lines(entries) == {A.id: ("a",), B.id: ("b",), C.id: ("c",)}


def _told(there: Page, *items: Item, to: Listener | None = None) -> list[tuple[str, bool]]:
    return [(told.line.text, told.is_seen) for told in told_lines(there, items, to or Listener())]


def test_a_line_is_told_as_far_as_its_least_trusted_note() -> None:
    said, seen = read("Oil the belt."), read("The belt squeaks.", Channel.ASSISTANT)
    ran = read("Run `make oil`.", Channel.OUTCOME)
    assert _told(page(line("A", Heading.TRAP, said, ran)), said, ran) == [("A", False)]
    assert _told(page(line("A", Heading.TRAP, said, seen)), said, seen) == [("A", True)]
    approved = msgspec.structs.replace(seen, is_decided=True)
    assert _told(page(line("A", Heading.TRAP, said, approved)), said, approved) == [("A", False)]


def test_a_line_of_which_a_note_is_gone_or_names_none_is_not_told() -> None:
    here, gone = read("Oil the belt."), read("It squeaks.")
    assert _told(page(line("A", Heading.TRAP, here, gone), line("B", Heading.TRAP)), here) == []


def test_a_line_rests_on_the_note_that_its_own_was_merged_into() -> None:
    head = msgspec.structs.replace(read("Oil the belt."), merged=("older",))
    (told,) = told_lines(page(line("A", Heading.TRAP, "older")), [head], Listener())
    assert (told.items, rests_on(told)) == ((head,), "said once")


def test_the_words_of_another_person_are_not_told_by_way_of_a_line() -> None:
    ref = piece("s0", channel=Channel.USER)
    evidence = (msgspec.structs.replace(ref, session=msgspec.structs.replace(ref.session, user="gardener")),)
    wish = item("Prune early.", channel=Channel.USER, evidence=evidence)
    there = page(line("Prune early.", Heading.WISH, wish))
    assert _told(there, wish) == [("Prune early.", False)]
    assert _told(there, wish, to=Listener(frozenset({"gardener"}))) == []


def test_a_persons_line_is_told_whatever_became_of_its_notes() -> None:
    own = line("Oil the belt twice.", Heading.TRAP, "gone", is_own=True)
    (told,) = told_lines(page(own=(own,)), [], Listener())
    assert (told.line, rests_on(told)) == (own, "written by a person")
