"""Wrong names are answered with the nearest right ones, and with none where none is near."""

import pytest

from afterwit.model.errors import ask_which, did_you_mean, nearest, nearest_ids

COMMANDS = ["learn", "sessions", "knowledge", "store"]
IDS = ["5ea50001-aaaa", "5ea50001-bbbb", "0c0de777-cccc"]


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("sesions", "Did you mean sessions?"),
        ("SESSIONS", "Did you mean sessions?"),
        ("lern", "Did you mean learn?"),
        ("harbour", ""),
        ("", ""),
    ],
)
def test_one_name_is_asked_about_or_none(name: str, question: str) -> None:
    assert did_you_mean(name, COMMANDS) == question


def test_the_name_is_written_as_the_caller_wants() -> None:
    assert did_you_mean("lern", COMMANDS, "`afterwit {}`".format) == "Did you mean `afterwit learn`?"


def test_several_names_are_one_question() -> None:
    assert ask_which(["a", "b", "c"]) == "Did you mean a, b or c?"
    assert ask_which([]) == ""


def test_names_that_differ_in_case_alone_are_both_near() -> None:
    assert nearest("orchad", ["Orchard", "orchard"], 5) == ["Orchard", "orchard"]


def test_ids_are_compared_by_as_much_as_was_typed() -> None:
    assert nearest_ids("5ea50002", IDS, 3) == IDS[:2]
    assert nearest_ids("5ea50002", IDS, 1) == IDS[:1]


@pytest.mark.parametrize("name", ["5ea", "ffffffff"])
def test_too_little_or_something_else_is_near_no_id(name: str) -> None:
    assert nearest_ids(name, IDS, 3) == []
