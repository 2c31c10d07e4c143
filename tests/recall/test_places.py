"""Where work is likely to be."""

import pytest

from afterwit.recall.deck.prompt_tables import places_of
from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import KnownRepo, Question, clear, features, guess, without_forbidden


def _index(*sightings: PlaceSighting) -> PlaceIndex:
    return places_of(sightings, str)


def _changed(session: str, at_ms: int, *paths: str, text: str = "", branch: str = "") -> PlaceSighting:
    return PlaceSighting(session, text, paths, branch, at_ms)


def test_nothing_known_gives_no_guess() -> None:
    assert guess(KnownRepo(PlaceIndex(None)), Question("mend src/a.py")) == []


def test_a_path_in_the_prompt_comes_first() -> None:
    index = _index(_changed("a", 1, "web/page.py"), *(_changed(f"b{n}", 2 + n, "api/hub.py") for n in range(9)))
    assert guess(KnownRepo(index), Question("see web/page.py"))[0].path == "web/page.py"


def test_an_absolute_path_names_the_file_of_the_repository() -> None:
    index = _index(_changed("a", 1, "web/page.py"))
    assert features(KnownRepo(index), Question("see /home/me/shop/web/page.py"))["web/page.py"].path == 1.0


def test_a_longer_path_does_not_name_other_files_of_that_name() -> None:
    index = _index(_changed("a", 1, "web/types.py", "api/types.py"))
    found = features(KnownRepo(index), Question("edit api/types.py"))
    assert (found["api/types.py"].path, found["web/types.py"].path, found["web/types.py"].name) == (1.0, 0.0, 0.0)


def test_a_name_that_two_files_share_says_half_of_each() -> None:
    index = _index(_changed("a", 1, "web/types.py", "api/types.py"))
    assert {one.name for one in features(KnownRepo(index), Question("edit types.py")).values()} == {0.5}


def test_a_name_that_very_many_files_share_says_nothing_and_a_whole_path_all() -> None:
    index = _index(_changed("a", 1, *(f"row{number}/__init__.py" for number in range(70))))
    known = features(KnownRepo(index), Question("see row7/__init__.py, as in other __init__.py"))
    assert (known["row7/__init__.py"].path, {file.name for file in known.values()}) == (1.0, {0.0})


def test_the_later_change_wins_when_nothing_else_tells() -> None:
    others = [_changed(f"other{number}", number, f"c{number:02}.py") for number in range(20)]
    told = [_changed("new", 1002, "b.py", text="press"), _changed("old", 1001, "a.py", text="press")]
    assert [place.path for place in guess(KnownRepo(_index(*told, *others)), Question("press"))][:2] == ["b.py", "a.py"]


def test_while_few_files_are_known_nothing_is_said_unless_the_prompt_points_there() -> None:
    index = _index(_changed("new", 2, "shop/cart.py"), _changed("old", 1, "shop/till.py"))
    assert guess(KnownRepo(index), Question("can you look at the latest issue")) == []
    assert guess(KnownRepo(index), Question("the sum in cart.py is wrong"))[0].path == "shop/cart.py"


def test_a_file_that_hardly_anything_tells_of_is_not_named() -> None:
    index = _index(*(_changed(f"s{number}", number, f"{number:02}.py") for number in range(40)))
    assert "00.py" in features(KnownRepo(index), Question("go on"))
    assert all(place.path != "00.py" for place in guess(KnownRepo(index), Question("go on"), most=40))


def test_a_session_that_changed_many_files_says_less_of_each() -> None:
    many = [f"lib/m{number}.py" for number in range(16)]
    index = _index(_changed("a", 1, *many, text="invoice totals"), _changed("b", 1, "x.py", text="invoice totals"))
    found = features(KnownRepo(index), Question("invoice totals"))
    assert found["x.py"].alike > 2 * found["lib/m1.py"].alike


def test_files_of_the_same_branch_are_marked_but_not_those_of_the_trunk() -> None:
    index = _index(_changed("p", 1, "a.py", branch="fix"), _changed("q", 2, "b.py", branch="main"))
    assert features(KnownRepo(index), Question("go on", "fix"))["a.py"].branch == 1.0
    assert features(KnownRepo(index), Question("go on", "main"))["b.py"].branch == 0.0


