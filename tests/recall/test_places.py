"""Where work is likely to be."""

from afterwit.recall.place_index import PlaceIndex, PlaceSighting
from afterwit.recall.places import KnownRepo, Question, features, guess


def _index(*sightings: PlaceSighting) -> PlaceIndex:
    index = PlaceIndex()
    for sighting in sightings:
        index.put(sighting)
    return index


def _changed(session: str, at_ms: int, *paths: str, text: str = "", branch: str = "") -> PlaceSighting:
    return PlaceSighting(session, text, dict.fromkeys(paths, ()), branch, at_ms)


def test_nothing_known_gives_no_guess() -> None:
    assert guess(KnownRepo(PlaceIndex()), Question("mend src/a.py")) == []


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


def test_files_of_the_same_branch_and_of_the_parent_are_marked_but_not_those_of_the_trunk() -> None:
    index = _index(_changed("p", 1, "a.py", branch="fix"), _changed("q", 2, "b.py", branch="main"))
    assert features(KnownRepo(index), Question("go on", "fix", "p"))["a.py"][-2:] == (1.0, 1.0)
    assert features(KnownRepo(index), Question("go on", "main"))["b.py"].branch == 0.0
