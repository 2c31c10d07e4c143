"""What later stages need and no other row holds: prompts, stated sentences, summaries, rules, names that an edit
defines, commit messages, pull requests, instruction files.

Taken while the text is in hand, so that a session can be digested, and digested again, without its original. Everything
that comes in here is redacted already or is redacted here. Sizes are bounded per note; the number of replies per part
too, because agents talk much. Definitions are told by the keywords of common languages, messages by the options of `git
commit`, `gh pr create` and the like, here-documents included.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from afterwit.actions import tools
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.capture.assembly import instructions
from afterwit.capture.assembly.calls import CallOutcome, PendingCall
from afterwit.capture.assembly.rules import rules_in
from afterwit.capture.assembly.sentences import stated_by_agent
from afterwit.capture.assembly.texts import beginning, safe_text
from afterwit.guard.redaction import Redactor
from afterwit.model.captured import ActionRow, NoteRow, PartFacts
from afterwit.model.kinds import CHANGES, ActionKind, EventKind, Lean, NoteKind, Status
from afterwit.model.readings import Event

_MAYBE = re.compile(r"\bcommit\b|\b(?:pr|mr) (?:create|edit|new)\b")
_HEREDOC = re.compile(r"\A\$\(\s*cat\s*<<-?\s*(['\"]?)(\w+)\1\n(?P<body>.*?)\n?[ \t]*\2\s*\)\Z", re.DOTALL)
_COMMIT_OPTION = re.compile(r"(?:-[a-zA-Z]*m|--message)(?:=(?P<value>.*))?\Z", re.DOTALL)
_TITLE_OPTION = re.compile(r"(?:-t|--title)(?:=(?P<value>.*))?\Z", re.DOTALL)
_BODY_OPTION = re.compile(r"(?:-b|--body|--description)(?:=(?P<value>.*))?\Z", re.DOTALL)
_FORGES = ("gh", "glab", "tea")
_TRAILER = re.compile(
    r"^(?:Co-Authored-By|Signed-off-by|Reviewed-by|Generated with|🤖).*$", re.MULTILINE | re.IGNORECASE
)
_LONGEST_TEXT = 40_000
_DEFINITION = re.compile(
    r"^(?:@@ )?[ \t+-]*(?:export |default |public |private |protected |static |async |abstract "
    r"|pub(?:\(\w+\))? |unsafe )*"
    r"(?:def|class|func|function\*?|fn|struct|enum|trait|impl|interface|type|namespace|const|let|var|describe|it|test)"
    r"(?:[ \t]+\([^)\n]{1,80}\))?(?:[ \t]+|\([\"'`])([A-Za-z_$][\w$]{2,60})"
    r"|^[ \t+-]*(?:export |declare )*module[ \t]+([A-Z_a-z][\w:]{2,60})(?=[ \t]*(?:$|[{=]))",
    re.MULTILINE,
)
PROMPT_LIMIT = 2_000
ENDING_LIMIT = 1_200
SUMMARY_LIMIT = 6_000
MESSAGE_LIMIT = 1_500
_MOST_REPLIES = 60
_MOST_FILES = 40
_NAME_LIMIT = 64
_CODE_KEYS = ("old_string", "new_string", "old_str", "new_str", "content", "patch", "input", "raw", "diff", "code_edit")
_CHECKER = re.compile(r"lint|check|tsc|ruff|mypy|clippy|vet\b|biome|test|build|compile|pyright|pre-commit|verify")


class Published(NamedTuple):
    kind: NoteKind  # COMMIT or PULL
    text: str


def of_text(number: int, part: PartFacts, event: Event, body: str) -> Iterator[NoteRow]:
    """The notes of a prompt, a reply or a compaction, whose redacted text is given."""
    place = part.events - 1
    if event.kind is EventKind.PROMPT:
        yield NoteRow(number, NoteKind.PROMPT, place, event.at_ms, beginning(body, PROMPT_LIMIT))
    elif event.kind is EventKind.COMPACTION and body:
        yield NoteRow(number, NoteKind.SUMMARY, place, event.at_ms, beginning(body, SUMMARY_LIMIT))
    elif event.kind is EventKind.REPLY and body:
        yield NoteRow(number, NoteKind.ENDING, 0, event.at_ms, beginning(body, ENDING_LIMIT))
        stated = stated_by_agent(body) if part.stated < _MOST_REPLIES else []
        if stated:
            part.stated += 1
            yield NoteRow(number, NoteKind.REPLY, place, event.at_ms, "\n".join(stated))


def of_call(call: PendingCall, event: Event, redactor: Redactor) -> Iterator[NoteRow]:
    """The notes of a call that changes files: which, if several, and what is defined in the changed text."""
    if call.kind not in CHANGES:
        return
    arguments = event.arguments or {}
    paths = tools.paths_of(event.tool, arguments)[:_MOST_FILES]
    if len(paths) > 1:
        safe = [safe_text(path, redactor) for path in paths]
        yield NoteRow(call.part, NoteKind.FILES, call.ordinal, call.at_ms, msgspec.json.encode(safe).decode())
    symbols = symbols_in("\n".join(_code(arguments)))
    if symbols:
        text = safe_text(" ".join(symbols), redactor)
        yield NoteRow(call.part, NoteKind.SYMBOLS, call.ordinal, call.at_ms, text)


def of_result(call: PendingCall, row: ActionRow, outcome: CallOutcome, redactor: Redactor) -> Iterator[NoteRow]:
    """The notes of a call with a result: the instruction file that it shows; of a shell call rules that its output
    reports, messages that it published, the name under which it goes on in the background."""
    has_worked = row.status is Status.SUCCEEDED or row.lean is Lean.FINE
    if call.showing and has_worked:
        yield from instructions.of_showing(call.showing, (row.part, row.ordinal), row.at_ms, outcome.text)
    if row.kind is not ActionKind.SHELL:
        return
    if outcome.facts.running_as:
        name = safe_text(outcome.facts.running_as, redactor, _NAME_LIMIT)
        yield NoteRow(row.part, NoteKind.RUNNING, row.ordinal, row.at_ms, name)
    if row.status is not Status.SUCCEEDED or _CHECKER.search(row.target):
        rules = rules_in(outcome.text)
        if rules:
            yield NoteRow(row.part, NoteKind.RULES, row.ordinal, row.at_ms, msgspec.json.encode(rules).decode())
    if has_worked:
        for publication in published(call.target):
            yield NoteRow(
                row.part, publication.kind, row.ordinal, row.at_ms, beginning(publication.text, MESSAGE_LIMIT)
            )


def _code(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The texts among the arguments of an edit that hold code."""
    for key in _CODE_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, Mapping):
            yield from _code(edit)


