"""The index of a repository's files: what is read, what is found, and what it survives."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.capture.indexes import answers, answers_at, common, raw_text, terms, words_in
from tests.sources.repositories import commit_on_top, commit_row, git, repository
from tests.thoroughness import examples

from afterwit.capture import tree_index
from afterwit.capture.tree_index import TreeIndex, update_tree
from afterwit.capture.tree_words import VERSION
from afterwit.redaction.redaction import Redactor
from afterwit.sources.gathering import SourceError
from afterwit.sources.git import Blob, beginnings

PRESS = b"def press_apples():\n    return quince\n"
SHELF = b"class Shelf:\n    ladder = None\n"


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return repository(tmp_path / "orchard")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "trees" / "orchard.db"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files whose contents were read, in order."""
    seen: list[str] = []

    def counted(git_dir: Path, wanted: Sequence[Blob], most_bytes: int) -> Iterator[bytes]:
        seen.extend(blob.path for blob in wanted)
        return beginnings(git_dir, wanted, most_bytes)

    monkeypatch.setattr(tree_index, "beginnings", counted)
    return seen


def found(index: Path, word: str) -> list[str]:
    with words_in(index) as words:
        return sorted(words.paths(list(words.holders(word))).values())


def test_a_file_is_found_by_its_words_its_path_and_its_name(git_dir: Path, index: Path) -> None:
    made = commit_on_top(git_dir, {"cellar/shelf.py": SHELF, "press/apples.py": PRESS})
    assert update_tree(index, git_dir, made, str) == (2, 2)
    assert found(index, "quince") == ["press/apples.py"]
    with words_in(index) as words:
        assert words.size() == 2
        assert list(words.paths(list(words.holders("/cellar"))).values()) == ["cellar/shelf.py"]
        assert words.named("shelf.py") == ["cellar/shelf.py"]
        assert (len(words.holders("ladd")), len(words.holders("nothing"))) == (1, 0)


def test_a_file_is_read_once_however_often_it_is_committed(git_dir: Path, index: Path, read: list[str]) -> None:
    for number in range(5):
        made = commit_on_top(git_dir, {"press.py": PRESS, "notes.txt": f"row {number}".encode()})
        update_tree(index, git_dir, made, str)
    assert (read.count("press.py"), read.count("notes.txt")) == (1, 5)
    assert found(index, "quince") == ["press.py"]


def test_a_revert_finds_the_old_words_again_without_reading(git_dir: Path, index: Path, read: list[str]) -> None:
    for body in (PRESS, SHELF, PRESS):
        update_tree(index, git_dir, commit_on_top(git_dir, {"press.py": body}), str)
    assert read == ["press.py"] * 2
    assert (found(index, "quince"), found(index, "ladd")) == (["press.py"], [])


def test_nothing_is_done_where_the_commit_is_indexed_already(git_dir: Path, index: Path, read: list[str]) -> None:
    made = commit_on_top(git_dir, {"press.py": PRESS})
    update_tree(index, git_dir, made, str)
    before = index.stat()
    assert update_tree(index, git_dir, made, str) is None
    assert (index.stat(), read) == (before, ["press.py"])
    assert [path.name for path in index.parent.iterdir()] == [index.name]


def test_a_deleted_file_is_not_found_and_a_renamed_one_under_its_new_path(git_dir: Path, index: Path) -> None:
    trees = [{"press.py": PRESS, "shelf.py": SHELF}, {"cider/mill.py": PRESS}]
    for made in commit_row(git_dir, trees):
        update_tree(index, git_dir, made, str)
    assert (found(index, "quince"), found(index, "ladd")) == (["cider/mill.py"], [])
    with words_in(index) as words:
        assert (words.named("press.py"), words.named("mill.py"), words.size()) == ([], ["cider/mill.py"], 1)


def test_two_files_with_the_same_contents_are_both_found(git_dir: Path, index: Path) -> None:
    update_tree(index, git_dir, commit_on_top(git_dir, {"a.py": PRESS, "b.py": PRESS}), str)
    assert found(index, "quince") == ["a.py", "b.py"]


def test_the_words_of_a_file_that_changes_often_do_not_become_common(git_dir: Path, index: Path) -> None:
    trees = [{"press.py": PRESS + f"row = {number}\n".encode(), "shelf.py": SHELF} for number in range(40)]
    for made in commit_row(git_dir, trees):
        update_tree(index, git_dir, made, str)
    assert found(index, "quince") == ["press.py"]
    with words_in(index) as words:
        assert words.named("press.py") == ["press.py"]


