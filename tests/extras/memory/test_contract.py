"""What every backend does, and how it says what it cannot do."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pytest

from afterwit.extras.memory.backend import Backend, Operation, UnsupportedError
from afterwit.model.memory_entry import LONGEST_KEY, LONGEST_VALUE, Entry, Plain, Write, check_write

Make = Callable[[], Backend]
AT = 1_780_000_000_000


def write(
    key: str, value: str, at: int = 0, user: str = "ada", metadata: Mapping[str, Plain] = MappingProxyType({})
) -> Write:
    return check_write(Write(user=user, key=key, value=value, metadata=dict(metadata), at_ms=AT + at))


def test_what_a_backend_cannot_do_is_refused_and_not_reported_as_done(backend: Backend) -> None:
    calls: dict[Operation, Callable[[], object]] = {
        Operation.STORE: lambda: backend.store(write("a", "b")),
        Operation.RETRIEVE: lambda: backend.retrieve("ada", "a"),
        Operation.QUERY: lambda: backend.query("ada", "b", 5),
        Operation.LIST: lambda: backend.keys("ada"),
        Operation.DELETE: lambda: backend.delete("ada", "a", AT),
    }
    assert set(calls) == set(Operation)
    for operation, call in calls.items():
        if operation in backend.unsupported:
            with pytest.raises(UnsupportedError, match=r"\w"):
                call()
        else:
            call()
    assert set(backend.unsupported) == ({Operation.STORE, Operation.DELETE} if backend.name == "null" else set())


def test_it_says_who_it_is_and_who_sees_the_entries(backend: Backend) -> None:
    assert backend.name in ("null", "local", "postgres", "honcho")
    assert backend.leaves_machine is (backend.name == "honcho")
    assert backend.privacy.endswith(".")
    available = backend.availability()
    assert available.is_available is (backend.name != "null")
    assert bool(available.reason) is (backend.name == "null")


def test_an_empty_memory_finds_nothing(backend: Backend) -> None:
    assert backend.retrieve("ada", "editor.indent") is None
    assert backend.query("ada", "indent", 5) == []
    assert backend.keys("ada") == []


def test_what_is_stored_is_retrieved_as_it_was(keeping: Backend) -> None:
    metadata: dict[str, Plain] = {"source": "typed", "count": 3, "share": 0.25, "is_firm": True, "until": None}
    keeping.store(write("editor.indent", "Two spaces.\n\tTabs in makefiles — “always”, naïve 🍏", metadata=metadata))
    assert keeping.retrieve("ada", "editor.indent") == Entry(
        key="editor.indent",
        value="Two spaces.\n\tTabs in makefiles — “always”, naïve 🍏",
        metadata=metadata,
        created_ms=AT,
        updated_ms=AT,
    )


def test_a_second_write_replaces_the_first_and_keeps_when_it_was_made(keeping: Backend) -> None:
    keeping.store(write("shell", "bash", metadata={"why": "habit"}))
    keeping.store(write("shell", "fish", at=5))
    assert keeping.retrieve("ada", "shell") == Entry(key="shell", value="fish", created_ms=AT, updated_ms=AT + 5)
    assert keeping.keys("ada") == ["shell"]
    assert [hit.entry.value for hit in keeping.query("ada", "shell", 5)] == ["fish"]
    assert keeping.query("ada", "habit bash", 5) == []


def test_sending_a_write_twice_changes_nothing(keeping: Backend) -> None:
    keeping.store(write("shell", "fish"))
    before = keeping.retrieve("ada", "shell")
    keeping.store(write("shell", "fish"))
    keeping.store(write("shell", "fish"), is_late=True)
    assert keeping.retrieve("ada", "shell") == before
    assert len(keeping.query("ada", "fish", 5)) == 1


def test_a_late_write_gives_way_to_a_newer_one(keeping: Backend) -> None:
    keeping.store(write("shell", "fish", at=10))
    keeping.store(write("shell", "bash", at=5), is_late=True)
    assert keeping.delete("ada", "shell", AT + 6, is_late=True) is False
    entry = keeping.retrieve("ada", "shell")
    assert entry is not None
    assert entry.value == "fish"
    assert keeping.delete("ada", "shell", AT + 11, is_late=True) is True


def test_a_deleted_entry_is_gone_and_can_come_back(keeping: Backend) -> None:
    keeping.store(write("shell", "fish"))
    assert keeping.delete("ada", "shell", AT + 1) is True
    assert keeping.delete("ada", "shell", AT + 2) is False
    assert keeping.retrieve("ada", "shell") is None
    assert keeping.keys("ada") == []
    assert keeping.query("ada", "fish", 5) == []
    keeping.store(write("shell", "fish", at=3))
    assert keeping.keys("ada") == ["shell"]


def test_nobody_sees_the_entries_of_another(keeping: Backend) -> None:
    for number, user in enumerate(("ada", "Ada", "ada ada", "ad", "*", "%", "ada'--")):
        keeping.store(write("shell", f"fish {number}", user=user))
    for number, user in enumerate(("ada", "Ada", "ada ada", "ad", "*", "%", "ada'--")):
        entry = keeping.retrieve(user, "shell")
        assert entry is not None
        assert entry.value == f"fish {number}"
        assert [hit.entry.value for hit in keeping.query(user, "fish", 5)] == [f"fish {number}"]
        assert keeping.keys(user) == ["shell"]
    assert keeping.delete("ada", "shell", AT + 1) is True
    assert keeping.keys("Ada") == ["shell"]
    assert keeping.retrieve("eve", "shell") is None


def test_keys_are_listed_by_code_point_and_by_prefix(keeping: Backend) -> None:
    keys = ["Zeta", "a", "a.b", "a.c", "a_b", "a%", "b*", "é", "🍏"]
    for key in reversed(keys):
        keeping.store(write(key, "something"))
    assert keeping.keys("ada") == sorted(keys)
    assert keeping.keys("ada", "a.") == ["a.b", "a.c"]
    assert keeping.keys("ada", "a_") == ["a_b"]
    assert keeping.keys("ada", "b*") == ["b*"]
    assert keeping.keys("ada", "zz") == []


def test_a_query_finds_by_words_in_any_form_and_order(keeping: Backend) -> None:
    keeping.store(write("testing.runner", "Run tests with pytest, in parallel"))
    keeping.store(write("git.messages", "Commit messages say why"))
    keeping.store(write("language", "Answers in British spelling"))
    assert keeping.query("ada", "pytest test", 5)[0].entry.key == "testing.runner"
    assert keeping.query("ada", "message for the commit", 1)[0].entry.key == "git.messages"
    found = keeping.query("ada", "commit tests", 5)
    assert {hit.entry.key for hit in found} == {"testing.runner", "git.messages"}
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert len(keeping.query("ada", "commit tests", 1)) == 1


@pytest.mark.parametrize(
    "text", ['"', "'", "*", "AND", "fish OR (", "NEAR(a b)", "key:value", "-", "a' | 'b", ":*", "!", "\\", "é̃", "🍏"]
)
def test_no_query_is_taken_for_a_command(keeping: Backend, text: str) -> None:
    keeping.store(write("shell", "fish"))
    assert len(keeping.query("ada", text, 5)) <= 1


def test_the_largest_entry_fits(keeping: Backend) -> None:
    metadata = {f"m{number}": "x" * 100 for number in range(50)}
    largest = write("k" * LONGEST_KEY, "wörd " * (LONGEST_VALUE // 5), metadata=metadata)
    keeping.store(largest)
    entry = keeping.retrieve("ada", largest.key)
    assert entry is not None
    assert (entry.value, entry.metadata) == (largest.value, largest.metadata)


def test_two_connections_see_each_others_entries(make: Make, keeping: Backend) -> None:
    other = make()
    keeping.store(write("shell", "fish"))
    other.store(write("editor", "vi"))
    assert keeping.keys("ada") == other.keys("ada") == ["editor", "shell"]
