"""Compiling the brief: all notes of a repository in one question, and lines with triggers as the answer.

The question holds the notes that may be told, each with who said it and how often, the beginnings of the host's own
instruction files, the present page and what a person wrote or took out of it. The answer is understood as far as it can
be (`line_checks` convicts). A first answer is a draft: it is asked about once more, with the moments at which its lines
would have come in past sessions, and with what of it was refused. A repository is due when several notes are new since
it was compiled, or when a line lost a note that it rests on. Pure.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from afterwit.harvest.commands.spoken import PLACEHOLDER
from afterwit.knowledge.brief import Page
from afterwit.knowledge.whose_words import speakers
from afterwit.model.brief import Heading, Heard
from afterwit.model.check import Check, CheckKind
from afterwit.model.knowledge import READ, Channel, Item, ItemKind, Scope, ScopeKind
from afterwit.reader.answers import AnswerForm, json_values, notes_schema
from afterwit.reader.requests import CHARS_PER_TOKEN, LineSpan, ReadingPrompt, ReadingRequest, hash_texts

PROMPT = "compile.md"
VERSION = 1  # counts up when answers would be judged otherwise
MOST_TOKENS = 40_000  # of a question, the prompt included
ANSWER_TOKENS = 8_000
NEW_NOTES = 8  # after so many a repository is due
FIRST_NOTES = 3  # the same, where it was never compiled
MOST_ON_DEMAND = 60
MOST_CHECKS = 10
_MOST_BRIEF = 60  # of an answer; the budget decides how many are taken
_MOST_NAMES = 8
_LONGEST_NAME = 120
_MOST_HINTS = 4
_MOST_INSTRUCTIONS = 6_000
_SPEAKERS = {
    Channel.USER: "the user",
    Channel.OUTCOME: "a command that was run",
    Channel.ASSISTANT: "the agent",
    Channel.TOOL: "counted by rule",
}


class ProposedLine(NamedTuple):
    """A line as the model proposes it. Nothing in it is to be believed."""

    text: str
    notes: tuple[str, ...]
    heading: Heading | None = None
    prompts: tuple[tuple[str, ...], ...] = ()  # groups of words
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class TriedDraft(NamedTuple):
    """What whoever compiled a draft is shown of it."""

    fired: Mapping[str, str]  # by line on demand, where it would have come
    refused: Sequence[str]


class ProposedBrief(NamedTuple):
    """What an answer proposes."""

    lines: tuple[ProposedLine, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()  # old, new
    checks: tuple[Check, ...] = ()


def notes_to_compile(items: Iterable[Item], repo: str) -> list[Item]:
    """The notes that a page is made of, the latest last: those of this repository alone."""
    scope = Scope(ScopeKind.REPO, repo)
    durable = (item for item in items if item.scope == scope and item.kind is not ItemKind.THREAD)
    return sorted(durable, key=lambda item: (item.last_ms, item.id))


def is_due(page: Page | None, items: Sequence[Item]) -> bool:
    """Whether there is enough that the page does not know, or a line of it has lost what it rests on."""
    read = [item for item in items if item.harvester == READ]
    if page is None or not page.asked:
        return len(read) >= FIRST_NOTES
    if page.is_draft:
        return True
    there = {name for item in items for name in (item.id, *item.merged)}
    has_lost = any(not there.issuperset(line.notes) for line in page.compiled if not page.refuses(line))
    return has_lost or len([item for item in read if item.id not in page.asked]) >= NEW_NOTES


def compile_request(
    repo: str,
    items: Sequence[Item],
    page: Page,
    told: Mapping[str, Heard],
    instructions: str,
    prompt: ReadingPrompt,
    model: str,
    draft: TriedDraft | None = None,
) -> ReadingRequest | None:
    """The question; None where there is nothing to compile. `told` says of notes and lines how often they were told,
    and had to be said again; `draft` is what the trial of the present page showed, if that is a draft."""
    if not items:
        return None
    people = sorted({name for item in items for name in speakers(item)} - {""})
    parts = [f"Repository: {repo.rpartition('/')[2] or 'none'}."]
    if len(people) > 1:
        parts.append(f"Several people work here: {', '.join(map(_letter, range(len(people))))}.")
    files = instructions[:_MOST_INSTRUCTIONS] or "nothing that was seen"
    parts += ["\n## The repository's own instruction files", files]
    heading = "Your draft, tried on the past sessions" if draft else "The present page"
    parts += [f"\n## {heading}", *(_line_rows(page, told, draft.fired if draft else {}) or ["none"])]
    if draft and draft.refused:
        parts += ["\n## Refused of your draft", *draft.refused]
    if page.removed:
        parts += ["\n## Taken out by a person; it does not come back", *(f"- {line.text}" for line in page.removed)]
    head = "\n".join(parts)
    room = MOST_TOKENS * CHARS_PER_TOKEN - len(prompt.text) - len(head) - 200
    kept: list[str] = []
    names: list[str] = []
    for item in sorted(
        items, key=lambda item: (not item.is_decided, -item.repeated, -item.belief.mean * item.saves, item.id)
    ):
        row = _note_row(item, told.get(item.id, Heard()), people)
        room -= len(row) + 1
        if room >= 0:
            kept.append(row)
            names.append(item.id)
    order = {item.id: at for at, item in enumerate(items)}
    rows = [row for _, row in sorted(zip(names, kept, strict=True), key=lambda pair: order[pair[0]])]
    text = "\n".join((head, f"\n## The notes: {len(rows)}, the latest last", *rows, ""))
    own = hash_texts(prompt.version, model, repo, text)
    names.sort()
    about = (LineSpan(0, 0), hash_texts(text), prompt.text, text, (), "")
    return ReadingRequest(own, 1, 1, *about, tuple(names), ANSWER_TOKENS)


def _line_rows(page: Page, told: Mapping[str, Heard], fired: Mapping[str, str]) -> list[str]:
    rows = []
    for line in page.lines:
        remarks = ["a person's: stays as it is"] if line.is_own else []
        remarks += [heard.in_words] if (heard := told.get(line.id, Heard())).again else []
        beside = f" [{'; '.join(remarks)}]" if remarks else ""
        rows.append(f"- ({line.heading or 'on demand'}) {line.text}{beside}{fired.get(line.id, '')}")
    return rows


def _note_row(item: Item, told: Heard, people: Sequence[str]) -> str:
    """A note in one line, with what speaks for it and where it would matter."""
    against = len({piece.session.story for piece in item.evidence if piece.is_against})
    counts = [f"{item.stories} session{'' if item.stories == 1 else 's'}", _spans(item)]
    counts.append("approved by a person" if item.is_decided else _SPEAKERS.get(item.channel, "elsewhere"))
    if len(people) > 1 and (said := sorted(_letter(people.index(name)) for name in speakers(item) if name in people)):
        counts.append(f"of {', '.join(said)}")
    counts += [f"wish of {item.whose}"] if item.whose else []
    counts += [told.in_words] if told.told else []
    counts += [f"contradicted in {against}"] if against else []
    hints = [f"when: {item.when}"] if item.when else []
    calls = (" ".join((trigger.program, *trigger.words)) for trigger in item.triggers if trigger.program)
    programs = dict.fromkeys(calls)
    paths = dict.fromkeys(trigger.path for trigger in item.triggers if trigger.path)
    errors = dict.fromkeys(trigger.signature for trigger in item.triggers if trigger.signature)
    for name, values in (("commands", programs), ("paths", paths), ("fails as", errors)):
        hints += [f"{name}: {'; '.join(list(values)[:_MOST_HINTS])}"] if values else []
    beside = f" ({' | '.join(hints)})" if hints else ""
    return f"[{item.id}] {', '.join(counts)}: {item.sentence}{beside}"


def _letter(number: int) -> str:
    return f"person {chr(ord('A') + number % 26)}"


def _spans(item: Item) -> str:
    days = [
        dt.datetime.fromtimestamp(at_ms / 1000, tz=dt.UTC).date().isoformat()
        for at_ms in (item.first_ms, item.last_ms)
        if at_ms
    ]
    return " to ".join(dict.fromkeys(days)) or "an unknown day"


def understand_brief(text: str) -> ProposedBrief | None:
    """What an answer proposes; None where it is no answer."""
    for value in json_values(text):
        if isinstance(value, dict) and any(isinstance(value.get(name), list) for name in ("brief", "on_demand")):
            brief = [_proposed(given, _heading(given)) for given in _objects(value, "brief")[:_MOST_BRIEF]]
            demand = [_proposed(given, None) for given in _objects(value, "on_demand")[:MOST_ON_DEMAND]]
            pairs = [(_text(pair, "old"), _text(pair, "new")) for pair in _objects(value, "replaces")[:MOST_ON_DEMAND]]
            checks = (_check(given) for given in _objects(value, "checks")[:MOST_CHECKS])
            return ProposedBrief(
                tuple(line for line in (*brief, *demand) if line.text),
                tuple(pair for pair in pairs if all(pair)),
                tuple(check for check in checks if check is not None),
            )
    return None


def brief_schema() -> dict[str, Any]:
    """The form of an answer, for models that can be held to one."""
    text: dict[str, Any] = {"type": "string"}
    texts = {"type": "array", "items": text}
    line = {"heading": {"type": "string", "enum": list(Heading)}, "text": text, "notes": texts}
    triggers = {"prompt": {"type": "array", "items": texts}, "paths": texts, "commands": texts, "errors": texts}
    check = dict.fromkeys(("text", "command", "other", "path", "pattern"), text)
    check |= {"kind": {"type": "string", "enum": list(CheckKind)}, "notes": texts}
    fields = {
        "brief": line,
        "on_demand": {"text": text, "notes": texts, **triggers},
        "replaces": {"old": text, "new": text},
        "checks": check,
    }
    lists = {name: {"type": "array", "items": _object(inner)} for name, inner in fields.items()}
    return _object(lists)


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


def _objects(value: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    given = value.get(name)
    return [inner for inner in given if isinstance(inner, dict)] if isinstance(given, list) else []


def _proposed(given: Mapping[str, Any], heading: Heading | None) -> ProposedLine:
    groups = given.get("prompt")
    split = [group.split() if isinstance(group, str) else group for group in groups] if isinstance(groups, list) else []
    words = [tuple(word for word in group if isinstance(word, str)) for group in split if isinstance(group, list)]
    return ProposedLine(
        text=_text(given, "text"),
        notes=tuple(dict.fromkeys(name.strip("[] ") for name in _texts(given, "notes", 40))),
        heading=heading,
        prompts=tuple(filter(None, words[:_MOST_NAMES])),
        paths=_texts(given, "paths"),
        commands=_texts(given, "commands"),
        errors=_texts(given, "errors"),
    )


def _heading(given: Mapping[str, Any]) -> Heading:
    named = given.get("heading")
    return Heading(named) if named in frozenset(Heading) else Heading.TRAP


def _check(given: Mapping[str, Any]) -> Check | None:
    kind, text = _text(given, "kind"), _text(given, "text")
    if kind not in frozenset(CheckKind) or not text:
        return None
    named = {name: _text(given, name) for name in ("command", "other", "path", "pattern")}
    return Check(kind=CheckKind(kind), text=text, notes=_texts(given, "notes", 40), **named)


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _texts(given: Mapping[str, Any], name: str, most: int = _MOST_NAMES) -> tuple[str, ...]:
    values = given.get(name)
    texts = [value.strip() for value in values if isinstance(value, str)] if isinstance(values, list) else []
    return tuple(text for text in texts if 0 < len(text) <= _LONGEST_NAME)[:most]


def form_of(request: ReadingRequest) -> AnswerForm:
    """The form of the answer to a request."""
    if request.items:
        words = "a JSON object with the lists `brief`, `on_demand`, `replaces` and `checks`"
        return AnswerForm(
            "brief", brief_schema(), words, '{"brief": [], "on_demand": [], "replaces": [], "checks": []}'
        )
    return AnswerForm("notes", notes_schema(), "a JSON object with a list `notes`", '{"notes": [], "repeats": []}')


def text_of_note(item: Item) -> str:
    """All that a note says or names, where the words of a line must stand."""
    triggers = (
        word for trigger in item.triggers for word in (trigger.path, " ".join((trigger.program, *trigger.words)))
    )
    whole = (item.sentence, item.when, item.advice, *item.files, *dict.fromkeys(triggers))
    return " ; ".join(PLACEHOLDER.sub(" ", part) for part in whole if part)