def test_a_word_that_very_many_files_hold_tells_nothing_and_a_name_always_does(git_dir: Path, index: Path) -> None:
    files = {f"row{number}/__init__.py": f"quince pear{number % 9}".encode() for number in range(50)}
    first, second = commit_row(git_dir, [files, files | {"last/__init__.py": b"quince"}])
    for made in (first, second):
        update_tree(index, git_dir, made, str)
        assert found(index, "quince") == []
        with words_in(index) as words:
            assert len(words.named("__init__.py")) == words.size()
    assert len(found(index, "pear3")) == 6


_WORDS = ("quince", "press", "cellar", "ladder", "basket", "prune", "mill", "harrow")
_TREES = st.dictionaries(
    st.sampled_from(("a.py", "b.py", "press/a.py", "press/mill.rs", "cellar/shelf.md", "basket.txt")),
    st.lists(st.sampled_from(_WORDS), max_size=6).map(lambda words: "\n".join(words).encode()),
    max_size=6,
)


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository for many histories, each on a branch of its own."""
    return repository(tmp_path_factory.mktemp("field"))


def _grown(field: Path, trees: Sequence[Mapping[str, bytes]], numbers: Iterator[int] = count()) -> list[str]:  # noqa: B008
    return commit_row(field, trees, ref=f"refs/heads/h{next(numbers)}")


@pytest.mark.parametrize("spare", [2, 500])
@given(st.lists(_TREES, min_size=1, max_size=7))
@settings(max_examples=examples(12), deadline=None)
def test_after_any_edits_an_index_answers_like_a_new_one(
    field: Path, spare: int, trees: list[dict[str, bytes]]
) -> None:
    git_dir, made = field, _grown(field, trees)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree_index, "_SPARE", spare)
        with closing(apsw.Connection(":memory:")) as old, closing(apsw.Connection(":memory:")) as new:
            kept = TreeIndex(old, str)
            for commit in made:
                kept.update(git_dir, commit)
            TreeIndex(new, str).update(git_dir, made[-1])
            assert answers(old) == answers(new)
            assert common(old) == set()


@given(st.lists(_TREES, min_size=1, max_size=7))
@settings(max_examples=examples(12), deadline=None)
def test_after_any_edits_words_that_are_not_common_are_answered_alike(
    field: Path, trees: list[dict[str, bytes]]
) -> None:
    git_dir, made = field, _grown(field, trees)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tree_index, "_SPARE", 3)
        patched.setattr(tree_index, "_FEW", 2)
        patched.setattr(tree_index, "_BATCH_FILES", 2)
        with closing(apsw.Connection(":memory:")) as old, closing(apsw.Connection(":memory:")) as new:
            kept = TreeIndex(old, str)
            for commit in made:
                kept.update(git_dir, commit)
            TreeIndex(new, str).update(git_dir, made[-1])
            silent = common(old) | common(new)
            left, right = (
                {term: files for term, files in answers(db).items() if term not in silent} for db in (old, new)
            )
            assert left == right
            assert common(new) <= common(old)


def test_renumbering_reads_nothing_and_forgets_what_is_out_of_use(
    git_dir: Path, index: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_index, "_SPARE", 5)
    trees = [{f"row{at}.py": f"pear apple tree{letter}".encode() for at in range(4)} for letter in "abcdef"]
    for made in commit_row(git_dir, [*trees, trees[0]]):
        update_tree(index, git_dir, made, str)
    with closing(apsw.Connection(str(index))) as db:
        assert next(db.execute("SELECT count(*), max(number) FROM files"))[0] <= 4 + 5 + 1
        assert sum(map(len, terms(db).values())) < 4 * 3 * 6
    assert len(read) <= len(trees) * 4 + 4
    assert found(index, "treea") == [f"row{at}.py" for at in range(4)]


def _stops_after(calls: int) -> Callable[[], bool]:
    left = count(calls, -1)
    return lambda: next(left) > 0


@pytest.fixture
def large(git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A commit with files for several batches."""
    monkeypatch.setattr(tree_index, "_BATCH_FILES", 3)
    (made,) = commit_row(git_dir, [{f"row{at}.py": f"pear tree{chr(97 + at)}".encode() for at in range(11)}])
    return made


