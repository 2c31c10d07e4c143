"""Rules of linters, type checkers and compilers that an output reports, with what each says.

A rule is known by the shape of the line that reports it, not by its id alone: `E501` in prose or in a listing is no
report. What runs many tasks at once puts a name before each line, and the log of a continuous integration a time: they
are taken off. Only the beginning and the end of a long output are looked at, and each rule is taken once.
"""

import re
from itertools import islice

_HEAD = 20_000
_TAIL = 8_000
_LONGEST_LINE = 1_000
_MOST = 40
_MESSAGE = 160
_PLACE = r"[^\s:()]{1,200}(?::\d{1,6}(?::\d{1,5})?|\(\d{1,6},\d{1,5}\))"
_SHAPES = (
    # path:1:2: E501 message (ruff, flake8, pycodestyle) and ruff's block form "E501 [*] message"
    re.compile(rf"^{_PLACE}:? (?P<id>[A-Z]{{1,6}}\d{{3,4}}) (?:\[\*\] )?(?P<message>\S.*)$"),
    re.compile(r"^(?P<id>[A-Z]{1,6}\d{3,4}) (?:\[\*\] )(?P<message>\S.*)$"),
    re.compile(r"^(?P<id>[A-Z]{1,4}\d{3,4}) (?P<message>[A-Z`].*[`a-z.])$"),
    # src/a.ts(1,2): error TS2345: message, and tsc's pretty form with " - error"
    re.compile(rf"^{_PLACE}(?::| -) (?:error|warning) (?P<id>[A-Z]{{2,4}}\d{{3,5}}):? (?P<message>.+)$"),
    re.compile(r"^(?:error|warning)(?: |\[)(?P<id>[A-Z]{1,4}\d{3,5})\]?: (?P<message>.+)$"),
    # TS2345: message of bundlers, TS2345 [ERROR]: message of deno, L3: TS2345 message of a shortened report
    re.compile(r"^(?:✘ \[ERROR\] )?(?P<id>TS\d{4,5})(?: \[ERROR\])?: (?P<message>\S.+)$"),
    re.compile(r"^L\d{1,6}: (?P<id>TS\d{4,5}) (?P<message>\S.+)$"),
    # path:1:2: C0114: message (missing-docstring) of pylint
    re.compile(rf"^{_PLACE}: (?P<code>[CEFRW]\d{{4}}): (?P<message>.+) \((?P<id>[a-z][a-z-]{{3,50}})\)$"),
    # path:1:2: message (linter) of golangci-lint, which names a check of staticcheck first; staticcheck itself, last
    re.compile(
        rf"^{_PLACE}: (?P<message>(?:(?P<check>[A-Z]{{1,2}}\d{{4}}): )?.+)"
        r" \((?P<id>[a-z][a-z0-9-]{2,30}|(?:SA|ST|QF|S|U)\d{4})\)$"
    ),
    # path:1: error: message  [code] of mypy
    re.compile(rf"^{_PLACE}: (?:error|note): (?P<message>.+?)  ?\[(?P<id>[a-z][a-z-]{{2,40}})\]$"),
    # path:1:2 lint/group/name of biome; its message follows on a later line
    re.compile(
        r"^\s*(?:at )?(?:[^\s:]{1,200}(?::\d{1,6}:\d{1,5})? )?(?P<id>(?:lint|assist)/[a-z]{2,20}/[A-Za-z]{2,50}|format)"
        r"(?=\s+(?:FIXABLE|━)|$)(?:\s+FIXABLE)?(?P<message>.*)$"
    ),
    # "  12:3  error  message  rule-name" of eslint
    re.compile(r"^\s+\d{1,6}:\d{1,5}\s+(?:error|warning)\s+(?P<message>\S.+?)\s{2,}(?P<id>@?[a-z][\w@/-]{2,60})$"),
    # shellcheck, clippy
    re.compile(r"^\s*\^-+\^? (?P<id>SC\d{4})(?: \(\w+\))?: (?P<message>.+)$"),
    re.compile(r"^\s*= (?:note|help): .*(?P<id>clippy::[a-z_]{3,60})(?P<message>.*)$"),
)
# Every shape contains one of these. Apart, because a search for one of them is many times faster than for any of all.
_HINTS = tuple(
    re.compile(hint, re.MULTILINE)
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
_TASK = re.compile(
    r"^(?:[^\t\n]{1,80}\t[^\t\n]{0,80}\t)?(?:\ufeff?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?\s*(?:##\[error\])?"
    r"(?:\[[^\]\n]{1,60}\] |[\w@/.-]{1,80}(?:[: ][a-z][\w:.-]{0,40})?: |[\w.-]{1,40} +\| )?\s*"
)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_NEXT = re.compile(r"^\s*[×✖!]\s+(?P<message>\S.*)$")


def rules_in(output: str) -> dict[str, str]:
    """Rule ids that this output reports, in order, with the message of the first report of each."""
    if not any(hint.search(output, 0, _HEAD) for hint in _HINTS):
        return {}
    messages: dict[str, str] = {}
    text = _ends_of(output)
    for start in _hinted_lines(text):
        end = text.find("\n", start) % (len(text) + 1)
        match = _match(text[start:end].rstrip()) if end - start <= _LONGEST_LINE else None
        if match is None:
            continue
        groups = match.groupdict()
        rule = groups.get("check") or groups["id"]
        if rule not in messages:
            message = groups["message"].strip(" ━─-") or _message_below(text, end)
            messages[rule] = message[:_MESSAGE]
        if len(messages) == _MOST:
            break
    return messages


def _hinted_lines(text: str) -> list[int]:
    """Where the lines begin that may report a rule."""
    return sorted({text.rfind("\n", 0, hit.start()) + 1 for hint in _HINTS for hit in hint.finditer(text)})


def _ends_of(output: str) -> str:
    text = output if len(output) <= _HEAD + _TAIL else f"{output[:_HEAD]}\n{output[-_TAIL:]}"
    return _ANSI.sub("", text) if "\x1b" in text else text


def _match(line: str) -> re.Match[str] | None:
    """The report in a line: as it stands, within an indented block, or behind the name of a task."""
    bare = line.lstrip()
    return _shaped(line) or (_shaped(bare) if bare != line else None) or _shaped(_TASK.sub("", line, count=1))


def _shaped(line: str) -> re.Match[str] | None:
    return next((match for shape in _SHAPES if (match := shape.match(line))), None)


def _message_below(text: str, end: int) -> str:
    below = (line for line in text[end + 1 : end + _HEAD].split("\n", 12) if line)
    for line in islice(below, 4):
        match = _NEXT.match(line)
        if match:
            return match["message"]
    return ""
