"""Property: whatever is done to a backend, and in whichever order, it answers as a dictionary would."""

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.extras.memory.backend import Backend
from afterwit.model.memory_entry import Entry, Plain, Write

USERS = ("ada", "grace")
KEYS = ("shell", "editor.indent", "é", "a", "a.b")
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
values = texts.filter(lambda text: bool(text.strip()))
plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6) | texts
metadata = st.dictionaries(st.sampled_from(["why", "count", "är"]), plain, max_size=2)
step = st.one_of(
    st.tuples(st.just("store"), st.sampled_from(USERS), st.sampled_from(KEYS), values, metadata),
    st.tuples(st.just("delete"), st.sampled_from(USERS), st.sampled_from(KEYS)),
)
_numbers = itertools.count(1)


class Model:
    """The dictionary."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Entry] = {}

    def store(self, user: str, key: str, value: str, metadata: dict[str, Plain], at_ms: int) -> None:
        before = self.held.get((user, key))
        created = before.created_ms if before else at_ms
        self.held[user, key] = Entry(key=key, value=value, metadata=metadata, created_ms=created, updated_ms=at_ms)

    def keys(self, user: str) -> list[str]:
        return sorted(key for holder, key in self.held if holder == user)


def play(backend: Backend, steps: Sequence[tuple[object, ...]]) -> None:
    model, prefix = Model(), f"{next(_numbers)}-"  # other users for each example, so that one server serves them all
    for action, user, key, *rest in steps:
        number = next(_numbers)
        name = f"{prefix}{user}"
        if action == "store":
            value, extra = rest
            backend.store(Write(user=name, key=key, value=value, metadata=extra, at_ms=number))  # type: ignore[arg-type]
            model.store(name, key, value, extra, number)  # type: ignore[arg-type]
        else:
            is_there = model.held.pop((name, key), None) is not None  # type: ignore[arg-type]
            assert backend.delete(name, key, number) is is_there  # type: ignore[arg-type]
    for user in (f"{prefix}{user}" for user in USERS):
        assert backend.keys(user) == model.keys(user)
        for key in KEYS:
            assert backend.retrieve(user, key) == model.held.get((user, key))
        for key in model.keys(user):
            found = [hit.entry for hit in backend.query(user, key, 100)]
            assert model.held[user, key] in found
            assert all(model.held[user, entry.key] == entry for entry in found)


@pytest.mark.parametrize("name", ["local", pytest.param("postgres", marks=pytest.mark.server), "honcho"])
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(step, max_size=8))
def test_any_sequence_of_operations_equals_a_dictionary(
    maker: Callable[[str], Backend], shared: dict[str, Backend], name: str, steps: list[tuple[object, ...]]
) -> None:
    if name not in shared:
        shared[name] = maker(name)
    play(shared[name], steps)


@pytest.fixture
def shared() -> dict[str, Backend]:
    """One backend for all examples of a test."""
    return {}