def test_what_was_stopped_is_gone_on_with(git_dir: Path, index: Path, large: str, read: list[str]) -> None:
    update_tree(index, git_dir, large, str, proceed=_stops_after(2))
    assert not index.exists()
    assert len(read) == 6
    update_tree(index, git_dir, large, str)
    assert sorted(read) == sorted(f"row{at}.py" for at in range(11))
    update_tree(whole := index.with_name("whole.db"), git_dir, large, str)
    assert answers_at(index) == answers_at(whole)
    assert not list(index.parent.glob("*.new"))


def test_who_reads_meanwhile_sees_the_old_tree(git_dir: Path, index: Path, large: str) -> None:
    update_tree(index, git_dir, large, str)
    before = answers_at(index)
    changed = commit_on_top(git_dir, {f"other{at}.py": b"quince" for at in range(9)})
    update_tree(index, git_dir, changed, str, proceed=_stops_after(1))
    assert answers_at(index) == before
    update_tree(index, git_dir, large, str)  # back again, before the other was ready
    assert answers_at(index) == before
    update_tree(index, git_dir, changed, str)
    assert len(found(index, "quince")) == 9


def test_killed_between_two_batches_nothing_is_lost(git_dir: Path, index: Path, large: str, read: list[str]) -> None:
    class Killed(BaseException):
        pass

    calls = count()

    def killed() -> bool:
        if next(calls) == 2:
            raise Killed
        return True

    with pytest.raises(Killed):
        update_tree(index, git_dir, large, str, proceed=killed)
    done = len(read)
    update_tree(index, git_dir, large, str)
    assert (done, len(read)) == (6, 11)
    update_tree(whole := index.with_name("whole.db"), git_dir, large, str)
    assert answers_at(index) == answers_at(whole)


def test_a_file_whose_contents_are_missing_is_left_out(git_dir: Path, index: Path) -> None:
    made = commit_on_top(git_dir, {"press.py": PRESS, "shelf.py": SHELF})
    name = git(git_dir, "rev-parse", f"{made}:press.py")
    (git_dir / "objects" / name[:2] / name[2:]).unlink()
    update_tree(index, git_dir, made, str)
    with words_in(index) as words:
        assert (words.size(), words.named("press.py"), words.named("shelf.py")) == (1, [], ["shelf.py"])


def test_a_commit_that_is_not_there_changes_nothing(git_dir: Path, index: Path) -> None:
    update_tree(index, git_dir, commit_on_top(git_dir, {"press.py": PRESS}), str)
    with pytest.raises(SourceError):
        update_tree(index, git_dir, "1" * 40, str)
    assert found(index, "quince") == ["press.py"]


def test_a_tree_that_has_outgrown_its_index_gets_a_larger_one(
    git_dir: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_index, "_BUCKET_TEXT", 100)
    small, large = commit_row(git_dir, [{"press.py": PRESS}, {"press.py": PRESS, "rows.txt": b"pear apple " * 900}])
    buckets: list[int] = []
    for made in (small, large, small):
        update_tree(index, git_dir, made, str)
        assert found(index, "quince") == ["press.py"]
        with closing(apsw.Connection(str(index))) as db:
            buckets += next(db.execute("SELECT value FROM facts WHERE name = 'buckets'"))
    assert buckets == [16, 99, 99]


