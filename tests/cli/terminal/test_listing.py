"""Tables with one line per row: narrower terminals get fewer columns."""

import pytest

from afterwit.cli.terminal.listing import Column, drawn

COLUMNS = (
    Column("id"),
    Column("when", gives_way=1, most=10),
    Column("note", gives_way=3),
    Column("title", is_cut=True),
    Column("cost", is_number=True),
)
ROWS = [
    ("a1", "2026-05-01 10:00", "red", "Prune the apples in the third row before it rains", "$1.00"),
    ("b2", "2026-05-02 11:00", "", "Pick plums", "$12.50"),
]


def test_a_pipe_gets_everything() -> None:
    lines = drawn(COLUMNS, ROWS, None)
    assert "Prune the apples in the third row before it rains" in lines[2]
    assert "2026-05-01 10:00  red" in lines[2]


@pytest.mark.parametrize("width", [120, 80, 60, 50, 45])
def test_a_table_fits(width: int) -> None:
    assert max(len(line) for line in drawn(COLUMNS, ROWS, width)) <= width


def test_the_least_important_column_goes_first() -> None:
    heading = drawn(COLUMNS, ROWS, 48)[0].split()
    assert heading == ["id", "when", "title", "cost"]
    assert drawn(COLUMNS, ROWS, 48)[2].split()[:2] == ["a1", "2026-05-01"]


def test_a_cut_sentence_is_marked_also_where_a_word_ends() -> None:
    columns = (Column("id"), Column("fact", is_cut=True))
    assert [line.endswith("…") for line in drawn(columns, [("a", "one two three four five six")], 12)[2:]] == [True]
    for width in range(6, 30):
        (line,) = drawn(columns, [("a", "one two three four five six")], width)[2:]
        assert line.endswith(("…", "six"))


def test_a_column_that_needs_more_room_makes_others_leave_earlier() -> None:
    columns = (*COLUMNS[:3], Column("title", is_cut=True, least=40), COLUMNS[4])
    assert drawn(columns, ROWS, 60)[0].split() == ["id", "title", "cost"]


def test_numbers_stand_to_the_right() -> None:
    assert [line[-6:] for line in drawn(COLUMNS, ROWS, 80)[2:]] == [" $1.00", "$12.50"]


def test_an_empty_column_is_left_out_where_it_may_give_way() -> None:
    rows = [(*row[:2], "", *row[3:]) for row in ROWS]
    assert "note" not in drawn(COLUMNS, rows, None)[0]


def test_what_terminals_would_obey_is_not_drawn() -> None:
    assert "\x1b" not in "".join(drawn((Column("x"),), [("\x1b[31mred",)], None))
