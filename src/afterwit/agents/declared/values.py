"""What the values that paths lead to are taken for: texts, ids, numbers, moments, arguments.

Takes decoded JSON and never raises. What has an unusable shape comes back empty or as None. Only an id may go into keys
and saved state, because it is short and has no spaces; other text that stands where an id should becomes a hash.

Which call a result belongs to, in logs that need not say it. Ids such as `call_0` may come again in each turn: from its
second use on, an id gets a number ("call_0#2"), and a result belongs to the latest call of its id. A result without an
id answers the call that stands in the same record, else the oldest open call of its session and tool. What is kept
between records is bounded.
"""

import hashlib
import re
from typing import Any

import msgspec

from afterwit.actions.tools import kind_of
from afterwit.agents.chat.messages import text_of
from afterwit.agents.declared.description import DeclaredPlace, Paths, TimeUnit, values_at
from afterwit.model.kinds import ActionKind
from afterwit.model.times import ms_from_any

_MOST_OPEN = 100
_MOST_USES = 5000
_ID = re.compile(r"[\w.:/@#+-]{1,120}")
_BLOB = re.compile(r"[A-Za-z0-9+/]{200,}={0,2}")
_PATH = re.compile(r"[^\s\"'{}]{1,400}")
_FILE_KINDS = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)
_MOST_TOKENS = 1 << 40
_MOST_CODE = 1 << 32
_MOST_MS = 1e12
_PER_MS = {
    TimeUnit.SECONDS: 1000.0,
    TimeUnit.MILLISECONDS: 1.0,
    TimeUnit.MICROSECONDS: 1e-3,
    TimeUnit.NANOSECONDS: 1e-6,
}


class OpenCall(msgspec.Struct, array_like=True):
    """A call without a result so far."""

    session: str
    id: str
    tool: str
    offset: int


class Calls(msgspec.Struct, kw_only=True):
    """The calls of a log so far: how often each id was used, and what is not answered yet."""

    uses: dict[str, int] = {}
    open: list[OpenCall] = []

    def made(self, session: str, given: str, tool: str, offset: int, number: int) -> str:
        """The id of a new call, told apart from earlier calls that had the same."""
        call_id = self._used(session, given) if given else f"at-{offset}-{number}"
        self.open.append(OpenCall(session, call_id, tool, offset))
        del self.open[:-_MOST_OPEN]
        return call_id

    def answered(self, session: str, given: str, tool: str, offset: int) -> str:
        """The id of the call that a result belongs to, which is open no longer."""
        if given:
            times = self.uses.get(f"{session} {given}", 1)
            call_id = given if times == 1 else f"{given}#{times}"
        else:
            call_id = self._oldest(session, tool, offset) or f"at-{offset}"
        self.open = [call for call in self.open if (call.session, call.id) != (session, call_id)]
        return call_id

    def _used(self, session: str, given: str) -> str:
        name = f"{session} {given}"
        if name not in self.uses and len(self.uses) >= _MOST_USES:
            self.uses.pop(next(iter(self.uses)))
        self.uses[name] = self.uses.get(name, 0) + 1
        return given if self.uses[name] == 1 else f"{given}#{self.uses[name]}"

    def _oldest(self, session: str, tool: str, offset: int) -> str:
        waiting = [call for call in self.open if call.session == session and tool in ("", call.tool)]
        beside = [call for call in waiting if call.offset == offset]
        return next((call.id for call in beside or waiting), "")


def found_at(paths: Paths, place: DeclaredPlace) -> list[Any]:
    """The values of the first path that leads to any."""
    for path in paths:
        if values := values_at(path, place):
            return values
    return []


def first_at(paths: Paths, place: DeclaredPlace) -> Any:
    """The first of these values, or None."""
    return next(iter(found_at(paths, place)), None)


