"""What later stages need and no other row holds: prompts, stated sentences, summaries, skills that a person calls,
rules, names that an edit defines, commit messages, pull requests, instruction files.

Taken while the text is in hand, so that a session can be digested again without its original. All of it is redacted,
and bounded. A rule of a linter or compiler is known by the shape of the line that reports it, not by its id alone.
Sentences are taken for their form (`always`, `we decided`, `the root cause was`), only if they are short, whole and
prose: precision before recall. Whether one is true is not decided here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from afterwit.actions import tools
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.capture.assembly import instructions
from afterwit.capture.assembly.calls import CallOutcome, PendingCall
from afterwit.capture.assembly.texts import beginning, both_ends, safe_text
from afterwit.model.captured import ActionRow, Extract, PartFacts
from afterwit.model.kinds import CHANGES, ActionKind, EventKind, Lean, NoteKind, Status
from afterwit.model.pasted import FENCES_AND_TAGS, own_words, without_blocks
from afterwit.model.readings import Event
from afterwit.model.text import definitions_in, regex
from afterwit.redaction.matching import PatternSet
from afterwit.redaction.redaction import Redactor

_LONGEST_SENTENCE = 320
_SHORTEST_WORDS = 4
_ITEM = regex(r"(?m)^[^\S\n]*(?:(?:[-*+•]|\d{1,3}[.)])\s+|#{1,6}\s.*$|>.*$|\|.*$)")
_SPLIT = regex(r"(?<=[.!?])\s+(?=[\"'`(*A-Z])|\n{1,}")
_MARKUP = regex(r"\*\*|__")
_BLANKS = regex(r"\s+")
_RULES = (
    r"always\b",
    r"never\b",
    r"from now on\b",
    r"in (?:the )?future\b",
    r"going forward\b",
    r"by convention\b",
    r"on purpose\b",
    r"(?:we|i) (?:only |do not |don't |dont )?(?:use|prefer|want|keep|avoid|require|follow)\b",
    r"(?:please )?(?:do not|don't|dont) (?:ever |use |add |create |write |commit |push |run |touch |change |mock )",
    r"(?:must|should) (?:not |never |always |only )?(?:be|have|use|go|stay|live|follow|run|come)\b",
    r"prefer\b.{1,80}\b(?:over|to|instead)\b",
    r"instead of\b",
    r"make sure\b",
    r"wherever (?:we can|possible)\b",
    r"(?:for )?every (?:test|commit|change|file|time)\b",
    r"whenever\b",
)
_DECISIONS = (
    r"(?:we|i)(?:'ve| have)? (?:decided|agreed|settled|chose|opted)\b",
    r"(?:the|our|my) decision\b.{0,30}\b(?:is|was)\b",
    r"let's (?:go with|use|keep|stick|drop|not)\b",
    r"(?:we|i)(?:'ll| will) (?:go with|use|keep|stick with|drop)\b.{1,160}\b(?:because|since|so that|instead|rather)\b",
    r"rather than\b.{1,160}\bbecause\b",
)
_CAUSES = (
    r"root cause\b",
    r"the (?:actual |real |underlying )?(?:problem|issue|reason|cause|culprit|bug) (?:is|was|here|turned out)\b",
    r"(?:it )?turns? out\b",
    r"this (?:fails|failed|breaks|broke|happens|happened) because\b",
    r"fixed by\b",
    r"the fix (?:is|was)\b",
    r"(?:branch protection|protected branch|(?:branch|main|master) is protected)\b",
    r"HTTP [45]\d\d\b.{0,40}\bmeans\b",
    r"(?:does not|doesn't|do not|don't|cannot|can't) (?:support|accept|allow|work)\b.{1,120}\b(?:so|use"
    r"|instead|must|need)\b",
)


def _any(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(?:" + "|".join(forms) + ")", re.IGNORECASE)


_OF_PEOPLE = _any(_RULES + _DECISIONS)
_OF_AGENTS = _any(_DECISIONS + _CAUSES)
_ODD_LETTERS = regex("[\u017f\u212a\u0130\u0131]")  # which count as s, k and i


def person_statements(text: str, most: int = 8) -> list[str]:
    """Sentences of a prompt that read like a rule or a decision, and that its user typed."""
    return _take_sentences(own_words(text), _OF_PEOPLE, most)


def agent_statements(text: str, most: int = 3) -> list[str]:
    """Sentences of a reply that read like a decision or a cause that was found."""
    return _take_sentences(text, _OF_AGENTS, most) if _may_state(text) and _OF_AGENTS.search(text) else []


@cache
def _beginnings() -> PatternSet:
    """How each form begins, wherever it stands: where nothing begins so, there is no need for the slow search."""
    forms = (form.partition(".{")[0].replace(r"\b", "") for form in _DECISIONS + _CAUSES)
    return PatternSet(b"(?i)" + form.encode() for form in forms)


def _may_state(text: str) -> bool:
    is_plain = text.isascii() or not _ODD_LETTERS.search(text)
    return not is_plain or bool(_beginnings().matches(text.encode("utf-8", "surrogatepass")))


def _take_sentences(text: str, form: re.Pattern[str], most: int) -> list[str]:
    sentences: dict[str, None] = {}
    for sentence in _prose_sentences(text):
        if len(sentences) == most:
            break
        if form.search(sentence):
            sentences[sentence] = None
    return list(sentences)


def _prose_sentences(text: str) -> list[str]:
    prose = _MARKUP.sub("", _ITEM.sub("\n", without_blocks(text, FENCES_AND_TAGS)))
    flat = (_BLANKS.sub(" ", piece).strip() for piece in _SPLIT.split(prose))
    return [piece for piece in flat if _is_prose(piece)]


def _is_prose(piece: str) -> bool:
    if len(piece) > _LONGEST_SENTENCE or piece.endswith((":", "?")):
        return False
    words = piece.split()
    plain = sum(word.strip(".,;!()'\"`").isalpha() for word in words)
    return len(words) >= _SHORTEST_WORDS and plain * 2 >= len(words)


_HEAD = 20_000
_TAIL = 8_000
_LONGEST_LINE = 1_000
_MOST_RULES = 40
_MESSAGE = 160
_PLACE = r"[^\s:()]{1,200}(?::\d{1,6}(?::\d{1,5})?|\(\d{1,6},\d{1,5}\))"
_SHAPES = (
    # path:1:2: E501 message (ruff, flake8, pycodestyle) and ruff's block form "E501 [*] message"
    regex(rf"^{_PLACE}:? (?P<id>[A-Z]{{1,6}}\d{{3,4}}) (?:\[\*\] )?(?P<message>\S.*)$"),
    regex(r"^(?P<id>[A-Z]{1,6}\d{3,4}) (?:\[\*\] )(?P<message>\S.*)$"),
    regex(r"^(?P<id>[A-Z]{1,4}\d{3,4}) (?P<message>[A-Z`].*[`a-z.])$"),
    # src/a.ts(1,2): error TS2345: message, and tsc's pretty form with " - error"
    regex(rf"^{_PLACE}(?::| -) (?:error|warning) (?P<id>[A-Z]{{2,4}}\d{{3,5}}):? (?P<message>.+)$"),
    regex(r"^(?:error|warning)(?: |\[)(?P<id>[A-Z]{1,4}\d{3,5})\]?: (?P<message>.+)$"),
    # TS2345: message of bundlers, TS2345 [ERROR]: message of deno, L3: TS2345 message of a shortened report
    regex(r"^(?:✘ \[ERROR\] )?(?P<id>TS\d{4,5})(?: \[ERROR\])?: (?P<message>\S.+)$"),
    regex(r"^L\d{1,6}: (?P<id>TS\d{4,5}) (?P<message>\S.+)$"),
    # path:1:2: C0114: message (missing-docstring) of pylint
    regex(rf"^{_PLACE}: (?P<code>[CEFRW]\d{{4}}): (?P<message>.+) \((?P<id>[a-z][a-z-]{{3,50}})\)$"),
    # path:1:2: message (linter) of golangci-lint, which names a check of staticcheck first; staticcheck itself, last
    regex(
        rf"^{_PLACE}: (?P<message>(?:(?P<check>[A-Z]{{1,2}}\d{{4}}): )?.+)"
        r" \((?P<id>[a-z][a-z0-9-]{2,30}|(?:SA|ST|QF|S|U)\d{4})\)$"
    ),
    # path:1: error: message  [code] of mypy
    regex(rf"^{_PLACE}: (?:error|note): (?P<message>.+?)  ?\[(?P<id>[a-z][a-z-]{{2,40}})\]$"),
    # path:1:2 lint/group/name of biome; its message follows on a later line
    regex(
        r"^\s*(?:at )?(?:[^\s:]{1,200}(?::\d{1,6}:\d{1,5})? )?(?P<id>(?:lint|assist)/[a-z]{2,20}/[A-Za-z]{2,50}|format)"
        r"(?=\s+(?:FIXABLE|━)|$)(?:\s+FIXABLE)?(?P<message>.*)$"
    ),
    # "  12:3  error  message  rule-name" of eslint
    regex(r"^\s+\d{1,6}:\d{1,5}\s+(?:error|warning)\s+(?P<message>\S.+?)\s{2,}(?P<id>@?[a-z][\w@/-]{2,60})$"),
    # shellcheck, clippy
    regex(r"^\s*\^-+\^? (?P<id>SC\d{4})(?: \(\w+\))?: (?P<message>.+)$"),
    regex(r"^\s*= (?:note|help): .*(?P<id>clippy::[a-z_]{3,60})(?P<message>.*)$"),
)
# Every shape contains one of these. Apart, because a search for one of them is many times faster than for any of all.
_HINTS = tuple(
    regex(hint, re.MULTILINE)
    for hint in (
        r"[A-Z]\d{3}",
        r"\([a-z][a-z0-9-]{2,30}\)[ \t\r]*$",
        r"\[[a-z][a-z-]{2,40}\][ \t\r]*$",
        r"  [@\w/-]+[ \t\r]*$",
        "lint/",
        "assist/",
        "format ━",
        "clippy::",
    )
)
_TASK = regex(
    r"^(?:[^\t\n]{1,80}\t[^\t\n]{0,80}\t)?(?:\ufeff?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?\s*(?:##\[error\])?"
    r"(?:\[[^\]\n]{1,60}\] |[\w@/.-]{1,80}(?:[: ][a-z][\w:.-]{0,40})?: |[\w.-]{1,40} +\| )?\s*"
)
_ANSI = regex(r"\x1b\[[0-9;]*m")
_NEXT = regex(r"^\s*[×✖!]\s+(?P<message>\S.*)$")


def rules_in(output: str) -> dict[str, str]:
    """Rule ids that this output reports, in order, with the message of the first report of each."""
    seen = _hints_in_bytes().matches(output[:_HEAD].encode("utf-8", "surrogatepass")) or ()
    if not any(_HINTS[number].search(output, 0, _HEAD) for number in seen):
        return {}
    messages: dict[str, str] = {}
    text = _ends_of(output)
    hints = [_HINTS[number] for number in seen] if text is output and len(text) <= _HEAD else _HINTS
    for start in _lines_with_hints(text, hints):
        end = text.find("\n", start) % (len(text) + 1)
        match = _report_in(text[start:end].rstrip()) if end - start <= _LONGEST_LINE else None
        if match is None:
            continue
        groups = match.groupdict()
        rule = groups.get("check") or groups["id"]
        if rule not in messages:
            message = groups["message"].strip(" ━─-") or _message_below(text, end)
            messages[rule] = message[:_MESSAGE]
        if len(messages) == _MOST_RULES:
            break
    return messages


@cache
def _hints_in_bytes() -> PatternSet:
    """The same hints in UTF-8, where a letter or digit may be several bytes. What lacks all need not be searched."""
    return PatternSet(
        [
            rb"[A-Z][0-9\x80-\xff]{3}",
            rb"(?m)\([a-z][a-z0-9-]{2,30}\)[ \t\r]*$",
            rb"(?m)\[[a-z][a-z-]{2,40}\][ \t\r]*$",
            rb"(?m)  [@\w/\x80-\xff-]+[ \t\r]*$",
            *(hint.encode() for hint in ("lint/", "assist/", "format ━", "clippy::")),
        ]
    )


def _lines_with_hints(text: str, hints: Sequence[re.Pattern[str]]) -> list[int]:
    """Where the lines begin that may report a rule."""
    return sorted({text.rfind("\n", 0, hit.start()) + 1 for hint in hints for hit in hint.finditer(text)})


def _ends_of(output: str) -> str:
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    return _ANSI.sub("", text) if "\x1b" in text else text


def _report_in(line: str) -> re.Match[str] | None:
    """The report in a line: as it stands, within an indented block, or behind the name of a task."""
    bare = line.lstrip()
    return (
        _match_shape(line)
        or (_match_shape(bare) if bare != line else None)
        or _match_shape(_TASK.sub("", line, count=1))
    )


def _match_shape(line: str) -> re.Match[str] | None:
    return next((match for shape in _SHAPES if (match := shape.match(line))), None)


def _message_below(text: str, end: int) -> str:
    below = (line for line in text[end + 1 : end + _HEAD].split("\n", 12) if line)
    for line in islice(below, 4):
        match = _NEXT.match(line)
        if match:
            return match["message"]
    return ""


_MAYBE = regex(r"\bcommit\b|\b(?:pr|mr) (?:create|edit|new)\b")
_HEREDOC = regex(r"(?s)\A\$\(\s*cat\s*<<-?\s*(['\"]?)(\w+)\1\n(?P<body>.*?)\n?[ \t]*\2\s*\)\Z")
_COMMIT_OPTION = regex(r"(?s)(?:-[a-zA-Z]*m|--message)(?:=(?P<value>.*))?\Z")
_TITLE_OPTION = regex(r"(?s)(?:-t|--title)(?:=(?P<value>.*))?\Z")
_BODY_OPTION = regex(r"(?s)(?:-b|--body|--description)(?:=(?P<value>.*))?\Z")
_FORGES = ("gh", "glab", "tea")
_TRAILER = regex(r"(?im)^(?:Co-Authored-By|Signed-off-by|Reviewed-by|Generated with|🤖).*$")
PROMPT_LIMIT = 2_000
ENDING_LIMIT = 1_200
REPORT_LIMIT = 600  # at either end
SUMMARY_LIMIT = 6_000
MESSAGE_LIMIT = 1_500
_MOST_REPLIES = 60
_MOST_REPORTS = 64
_MOST_FILES = 40
_NAME_LIMIT = 64
_CODE_KEYS = ("old_string", "new_string", "old_str", "new_str", "content", "patch", "input", "raw", "diff", "code_edit")
_CHECKER = regex(r"lint|check|tsc|ruff|mypy|clippy|vet\b|biome|test|build|compile|pyright|pre-commit|verify")


# What Claude Code and Codex write when a person calls a skill. Commands of the client itself begin with their name.
_CALLED = regex(
    r"\s*(?:<command-message>[^<]{0,200}</command-message>\s*<command-name>/?(?P<command>[^<\s]{1,80})</command-name>"
    r"|<skill>\s*<name>(?P<skill>[^<\n]{1,80})</name>(?:\s*<path>(?P<path>[^<\n]{1,400})</path>)?)"
)


class Published(NamedTuple):
    kind: NoteKind  # COMMIT or PULL
    text: str


def of_text(number: int, part: PartFacts, event: Event, body: str) -> Iterator[Extract]:
    """The notes of a prompt, a reply or a compaction, whose redacted text is given."""
    place = part.events - 1
    if event.kind is EventKind.PROMPT:
        yield Extract(number, NoteKind.PROMPT, place, event.at_ms, beginning(body, PROMPT_LIMIT))
    elif event.kind is EventKind.COMPACTION and body:
        yield Extract(number, NoteKind.SUMMARY, place, event.at_ms, beginning(body, SUMMARY_LIMIT))
    elif event.kind is EventKind.REPLY and body:
        yield Extract(number, NoteKind.ENDING, 0, event.at_ms, beginning(body, ENDING_LIMIT))
        report = both_ends(body, REPORT_LIMIT)
        yield Extract(number, NoteKind.REPORT, part.prompts % _MOST_REPORTS, event.at_ms, report)
        stated = agent_statements(body) if part.stated < _MOST_REPLIES else []
        if stated:
            part.stated += 1
            yield Extract(number, NoteKind.REPLY, place, event.at_ms, "\n".join(stated))


def of_notice(number: int, part: PartFacts, event: Event, redactor: Redactor) -> Iterator[Extract]:
    """The note of a skill that a person calls."""
    called = _CALLED.match(event.text)
    if called:
        text = safe_text(called["path"] or called["skill"] or called["command"], redactor)
        yield Extract(number, NoteKind.SKILL, part.events - 1, event.at_ms, text)


def of_call(call: PendingCall, event: Event, redactor: Redactor) -> Iterator[Extract]:
    """The notes of a call that changes files: which, if several, and what is defined in the changed text."""
    if call.kind not in CHANGES:
        return
    arguments = event.arguments or {}
    paths = tools.paths_of(event.tool, arguments)[:_MOST_FILES]
    if len(paths) > 1:
        safe = [safe_text(path, redactor) for path in paths]
        yield Extract(call.part, NoteKind.FILES, call.ordinal, call.at_ms, msgspec.json.encode(safe).decode())
    symbols = definitions_in("\n".join(_code(arguments)))
    if symbols:
        text = safe_text(" ".join(symbols), redactor)
        yield Extract(call.part, NoteKind.SYMBOLS, call.ordinal, call.at_ms, text)


def of_result(call: PendingCall, row: ActionRow, outcome: CallOutcome, redactor: Redactor) -> Iterator[Extract]:
    """The notes of a call with a result: the instruction file that it shows, what a person said to it; of a shell call
    rules that its output reports, messages that it published, the name under which it goes on in the background."""
    has_worked = row.status is Status.SUCCEEDED or row.lean is Lean.FINE
    if call.showing and has_worked:
        yield from instructions.of_showing(call.showing, (row.part, row.ordinal), row.at_ms, outcome.text)
    if outcome.facts.said:
        yield Extract(row.part, NoteKind.SAID, row.ordinal, row.at_ms, outcome.facts.said)
    if row.kind is not ActionKind.SHELL:
        return
    if outcome.facts.running_as:
        name = safe_text(outcome.facts.running_as, redactor, _NAME_LIMIT)
        yield Extract(row.part, NoteKind.RUNNING, row.ordinal, row.at_ms, name)
    if row.status is not Status.SUCCEEDED or _CHECKER.search(row.target):
        rules = rules_in(outcome.text)
        if rules:
            yield Extract(row.part, NoteKind.RULES, row.ordinal, row.at_ms, msgspec.json.encode(rules).decode())
    if has_worked:
        for publication in publications_in(call.target):
            yield Extract(
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


def publications_in(line: str) -> list[Published]:
    """The messages that this command line makes public, in order."""
    if not _MAYBE.search(line):
        return []
    publications = (_of_command(command) for command in parsed(line).commands)
    return [publication for publication in publications if publication is not None and publication.text]


def _of_command(command: Command) -> Published | None:
    if command.program == "git" and command.subcommand == "commit":
        messages = _option_values(command, _COMMIT_OPTION) or _heredocs(command)
        return Published(NoteKind.COMMIT, _without_trailers("\n\n".join(messages)))
    if command.program in _FORGES and command.subcommand.split()[:1] in (["pr"], ["mr"]):
        texts = [
            *_option_values(command, _TITLE_OPTION),
            *(_option_values(command, _BODY_OPTION) or _heredocs(command)),
        ]
        return Published(NoteKind.PULL, _without_trailers("\n\n".join(texts)))
    return None


def _option_values(command: Command, option: re.Pattern[str]) -> list[str]:
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


def _without_trailers(text: str) -> str:
    """Without trailers, which say who wrote and not what."""
    return _TRAILER.sub("", text).strip()
