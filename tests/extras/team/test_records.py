"""Whatever the order in which lines come together, and however often, the same follows from them."""

from hypothesis import given
from hypothesis import strategies as st

from afterwit.extras.team.records import (
    LineKind,
    SharedLine,
    SharedWords,
    encode,
    line_in,
    next_clock,
    note_of,
    with_own,
)
from afterwit.model.knowledge import Category

NOW_MS = 1_780_000_000_000
DAY_MS = 86_400_000


@st.composite
def some_lines(draw: st.DrawFn) -> SharedLine:
    kind = draw(st.sampled_from([LineKind.NOTE, LineKind.APPROVED, LineKind.REJECTED]))
    fact = draw(st.sampled_from(["Press before noon.", "Press after noon."]))
    return SharedLine(
        kind=kind,
        by=draw(st.sampled_from(["ada", "grace", "joan"])),
        machine=draw(st.sampled_from(["m1", "m2", "m3"])),
        clock_ms=NOW_MS + draw(st.integers(-5, 5)),
        words=SharedWords(fact=fact, category=Category.FACT) if kind is LineKind.NOTE else None,
    )


@given(st.lists(some_lines()), st.randoms())
def test_what_follows_depends_on_the_lines_alone(lines: list[SharedLine], rng) -> None:  # type: ignore[no-untyped-def]
    mixed = [*lines, *lines]
    rng.shuffle(mixed)
    assert encode(mixed) == encode(lines)
    assert note_of("a", mixed, NOW_MS) == note_of("a", lines, NOW_MS)


@given(st.lists(some_lines()))
def test_a_file_gives_back_its_lines(lines: list[SharedLine]) -> None:
    assert {line_in(row) for row in encode(lines).splitlines()} == set(lines)


@given(st.lists(some_lines()), st.lists(some_lines()))
def test_a_machine_changes_its_own_lines_alone_and_once(lines: list[SharedLine], wanted: list[SharedLine]) -> None:
    own = [SharedLine(kind=line.kind, by="ada", machine="m1", clock_ms=NOW_MS + 9, words=line.words) for line in wanted]
    once = with_own(lines, own, "ada", "m1")
    others = [line for line in lines if (line.by, line.machine) != ("ada", "m1")]
    assert [line for line in once if (line.by, line.machine) != ("ada", "m1")] == others
    assert encode(with_own(once, own, "ada", "m1")) == encode(once)


@given(st.lists(some_lines(), min_size=1))
def test_a_new_line_comes_after_all_that_were_read(lines: list[SharedLine]) -> None:
    assert next_clock([lines], NOW_MS) > max(line.clock_ms for line in lines) or next_clock([lines], NOW_MS) == NOW_MS


def test_a_clock_that_is_far_ahead_waits_and_pushes_nobody_else_ahead() -> None:
    words = SharedWords(fact="Press before noon.", category=Category.FACT)
    usual = SharedLine(kind=LineKind.NOTE, by="ada", machine="m1", clock_ms=NOW_MS, words=words)
    ahead = SharedLine(kind=LineKind.REJECTED, by="joan", machine="m3", clock_ms=NOW_MS + 400 * DAY_MS)
    note = note_of("a", [usual, ahead], NOW_MS)
    assert note is not None
    assert note.rejected_by == ""
    assert next_clock([[usual, ahead]], NOW_MS) == NOW_MS + 1
    later = note_of("a", [usual, ahead], NOW_MS + 400 * DAY_MS)
    assert later is not None
    assert later.rejected_by == "joan"