def symbols_in(code: str, most: int = 12) -> list[str]:
    """The first names defined in a piece of code, each once."""
    names: dict[str, None] = {}
    for match in _DEFINITION.finditer(code, 0, _LONGEST_TEXT):
        names[match[1] or match[2]] = None
        if len(names) == most:
            break
    return list(names)


def published(line: str) -> list[Published]:
    """The messages that this command line makes public, in order."""
    if not _MAYBE.search(line):
        return []
    publications = (_of_command(command) for command in parsed(line).commands)
    return [publication for publication in publications if publication is not None and publication.text]


def _of_command(command: Command) -> Published | None:
    if command.program == "git" and command.subcommand == "commit":
        messages = _values(command, _COMMIT_OPTION) or _heredocs(command)
        return Published(NoteKind.COMMIT, _clean("\n\n".join(messages)))
    if command.program in _FORGES and command.subcommand.split()[:1] in (["pr"], ["mr"]):
        texts = [*_values(command, _TITLE_OPTION), *(_values(command, _BODY_OPTION) or _heredocs(command))]
        return Published(NoteKind.PULL, _clean("\n\n".join(texts)))
    return None


def _values(command: Command, option: re.Pattern[str]) -> list[str]:
    """What follows each occurrence of an option."""
    words, values = command.arguments, list[str]()
    for at, word in enumerate(words):
        match = option.match(word)
        if match is None:
            continue
        value = match["value"] if match["value"] is not None else next(iter(words[at + 1 : at + 2]), "")
        document = _HEREDOC.match(value)
        values.append(document["body"] if document else value)
    return values


def _heredocs(command: Command) -> list[str]:
    return [redirection.body for redirection in command.redirections if redirection.body]


def _clean(text: str) -> str:
    """Without trailers, which say who wrote and not what."""
    return _TRAILER.sub("", text).strip()
