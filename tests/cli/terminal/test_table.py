"""Tables: narrower terminals get fewer columns, or folded cells; a pipe gets all."""

import pytest

from afterwit.cli.terminal.table import Column, draw_table, print_table

COLUMNS = (
    Column("id"),
    Column("when", gives_way=1, most=10),
    Column("note", gives_way=3),
    Column("title", takes_rest=True),
    Column("cost", is_number=True),
)
ROWS = [
    ("a1", "2026-05-01 10:00", "red", "Prune the apples in the third row before it rains", "$1.00"),
    ("b2", "2026-05-02 11:00", "", "Pick plums", "$12.50"),
]


def test_a_pipe_gets_everything() -> None:
    lines = draw_table(COLUMNS, ROWS, None)
    assert "Prune the apples in the third row before it rains" in lines[2]
    assert "2026-05-01 10:00  red" in lines[2]


@pytest.mark.parametrize("width", [120, 80, 60, 50, 45])
def test_a_table_fits(width: int) -> None:
    assert max(len(line) for line in draw_table(COLUMNS, ROWS, width)) <= width


def test_the_least_important_column_goes_first() -> None:
    heading = draw_table(COLUMNS, ROWS, 48)[0].split()
    assert heading == ["id", "when", "title", "cost"]
    assert draw_table(COLUMNS, ROWS, 48)[2].split()[:2] == ["a1", "2026-05-01"]


def test_a_cut_sentence_is_marked_also_where_a_word_ends() -> None:
    columns = (Column("id"), Column("fact", takes_rest=True, most_lines=1))
    assert [line.endswith("…") for line in draw_table(columns, [("a", "one two three four five six")], 12)[2:]] == [
        True
    ]
    for width in range(6, 30):
        (line,) = draw_table(columns, [("a", "one two three four five six")], width)[2:]
        assert line.endswith(("…", "six"))


def test_a_column_that_needs_more_room_makes_others_leave_earlier() -> None:
    columns = (*COLUMNS[:3], Column("title", takes_rest=True, least=40), COLUMNS[4])
    assert draw_table(columns, ROWS, 60)[0].split() == ["id", "title", "cost"]


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_a_sentence_is_wrapped_and_nothing_of_it_is_lost(width: int) -> None:
    columns = (Column("id"), Column("fact", takes_rest=True))
    lines = draw_table(columns, [("a1", ROWS[0][3]), ("b2", "Pick plums")], width)[2:]
    assert max(map(len, lines)) <= width
    assert " ".join(line[4:].strip() for line in lines[:-1]) == ROWS[0][3]
    assert [line[:2] for line in lines if line[:2].strip()] == ["a1", "b2"]


def test_a_title_takes_only_the_lines_that_it_may() -> None:
    columns = (Column("id"), Column("title", takes_rest=True, most_lines=2))
    assert draw_table(columns, [("a1", ROWS[0][3])], 24)[2:] == ["a1  Prune the apples in", "    the third row befor…"]


def test_what_failed_is_red_only_where_there_are_colours() -> None:
    columns = (Column("id"), Column("failed", is_number=True, is_bad=lambda text: text != "0"))
    rows = [("a", "3"), ("b", "0")]
    assert "\x1b" not in "".join(draw_table(columns, rows, 80))
    assert [("\x1b[31m" in line) for line in draw_table(columns, rows, 80, is_coloured=True)] == [
        False,
        False,
        True,
        False,
    ]


def test_numbers_stand_to_the_right() -> None:
    assert [line[-6:] for line in draw_table(COLUMNS, ROWS, 120)[2:]] == [" $1.00", "$12.50"]


def test_an_empty_column_is_left_out_where_it_may_give_way() -> None:
    rows = [(*row[:2], "", *row[3:]) for row in ROWS]
    assert "note" not in draw_table(COLUMNS, rows, None)[0]


def test_what_terminals_would_obey_is_not_drawn() -> None:
    assert "\x1b" not in "".join(draw_table((Column("x"),), [("\x1b[31mred",)], None))


def test_columns_that_say_nothing_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    columns = (Column("name"), Column("failed", gives_way=1), Column("note", gives_way=1))
    print_table(columns, [("a", 0, ""), ("b", 0, "")])
    assert capsys.readouterr().out.splitlines()[0] == "name"


def test_markup_in_a_cell_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table((Column("name"),), [("[red]:apple:[/red]",)])
    assert "[red]:apple:[/red]" in capsys.readouterr().out


def test_long_cells_are_whole_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_table((Column("name"), Column("note")), [("a", "x" * 5000)])
    assert "x" * 5000 in capsys.readouterr().out


def test_a_table_without_a_column_for_the_rest_loses_nothing_however_narrow() -> None:
    columns = (Column("name"), Column("note"))
    lines = draw_table(columns, [("apples", "one two three four five")], 12)
    assert max(map(len, lines)) <= 12
    assert sorted("".join(lines[2:]).replace(" ", "")) == sorted("applesonetwothreefourfive")
