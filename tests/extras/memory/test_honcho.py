"""Honcho in trouble: gone, cut off in the middle at every call, wrong key, another server; nothing lost or doubled."""

import sys
from contextlib import closing

import pytest
from tests.extras.memory.honcho_server import HonchoServer

from afterwit.extras.memory.backend import BackendError, RefusedError, RejectedError, UnreachableError
from afterwit.extras.memory.honcho import HonchoBackend, HonchoPlace
from afterwit.model.memory_entry import Write

FISH = Write(user="ada", key="shell", value="fish", at_ms=2)


def test_a_write_cut_off_at_any_call_is_complete_after_it_is_sent_again(
    honcho: HonchoServer, honcho_place: HonchoPlace
) -> None:
    state = honcho.state
    for calls in range(30):
        user = f"user {calls}"
        with closing(HonchoBackend(honcho_place)) as backend:
            backend.store(Write(user=user, key="shell", value="bash", at_ms=1))
        write = Write(user=user, key="shell", value="fish", at_ms=2)
        with closing(HonchoBackend(honcho_place)) as backend:
            state.break_after = calls
            try:
                backend.store(write)
                is_cut = False
            except UnreachableError:
                is_cut = True
            state.break_after = -1
            backend.store(write, is_late=True)
            entry = backend.retrieve(user, "shell")
            assert entry is not None
            assert (entry.value, entry.created_ms, entry.updated_ms) == ("fish", 1, 2)
            state.work_off()
            assert backend.keys(user) == ["shell"]
            assert [hit.entry.value for hit in backend.query(user, "fish shell", 5)] == ["fish"]
        held = [one for one in state.messages if state.sessions[one["session_id"]]["metadata"]["key"] == "shell"]
        assert len(held) == calls + 1  # one message for each user so far
        if not is_cut:
            break
    else:
        pytest.fail("a write takes more calls than this test expects")
    assert calls >= 5


def test_a_deleted_entry_can_come_back_while_the_server_still_deletes(
    honcho: HonchoServer, honcho_place: HonchoPlace
) -> None:
    with closing(HonchoBackend(honcho_place)) as backend:
        backend.store(FISH)
        assert backend.delete("ada", "shell", 3)
        assert backend.query("ada", "fish", 5) == []
        backend.store(Write(user="ada", key="shell", value="fish", at_ms=4))
        assert backend.keys("ada") == ["shell"]
        honcho.state.work_off()
        assert backend.keys("ada") == ["shell"]


def test_listings_longer_than_a_page_are_complete(honcho: HonchoServer, honcho_place: HonchoPlace) -> None:
    with closing(HonchoBackend(honcho_place)) as backend:
        for number in range(105):
            backend.store(Write(user="ada", key=f"k{number:03}", value="fish", at_ms=number))
        assert len(backend.keys("ada")) == 105


def test_reasoning_is_off_unless_it_is_asked_for(honcho: HonchoServer, honcho_place: HonchoPlace) -> None:
    for is_reasoning in (False, True):
        with closing(HonchoBackend(honcho_place._replace(is_reasoning=is_reasoning))) as backend:
            backend.store(Write(user="ada", key=f"shell {is_reasoning}", value="fish", at_ms=2))
    settings = [session["configuration"]["reasoning"]["enabled"] for session in honcho.state.sessions.values()]
    assert settings == [False, True]


def test_a_wrong_key_is_refused_with_what_to_do(honcho: HonchoServer, honcho_place: HonchoPlace) -> None:
    with closing(HonchoBackend(honcho_place._replace(api_key="wrong"))) as backend:
        with pytest.raises(RefusedError, match="Check HONCHO_API_KEY"):
            backend.store(FISH)
        assert not backend.availability().is_available
    assert honcho.state.sessions == {}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, RefusedError),
        (422, RejectedError),
        (404, UnreachableError),
        (429, UnreachableError),
        (503, UnreachableError),
    ],
)
def test_every_refusal_of_the_server_is_one_of_ours(
    honcho: HonchoServer, honcho_place: HonchoPlace, status: int, error: type[BackendError]
) -> None:
    honcho.state.status = status
    with closing(HonchoBackend(honcho_place)) as backend, pytest.raises(error, match=r"Honcho at http://127"):
        backend.store(FISH)
    assert len(honcho.state.calls) == 1  # no retries of the SDK


def test_a_server_that_is_not_there_is_said(honcho_place: HonchoPlace) -> None:
    place = honcho_place._replace(base_url="http://127.0.0.1:9")
    with closing(HonchoBackend(place)) as backend, pytest.raises(UnreachableError, match="does not answer"):
        backend.keys("ada")


def test_who_sees_the_data_is_said_for_the_service_and_for_ones_own_server(honcho_place: HonchoPlace) -> None:
    assert "your own Honcho server" in HonchoBackend(honcho_place).privacy
    hosted = HonchoBackend(honcho_place._replace(base_url="https://api.honcho.dev"))
    assert "sent to api.honcho.dev" in hosted.privacy
    assert hosted.leaves_machine


def test_without_the_sdk_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "honcho", None)
    place = HonchoPlace("http://127.0.0.1:9", "", "orchard", 5, is_reasoning=False)
    with pytest.raises(UnreachableError, match=r"pip install 'afterwit\[honcho\]'"):
        HonchoBackend(place).retrieve("ada", "shell")