def joined_text(paths: Paths, place: DeclaredPlace, *, is_output: bool = False) -> str:
    """What all paths lead to, as one text: texts and parts of messages. An output may be anything else, too, and is
    then shown as JSON."""
    texts = (_text(value, is_output=is_output) for path in paths for value in values_at(path, place))
    return "\n".join(text for text in texts if text.strip())


def word(paths: Paths, place: DeclaredPlace) -> str:
    """The first text of one line or more."""
    return next((value for value in found_at(paths, place) if isinstance(value, str) and value.strip()), "")


def identity(paths: Paths, place: DeclaredPlace) -> str:
    """The first id: a name or a number."""
    for value in found_at(paths, place):
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(text, str) and text.strip():
            return text if is_id(text) else _hash(text)
    return ""


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def moment(paths: Paths, unit: TimeUnit, place: DeclaredPlace) -> int | None:
    """Milliseconds since 1970."""
    for value in found_at(paths, place):
        if unit is not TimeUnit.AUTO and (number := _number(value)) is not None:
            value = number * _PER_MS[unit]
        at_ms = ms_from_any(value)
        if at_ms is not None:
            return at_ms
    return None


def tokens(paths: Paths, place: DeclaredPlace) -> int:
    numbers = (_number(value) for value in found_at(paths, place))
    total = sum(int(number) for number in numbers if number is not None and 0 < number < _MOST_TOKENS)
    return min(total, _MOST_TOKENS)


def amount(paths: Paths, place: DeclaredPlace, most: float) -> float | None:
    """The first number from 0 up to `most`."""
    numbers = (_number(value) for value in found_at(paths, place))
    return next((number for number in numbers if number is not None and 0 <= number < most), None)


def whole(paths: Paths, place: DeclaredPlace) -> int | None:
    """The first whole number, such as an exit code."""
    for value in found_at(paths, place):
        number = _number(value)
        if number is not None and number == int(number) and abs(number) < _MOST_CODE:
            return int(number)
    return None


def milliseconds(in_ms: Paths, in_seconds: Paths, place: DeclaredPlace) -> int | None:
    number = amount(in_ms, place, _MOST_MS)
    if number is None and (seconds := amount(in_seconds, place, _MOST_MS / 1000)) is not None:
        number = seconds * 1000
    return None if number is None else round(number)


def is_wrong(paths: Paths, place: DeclaredPlace) -> bool | None:
    """Whether a field says that something failed: true, a number other than 0, or the text of an error."""
    for value in found_at(paths, place):
        if isinstance(value, str):
            return value.strip().lower() not in ("", "false", "0", "no", "none", "null")
        return bool(value)
    return None


def arguments_of(value: Any, tool: str = "") -> dict[str, Any]:
    """The arguments of a call: an object, the JSON text of one, or anything else as it is. A log that only sums up what
    went in has plain text there: for a shell that is the command line, for a tool of files the path."""
    if isinstance(value, dict):
        return value
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            decoded = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return {_name_of(value, tool): value}
        return decoded if isinstance(decoded, dict) else {"raw": value}
    return {"raw": value}


def _name_of(text: str, tool: str) -> str:
    """As what a text counts that stands for all arguments. One that was cut is none of them."""
    kind = kind_of({}, tool, {})
    if text.lstrip().startswith(("{", "[")):
        return "raw"
    if kind is ActionKind.SHELL:
        return "command"
    return "path" if kind in _FILE_KINDS and _PATH.fullmatch(text) else "raw"


def _text(value: Any, *, is_output: bool) -> str:
    if isinstance(value, int | float):
        return "" if isinstance(value, bool) else str(value)
    text = text_of(value) or ""
    if text or not is_output or not isinstance(value, dict | list) or not value:
        return text
    return _BLOB.sub("[data]", msgspec.json.encode(value).decode())


def _number(value: Any) -> float | int | None:
    if isinstance(value, str):
        text = value.strip()
        return float(text) if re.fullmatch(r"-?\d{1,20}(?:\.\d{1,12})?", text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < 1e30 else None


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
