"""What a model answered about a session, understood as far as it can be: JSON by a schema.

Tolerant in form and strict in content, however it is wrapped: text around the JSON, fences, a bare list and unknown
fields are passed over; a note without a sentence or without lines is none, and what is of the wrong type is dropped.
Whether a note is true is left to `checks`; answers about the brief are understood by `compiling`.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.model.knowledge import Activity, Category, ItemKind
from afterwit.model.text import regex
from afterwit.reader.requests import MOST_ITEMS, ReadingRequest

_LARGEST = 200_000  # characters of an answer that are looked at
_MOST_LINES = 40
_MOST_NAMES = 8
_LONGEST_NAME = 200
_LONGEST_WHEN = 300
_LONGEST_SENTENCE = 1_000
_FENCED = regex(r"(?s)```(?:json)?\s*\n(.*?)\n\s*```")
_OPENINGS = regex(r"[\[{]")
_MOST_OPENINGS = 20
_MOST_THREAD_NAMES = 4
WHOSE = ("user", "other", "all")
RELATIONS = ("confirms", "replaces", "contradicts")
SCOPES = ("repository", "agent", "everywhere")


class GivenAnswer(NamedTuple):
    """What came back for a request; `fault` where that is no answer."""

    request: str
    text: str = ""
    tokens_in: int | None = None  # None: nobody said
    tokens_out: int | None = None
    fault: str = ""


class ProposedNote(NamedTuple):
    """A note as the model proposes it. Nothing in it is to be believed."""

    sentence: str
    lines: tuple[int, ...]
    category: Category = Category.FACT
    kind: ItemKind = ItemKind.PLAIN
    when: str = ""
    scope: str = "repository"
    programs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    activities: tuple[Activity, ...] = ()
    about: str = ""  # a note that is there already
    relation: str = ""
    branch: str = ""  # of a note of a thread
    names: tuple[str, ...] = ()  # by which a prompt names its work
    whose: str = ""
    confidence: float = 0.5
    spares: float = 1.0  # actions, when it matters
    often: float = 2.0  # of ten later sessions, in which it matters

    @property
    def worth(self) -> float:
        """Actions that it spares in a session, on average."""
        return self.spares * self.often / 10.0


class ProposedRepetition(NamedTuple):
    """A line that was told, and where the user says it again, as the model sees it."""

    told: str  # its id
    lines: tuple[int, ...]


class UnderstoodAnswer(NamedTuple):
    """The proposals of an answer; `fault` says why there are none where it could not be understood."""

    proposals: tuple[ProposedNote, ...] = ()
    repeats: tuple[ProposedRepetition, ...] = ()
    fault: str = ""


def understand_notes(text: str) -> UnderstoodAnswer:
    """What an answer proposes. An empty list is an answer; text without such a list is none."""
    for candidate in json_values(text):
        notes = _notes(candidate)
        if notes is not None:
            return UnderstoodAnswer(tuple(_proposals(notes))[:MOST_ITEMS], tuple(_repeats(candidate))[:MOST_ITEMS])
    return UnderstoodAnswer(fault="no JSON object with a list `notes` in the answer")


def notes_schema() -> dict[str, Any]:
    """The form of an answer, for models that can be held to one."""
    texts = {"type": "array", "items": {"type": "string"}}
    note = {
        "sentence": {"type": "string"},
        "category": {"type": "string", "enum": [str(value) for value in Category]},
        "lasts": {"type": "string", "enum": ["durable", "thread"]},
        "thread": {
            "type": ["object", "null"],
            "properties": {"branch": {"type": "string"}, "words": texts},
            "required": ["branch", "words"],
            "additionalProperties": False,
        },
        "kind": {"type": "string", "enum": [str(value) for value in ItemKind if value is not ItemKind.THREAD]},
        "whose": {"type": "string", "enum": ["", *WHOSE]},
        "when": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "integer"}},
        "scope": {"type": "string", "enum": list(SCOPES)},
        "programs": texts,
        "paths": texts,
        "errors": texts,
        "activities": {"type": "array", "items": {"type": "string", "enum": [str(value) for value in Activity]}},
        "about": {
            "type": ["object", "null"],
            "properties": {"note": {"type": "string"}, "relation": {"type": "string", "enum": list(RELATIONS)}},
            "required": ["note", "relation"],
            "additionalProperties": False,
        },
        "confidence": {"type": "number"},
        "spares": {"type": "number"},
        "often": {"type": "number"},
    }
    repeat = {"told": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}}
    lists = {"notes": _list_of(note), "repeats": _list_of(repeat)}
    return {"type": "object", "properties": lists, "required": list(lists), "additionalProperties": False}


def _list_of(fields: dict[str, Any]) -> dict[str, Any]:
    form = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "array", "items": form}


def json_values(text: str) -> Iterator[Any]:
    """Everything in a text that may be the JSON that was asked for, the likeliest first."""
    text = text[:_LARGEST]
    for piece in (text, *_FENCED.findall(text)):
        if (value := _decode(piece)) is not None:
            yield value
    for opening in list(_OPENINGS.finditer(text))[:_MOST_OPENINGS]:
        end = max(text.rfind("}"), text.rfind("]")) + 1
        if end > opening.start() and (value := _decode(text[opening.start() : end])) is not None:
            yield value
            return


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text.strip().encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _notes(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        value = next((value[name] for name in ("notes", "items") if name in value), None)
    return value if isinstance(value, list) and all(isinstance(note, dict) for note in value) else None


def _repeats(value: Any) -> Iterator[ProposedRepetition]:
    given = value.get("repeats") if isinstance(value, dict) else None
    for said in filter(lambda said: isinstance(said, dict), given if isinstance(given, list) else ()):
        told, lines = _text(said.get("told"), 40).strip("[]"), tuple(dict.fromkeys(_numbers(said.get("lines"))))
        if told and lines:
            yield ProposedRepetition(told, lines[:_MOST_LINES])


def _proposals(notes: list[Any]) -> Iterator[ProposedNote]:
    for note in notes:
        sentence = " ".join(_text(note.get("sentence"), _LONGEST_SENTENCE).split())
        lines = tuple(dict.fromkeys(_numbers(note.get("lines"))))[:_MOST_LINES]
        if not sentence:
            continue
        about = note.get("about") if isinstance(note.get("about"), dict) else {}
        relation = _text(about.get("relation"), 20)
        thread = note.get("thread") if isinstance(note.get("thread"), dict) else {}
        is_thread = note.get("lasts") == "thread"
        yield ProposedNote(
            sentence=sentence,
            lines=lines,
            category=_value(Category, note.get("category"), Category.FACT),
            kind=ItemKind.THREAD if is_thread else _value(ItemKind, note.get("kind"), ItemKind.PLAIN),
            when=" ".join(_text(note.get("when"), _LONGEST_WHEN).split()),
            scope=scope if (scope := _text(note.get("scope"), 20)) in SCOPES else SCOPES[0],
            programs=_texts(note.get("programs")),
            paths=_texts(note.get("paths")),
            errors=_texts(note.get("errors")),
            activities=tuple(dict.fromkeys(_activities(note.get("activities")))),
            about=_text(about.get("note"), 40) if relation in RELATIONS else "",
            relation=relation if relation in RELATIONS else "",
            branch=_text(thread.get("branch"), _LONGEST_NAME) if is_thread else "",
            names=_texts(thread.get("words"))[:_MOST_THREAD_NAMES] if is_thread else (),
            whose=whose if (whose := _text(note.get("whose"), 10)) in WHOSE else "",
            confidence=_share(note.get("confidence")),
            spares=min(10.0, max(0.5, _number(note.get("spares"), 1.0))),
            often=min(10.0, max(0.1, _number(note.get("often"), 2.0))),
        )


def _text(value: Any, longest: int) -> str:
    return value.strip()[:longest] if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    texts = (_text(name, _LONGEST_NAME) for name in value) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(filter(None, texts)))[:_MOST_NAMES]


def _numbers(value: Any) -> Iterator[int]:
    """Line numbers, also where they come as text, alone or as a range."""
    for number in value if isinstance(value, list) else [value]:
        if isinstance(number, int) and not isinstance(number, bool):
            yield number
        elif isinstance(number, str) and (plain := number.strip().lstrip("L")).isdecimal() and len(plain) < 9:
            yield int(plain)


def _value(kind: Any, value: Any, otherwise: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        return otherwise


def _activities(value: Any) -> Iterator[Activity]:
    for name in value if isinstance(value, list) else ():
        if isinstance(name, str) and name in frozenset(Activity):
            yield Activity(name)


def _number(value: Any, otherwise: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e6 else otherwise


def _share(value: Any) -> float:
    return min(1.0, max(0.0, _number(value, 0.5)))


class AnswerForm(NamedTuple):
    """What is asked for."""

    name: str
    schema: Mapping[str, Any]  # for models that can be held to it
    words: str  # for people and models
    empty: str  # what to say where there is nothing to say


def with_remark(request: ReadingRequest, form: AnswerForm) -> ReadingRequest:
    """The same question, to a model whose answer to it was not understood."""
    remark = (
        f"\n## A remark\nYour last answer to this was not understood: there was not {form.words} in it. Answer with"
        f" nothing but that object, {form.empty} where there is nothing to say.\n"
    )
    name = "opening" if request.items else "rest"
    return request._replace(**{name: getattr(request, name) + remark})
