"""The Honcho backend: entries on a Honcho server, the hosted one or your own, through its SDK (API version 3).

Honcho knows peers, sessions and messages, not keys. A user is a peer. A write is a session of its own that holds the
entry in its metadata and its text as one message, which is what Honcho searches. The session's id follows from the
whole write, so that sending twice makes nothing twice; the sessions of earlier writes are deleted. Honcho deletes in
the background and until then refuses the same id, which is why ids are not used again. Its reasoning about messages,
which costs money, is off unless asked for. The SDK's own retries are off: they would repeat messages.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from afterwit.extras.memory.backend import (
    Availability,
    BackendError,
    Operation,
    RefusedError,
    RejectedError,
    UnreachableError,
    is_this_machine,
)
from afterwit.model.errors import install_command
from afterwit.model.memory_entry import Entry, Hit, Write

HOSTED = "https://api.honcho.dev"
_PAGE = 100
_MOST_FOUND = 100  # by one search
_T = TypeVar("_T")


class HonchoPlace(NamedTuple):
    base_url: str
    api_key: str  # "": a server of one's own that asks for none
    workspace: str
    timeout_seconds: float
    is_reasoning: bool


class HonchoBackend:
    name = "honcho"
    leaves_machine = True  # even a server on this machine passes text to a model for its embeddings
    unsupported: Mapping[Operation, str] = {}

    def __init__(self, place: HonchoPlace) -> None:
        self._place = place
        self._client: Any = None
        self._line: Any = None  # the SDK has no way to close its connections, so they are ours

    @property
    def privacy(self) -> str:
        host = urlsplit(self._place.base_url).hostname or ""
        if is_this_machine(host):
            return "Entries go to your own Honcho server, which by default sends text on to a provider of models."
        return f"Entries are sent to {host}; its operator, and the providers of models it uses, can read them."

    def availability(self) -> Availability:
        try:
            self._call(lambda client: client.get_metadata())
        except BackendError as error:
            return Availability(is_available=False, reason=str(error))
        return Availability(is_available=True, reason="")

    def store(self, write: Write, *, is_late: bool = False) -> None:
        present = self._versions(write.user, write.key)
        if is_late and present and _updated_ms(present[0]) > write.at_ms:
            return
        self._call(lambda client: self._send(client, write, present))
        for old in present:
            if old.id != _session_id(write):
                self._remove(old)

    def retrieve(self, user: str, key: str) -> Entry | None:
        present = self._versions(user, key)
        return _entry(present[0]) if present else None

    def query(self, user: str, text: str, limit: int) -> list[Hit]:
        if not text.strip():
            return []
        messages = self._call(
            lambda client: client.peer(_peer_id(user)).search(text, filters=None, limit=min(2 * limit, _MOST_FOUND))
        )
        places = {message.session_id: str(message.metadata.get("afterwit_key", "")) for message in messages}
        newest = self._newest(user, sorted({mark for mark in places.values() if mark}))
        present = [newest[mark] for name, mark in places.items() if mark in newest and newest[mark].id == name]
        return [Hit(_entry(session), 1 / (place + 1)) for place, session in enumerate(present[:limit])]

    def keys(self, user: str, prefix: str = "") -> list[str]:
        sessions = self._sessions({"metadata": {"afterwit_peer": _peer_id(user)}})
        return sorted({key for session in sessions if (key := str(session.metadata["key"])).startswith(prefix)})

    def delete(self, user: str, key: str, at_ms: int, *, is_late: bool = False) -> bool:
        present = self._versions(user, key)
        if not present or (is_late and _updated_ms(present[0]) > at_ms):
            return False
        for session in reversed(present):  # the newest last: stopped halfway, the entry is still there as it was
            self._remove(session)
        return True

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._client = self._line = None

    def _send(self, client: Any, write: Write, present: list[Any]) -> None:
        from honcho.api_types import ReasoningConfiguration, SessionConfiguration

        peer = client.peer(_peer_id(write.user))
        session = client.session(
            _session_id(write),
            metadata=_metadata(write, present),
            configuration=SessionConfiguration(reasoning=ReasoningConfiguration(enabled=self._place.is_reasoning)),
            peers=peer.id,
        )
        if not session.messages(size=1).items:
            mark = {"afterwit_key": _hash(write.key)}
            session.add_messages(peer.message(f"{write.key}: {write.value}", metadata=mark))

    def _versions(self, user: str, key: str) -> list[Any]:
        """The sessions of this key, the newest first: usually one; two after a write that was cut short."""
        return sorted(self._sessions({"metadata": _marks(user, key)}), key=_updated_ms, reverse=True)

    def _newest(self, user: str, key_marks: list[str]) -> dict[str, Any]:
        """The newest session for each of these keys."""
        if not key_marks:
            return {}
        peer = _peer_id(user)
        wanted = [{"metadata": {"afterwit_peer": peer, "afterwit_key": mark}} for mark in key_marks]
        sessions = sorted(self._sessions({"OR": wanted}), key=_updated_ms)
        return {str(session.metadata["afterwit_key"]): session for session in sessions}

    def _sessions(self, filters: dict[str, object]) -> list[Any]:
        sessions: list[Any] = self._call(lambda client: list(client.sessions(filters, size=_PAGE)))
        return [session for session in sessions if "afterwit_key" in (session.metadata or {})]

    def _remove(self, session: Any) -> None:
        from honcho.http import NotFoundError

        def remove(_: Any) -> None:
            try:
                session.delete()
            except NotFoundError:
                return

        self._call(remove)

    def _call(self, work: Callable[[Any], _T]) -> _T:
        sdk = _sdk()
        if self._client is None:
            self._client = self._open()
        try:
            return work(self._client)
        except sdk.HonchoError as error:
            raise _translate(error, self._place.base_url) from error
        except ValueError as error:  # an answer that is not of the API's shape
            raise UnreachableError(
                f"{self._place.base_url} does not answer like Honcho's API version 3 ({type(error).__name__})."
                " Check memory.honcho_base_url, or upgrade that server."
            ) from error

    def _open(self) -> Any:
        import httpx

        place = self._place
        self._line = httpx.Client(timeout=place.timeout_seconds)
        return _sdk().Honcho(
            api_key=place.api_key or None,
            base_url=place.base_url,
            workspace_id=place.workspace,
            timeout=place.timeout_seconds,
            max_retries=0,
            http_client=self._line,
        )


def _translate(error: Any, base_url: str) -> BackendError:
    if error.status in (401, 403):
        return RefusedError(f"Honcho at {base_url} refused the key ({error.message}). Check HONCHO_API_KEY.")
    if error.status in (400, 413, 422):
        return RejectedError(f"Honcho at {base_url} does not take this entry ({error.message}).")
    if error.status == 404:
        return UnreachableError(f"Honcho at {base_url} has no such place ({error.message}). Check honcho_base_url.")
    return UnreachableError(f"Honcho at {base_url} does not answer ({error.message or error.code}). Try again later.")


def _sdk() -> Any:
    try:
        import honcho
    except ImportError as error:
        raise UnreachableError(
            f"The Honcho SDK is not installed ({error}). Install it: `{install_command('honcho')}`."
        ) from error
    return honcho


def _metadata(write: Write, present: list[Any]) -> dict[str, object]:
    created_ms = min([write.at_ms, *(int(session.metadata["created_ms"]) for session in present)])
    return {
        **_marks(write.user, write.key),
        "key": write.key,
        "value": write.value,
        "metadata": write.metadata,
        "created_ms": created_ms,
        "updated_ms": write.at_ms,
    }


def _entry(session: Any) -> Entry:
    held = session.metadata
    return Entry(
        key=held["key"],
        value=held["value"],
        metadata=held["metadata"],
        created_ms=int(held["created_ms"]),
        updated_ms=int(held["updated_ms"]),
    )


def _updated_ms(session: Any) -> int:
    return int(session.metadata["updated_ms"])


def _marks(user: str, key: str) -> dict[str, object]:
    """What sessions are filtered by. Hashes, because a filter takes `*` for anything."""
    return {"afterwit_peer": _peer_id(user), "afterwit_key": _hash(key)}


def _peer_id(user: str) -> str:
    return f"afterwit-{_hash(user)}"


def _session_id(write: Write) -> str:
    content = msgspec.json.encode([write.value, write.metadata], order="deterministic").decode()
    return f"{_peer_id(write.user)}-{_hash(write.key)}-{write.at_ms}-{_hash(content)[:8]}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