def _orchard() -> KnownRepo:
    """Much work on a few files, and one file that little work changed."""
    work = [_changed(f"s{at}", at, "cider/press.py", f"rows/row{at}.py", text="turn the press") for at in range(20)]
    return KnownRepo(_index(*work, _changed("frost", 1, "field/frost.py", text="warn of frost")))


def test_what_changes_with_all_work_is_named_only_after_what_the_prompt_says() -> None:
    work = [_changed(f"s{at}", at, "STATE.md", "CHANGELOG.md", f"rows/{at}.py") for at in range(40)]
    repo = KnownRepo(_index(*work, _changed("frost", 1, "field/frost.py", text="warn of frost")))
    assert {place.path for place in guess(repo, Question("go on"))[:2]} == {"STATE.md", "CHANGELOG.md"}
    assert guess(repo, Question("the frost in the field"))[0].path == "field/frost.py"


@pytest.mark.parametrize(
    "prompt",
    [
        "let us get back to main",
        "rebase onto main, then push origin/main",
        "see https://git.example/press/main.py and go on",
    ],
)
def test_a_trunk_and_an_address_name_no_file(prompt: str) -> None:
    index = _index(_changed("a", 1, "cmd/main.py", "lib/press.py"))
    assert all(
        not (file.stem or file.name or file.words) for file in features(KnownRepo(index), Question(prompt)).values()
    )
    assert features(KnownRepo(index), Question("the fault is in main.py"))["cmd/main.py"].name == 1.0


def test_a_path_with_most_of_what_the_prompt_says_goes_before_habit_and_one_with_little_does_not() -> None:
    repo = _orchard()
    assert guess(repo, Question("frost"))[0].path == "field/frost.py"
    long = "turn the press longer when the barrel is nearly full and nobody watches the frost outside"
    assert guess(repo, Question(long))[0].path == "cider/press.py"


@pytest.mark.parametrize(
    "note",
    [
        "Never edit `cider/press.py` by hand",
        "Do not change press.py; change rows/row1.py instead",
        "`cider/press.py` is made by a tool, so it must not be edited",
        "You said: don't touch anything in cider/",
        "The press is delicate. cider/press.py: never modify it",
    ],
)
def test_what_a_note_forbids_to_change_is_not_named(note: str) -> None:
    repo, question = _orchard(), Question("turn the press in cider/press.py, as in rows/row1.py")
    assert guess(repo, question)[0].path == "cider/press.py"
    named = {place.path for place in guess(without_forbidden(repo, [note]), question)}
    assert "cider/press.py" not in named
    assert "rows/row1.py" in named


@pytest.mark.parametrize(
    "note", ["Run cider/press.py before you commit", "Never run cider/press.py", "Not all is well"]
)
def test_a_note_that_forbids_no_change_hides_nothing(note: str) -> None:
    repo, question = _orchard(), Question("turn the press in cider/press.py")
    assert guess(without_forbidden(repo, [note]), question) == guess(repo, question)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (Question("the cider press turns too long"), ["cider/press.py"]),
        (Question("turn it until the barrel is full"), []),  # work like this changed it, but no word points there
        (Question("the cider press in cider/press.py turns too long"), []),  # it says where
        (Question("the cider press turns too long, see pump.go"), []),  # so it does with a file that nobody knows
        (Question("press it"), []),  # it says too little
    ],
)
def test_a_session_is_told_what_its_prompt_points_at_and_does_not_say_already(
    question: Question, told: list[str]
) -> None:
    repo = _orchard()
    places = guess(repo, question)
    assert [place.path for place in clear(repo, question, places)] == told
    assert places


def test_a_session_is_not_told_files_that_are_hardly_likely() -> None:
    repo = KnownRepo(_index(*(_changed(f"s{at}", at, f"rows/{at % 13}.py", text="prune a row") for at in range(40))))
    question = Question("prune the next row of trees")
    assert guess(repo, question)
    assert clear(repo, question, guess(repo, question)) == []