@pytest.mark.parametrize("change", ["version", "rules"])
def test_another_version_or_other_rules_make_it_anew(
    git_dir: Path, index: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    made = commit_on_top(git_dir, {"press.py": PRESS})
    update_tree(index, git_dir, made, str, "rules 1")
    update_tree(index, git_dir, made, str, "rules 1")
    assert read == ["press.py"]
    if change == "version":
        monkeypatch.setattr(tree_index, "VERSION", VERSION + 1)
    update_tree(
        index, git_dir, made, lambda text: text.replace("quince", ""), "rules 2" if change == "rules" else "rules 1"
    )
    assert read == ["press.py"] * 2
    with closing(apsw.Connection(str(index))) as db:
        assert (db.pragma("user_version"), "quince" in terms(db)) == (VERSION + (change == "version"), False)


def _garbage(body: bytes, rng: random.Random) -> Iterator[bytes]:
    yield b""
    yield b"no database at all" * 100
    yield from (body[: len(body) * part // 7] for part in range(1, 7))
    for _ in range(16):
        flipped = bytearray(body)
        for _ in range(8):
            flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        yield bytes(flipped)


def test_a_damaged_index_is_no_error_for_who_reads_or_writes(git_dir: Path, index: Path) -> None:
    files = {f"row{at}/tree.py": f"pear tree{at} {'quince' if at == 3 else ''}".encode() for at in range(30)}
    first, second = commit_row(git_dir, [files, files | {"press.py": PRESS}])
    update_tree(index, git_dir, first, str)
    body = index.read_bytes()
    for damaged in _garbage(body, random.Random("damage")):
        index.write_bytes(damaged)
        with words_in(index) as words:
            words.look_up(["quince", "pear"])
            words.paths([*words.holders("quince"), *words.holders("pear")])
            words.named("tree.py")
        update_tree(index, git_dir, second, str)
        assert "press.py" in found(index, "quince")
        with words_in(index) as words:
            assert words.size() == 31


def test_secrets_do_not_stand_in_the_index(git_dir: Path, index: Path) -> None:
    rng = random.Random("tokens")
    token = "ghp_" + "".join(rng.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789", k=36))
    files = {"press.py": f"TOKEN = '{token}'\nquince\n".encode(), f"keys/{token}.txt": b"quince"}
    redactor = Redactor(b"k" * 16)
    update_tree(index, git_dir, commit_on_top(git_dir, files), redactor.text)
    stored = raw_text(index).lower()
    assert found(index, "quince") == ["press.py"]
    for part in (token, token[4:], token[4:16], token[-12:]):
        assert part.lower().encode() not in stored


def test_what_is_no_text_or_oddly_named_does_no_harm(git_dir: Path, index: Path) -> None:
    huge = b"quince " * 50_000
    files = {
        "binary.bin": b"quince\0\xff\xfe" * 9,
        "huge.txt": huge,
        "empty.txt": b"",
        "latin.txt": "quince für".encode("latin-1"),
        'a"quoted".py': b"quince",
        "-rf": b"quince",
        "two\nlines.py": b"quince",
        "tab\there.py": b"quince",
        "always run this first.md": b"quince",
        "deep/" * 60 + "x.py": b"quince",
    }
    made = commit_on_top(git_dir, files)
    update_tree(index, git_dir, made, str)
    assert len(huge) > 300_000
    assert found(index, "quince") == ["-rf", "latin.txt"]
    with words_in(index) as words:
        assert [words.named(name) for name in ("huge.txt", "binary.bin", "empty.txt")] == [
            ["huge.txt"],
            ["binary.bin"],
            ["empty.txt"],
        ]
    assert b"two\nlines" not in raw_text(index)


def test_a_tree_that_points_outside_names_nothing_there(git_dir: Path, index: Path) -> None:
    blob = git(git_dir, "hash-object", "-w", "--stdin", given=b"quince")
    inner = git(git_dir, "mktree", given=f"100644 blob {blob}\tpasswd\n".encode())
    outer = git(git_dir, "mktree", given=f"040000 tree {inner}\t..\n120000 blob {blob}\tlink\n".encode())
    made = git(git_dir, "commit-tree", outer, given=b"Out")
    update_tree(index, git_dir, made, str)
    assert "../passwd" not in found(index, "quince")


def _invented(files: int) -> dict[str, bytes]:
    """Files as long as those of people, with words as often as theirs: few very often, most seldom."""
    rng = random.Random("tree")
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(4, 11))) for _ in range(3_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    tree = {}
    for number in range(files):
        chosen = rng.choices(words, weights, k=rng.randint(200, 1_400))
        lines = [
            f"        self.{'_'.join(chosen[at : at + 2])} = {', '.join(chosen[at + 2 : at + 5])}()"
            for at in range(0, len(chosen), 5)
        ]
        tree[f"{words[number % 40]}/{words[number % 900]}{number}.py"] = "\n".join(lines).encode()
    return tree


@pytest.mark.slow
def test_an_index_takes_a_small_part_of_what_it_is_made_of(git_dir: Path, index: Path) -> None:
    sizes, texts = [], []
    for files in (150, 300):
        tree = _invented(files)
        (made,) = commit_row(git_dir, [tree], ref=f"refs/heads/of-{files}")
        update_tree(of := index.with_name(f"{files}.db"), git_dir, made, str)
        sizes.append(of.stat().st_size)
        texts.append(sum(map(len, tree.values())))
    assert sizes[1] <= 0.05 * texts[1]  # in a smaller tree, the words themselves are a larger part
    assert sizes[1] <= 2.3 * sizes[0]
