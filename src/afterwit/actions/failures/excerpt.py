"""What failure looks like in the output of programs, line by line, and the part of it that a person would read first.

`is_failing` knows compilers, linters, test runners, package managers and shells, and is not taken in by "0 errors".
`is_complaint_of` is the narrow question for programs whose output is content (`cat`, `grep`, `git log`): only lines in
which the program or the shell itself speaks. `echoed_exit` reads a code that the line printed. Only the beginning and
the end of a huge output are looked at; lines are cut, so time is bounded.

`error_excerpt` gives whole lines, without colours, without the frame that an agent puts around an output, without
progress and without frames of a stack trace; its size is bounded. `below_headlines` passes over the headlines under
which build tools put their report: they say that something failed, and not what.
"""

from itertools import dropwhile

from afterwit.actions.quick_look import ends_of
from afterwit.model.text import regex

_LONGEST_LINE = 2_000

_ANSI = regex(r"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f]")
_CONTROLS = tuple(map(chr, (*range(0x09), *range(0x0B, 0x20), 0x7F)))
_FINE = regex(
    r"(?i)"
    r"\b(?:0|no|zero|without(?: any)?) (?:\w{1,20} )?(?:errors?|failed|failures?|failing|fails?|problems?|issues?)\b"
    r"|\b(?:errors?|failed|failures?|fail)\s?[:=] ?0\b"
    r"|\b0 (?:errors?|fail\w*)\b"
    r"|\bexit(?:ed)?(?: with)?(?: (?:code|status))?[:= ]+0\b",
)
_PASSING = regex(r"\s*(?:\(pass\)|✓|✔|√|ok\b|PASS(?:ED)?\b|--- PASS)|.{0,500}\bPASSED\b")
# "2 failed" in a summary, but not "Task 2 failed" in a log
_COUNTED = (
    r"(?:^|[,;:(|=·✖✗×]|\b(?:and|with|[Ff]ound|Tests?|Suites?|Files|Failed))\s{0,8}[1-9]\d{0,6} "
    r"(?:tests? |specs? |suites? |checks? )?(?:errors?|failed|failures?|failing|fail|problems?)\b"
)
_SHAPES_AT_START = (
    r"npm error\b",
    r"Traceback \(most recent call last\)",
    r"[\w.]{0,120}(?:Error|Exception|Interrupt)\b(?::|$)",
    r"\s*(?:\(fail\)|✗|✘|×|✖|❌)",
    r"[1-9]\d{0,6} issues:",
    r"make(?:\[\d+\])?: \*\*\*",
    r"\s*(?:fatal|panic|FATAL|Fatal error)\b[: ]",
    r"Killed\b",
    r"zsh:\d{0,6}:? ",
    r"(?:[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to|accepts (?:at most )?\d{1,3} arg|unknown (?:JSON )?field)\b",
    r"The following paths are ignored\b|no pull requests found\b|GraphQL: ",
    r"[^ :]{1,200}:\d{1,6}:\d{1,6}: undefined:",
    r"HTTP [45]\d\d\b",
    r"CONFLICT \(|Aborting\b",
)
_SHAPES_AT_WORD = (
    r"error(?:\s+[A-Z]{1,6}\d{1,6}|\[[\w-]{1,40}\])?:",
    r"(?:Error|ERROR)\b(?::|\]|\s+-)",
    r"ERR!",
    r"ERR_[A-Z_]{3,60}\b",
    r"ELIFECYCLE\b",
    r"FAIL(?:ED|URE|URES)?\b",
    r"(?:[Ff]ailures?|[Ff]ailed|[Ee]rrors?)\s?[:=] ?[1-9]",
    r"[Ee]xit(?:ed)?(?: with)? (?:code|status)[:= ]{1,3}-?[1-9]|exit\s?[:=] ?-?[1-9]",
    r"[Ee]rror code [1-9]",
    r"panicked at\b",
    r"Segmentation fault\b|core dumped\b|Bus error\b|Out of memory\b",
    r"command not found\b|[Nn]o such file or directory\b|is not recognized as\b",
    r"[Pp]ermission denied\b|[Oo]peration not permitted\b|[Aa]ccess denied\b",
    r"no matches found:",
    r"ERROR task failed\b",
    r"undefined (?:reference|symbol|:)",
    r"Cannot find (?:module|name|package)\b|No module named\b|cannot find package\b",
    r"(?:unrecognized|unknown|unexpected|invalid) (?:option|flag|subcommand|command|argument|shorthand)\b",
    r"Could not resolve\b|no such host\b|[Cc]onnection refused\b|ECONNREFUSED\b|ETIMEDOUT\b",
    r"merge conflict\b",
    r"error Command failed\b|script \"[^\"]{1,80}\" exited with code [1-9]",
)
_SHAPES_ANYWHERE = (_COUNTED, r": not found\s*$", r"! \[(?:remote )?rejected\]")
_FAILING_AT_START = regex("|".join(_SHAPES_AT_START))
_FAILING = regex("|".join((rf"\b(?:{'|'.join(_SHAPES_AT_WORD)})", *_SHAPES_ANYWHERE)))
_SETTLED = regex(
    rf"\bFAIL(?:ED|URE|URES)?\b|{_COUNTED}"
    r"|\bexited with code [1-9]|\btest failed\b|^make(?:\[\d+\])?: \*\*\*"
)
_ALL_CLEAR = regex(
    r"^[^\S\n]*0 fail\b|\b0 failed\b|^[^\S\n]*Tests?:?\s.{0,80}\b[1-9]\d{0,6} (?:passed|passing)\b|\btest result: ok\b"
    r"|^OK(?: \(|$)|^[^\S\n]*=*\s*[1-9]\d{0,6} (?:passed|passing)\b|\bAll checks passed\b"
    r"|\b[Ff]ound 0 errors\b|\bBuild succeeded\b"
)
_COMPLAINT = regex(
    r"No such file or directory|[Pp]ermission denied|Operation not permitted|command not found|: not found\s*$"
    r"|[Ii]s a directory|[Nn]ot a directory|no matches found|[Ii]nvalid|[Uu]nrecognized|[Uu]nknown|[Ii]llegal|usage:"
    r"|not allowed|cannot |can't |could not |error|fatal|regex parse"
)
_ECHOED = regex(r"(?i)\b(?:exit|rc|status|EXIT_CODE|ret)(?:[ _]?(?:code|status))?\s{0,3}[:=]\s{0,3}(-?\d{1,3})\b")
_STATUS = (
    r"\bHTTP(?:/[\d.]{1,5})?(?: ?(?:Error|status|code|status code))?[:= ]{1,3}(?P<http>[45]\d\d)\b"
    r"|\b(?:returned error|ERROR|status(?:[ _]?code)?['\"]?|http_code|Response)[:= \[]{1,3}(?P<named>[45]\d\d)\b"
    r"|(?:^|(?<=[:'\"=>(,] )|(?<=[:'\"=>(,]))(?P<begun>[45]\d\d)(?=$|\s*[{<]|[,:)] ?[{'\"])"
    r"|(?<![\w.-])(?P<worded>[45]\d\d)"
    r"(?= (?:Client Error|Server Error|Method Not|Forbidden|Unauthorized|Not Found|page not|b?['\"]?\{))"
    r"|(?<= )(?P<last>40[1345])$"
    r"|[}>]\s{0,3}(?P<ended>[45]\d\d)$"
)
_REFUSED_STATUS = regex(f"(?m){_STATUS}")
_REFUSAL = regex(
    r"(?:\{['\"]output['\"]: ?['\"])?"  # what a tool that is called in code gives back
    rf"(?:[^{{\n]{{0,80}}?(?:{_STATUS})|\{{\s{{0,8}}['\"]message['\"]\s{{0,8}}:|\{{?\s{{0,8}}['\"](?:errors?|detail)['\"]\s{{0,8}}:)"
)
_STATUS_BEHIND = regex(r"[}>]\s{0,3}[45]\d\d$")
_GENERIC_SPEAKERS = ("bash", "zsh", "sh", "(eval)", "fatal", "error", "usage")


def lines_of(output: str) -> list[str]:
    """The lines of an output without colours and carriage-return progress; a huge output without its middle."""
    lines = ends_of(output).split("\n")
    if any(char in output for char in _CONTROLS):
        return [_ANSI.sub("", line.rstrip("\r").rpartition("\r")[2][:_LONGEST_LINE]) for line in lines]
    return [line[:_LONGEST_LINE] for line in lines]


def is_failing_line(line: str) -> bool:
    """Whether one line, without colours, reports a failure."""
    return _has_shape(line) and not _PASSING.match(line) and _has_shape(_FINE.sub("", line))


def _has_shape(line: str) -> bool:
    return _FAILING_AT_START.match(line) is not None or _FAILING.search(line) is not None


def is_failing(output: str) -> bool:
    """Whether the lines report a failure. What a test prints on its way is forgiven by a later all-clear."""
    is_failed = False
    for line in lines_of(output):
        if is_failing_line(line):
            if _SETTLED.search(_FINE.sub("", line)):
                return True
            is_failed = True
        elif is_failed and _ALL_CLEAR.search(line):
            is_failed = False
    return is_failed


def is_complaint_of(programs: frozenset[str], output: str) -> bool:
    """Whether one of these programs, or the shell, complains in the output."""
    return any(_speaks(programs, line) for line in lines_of(output))


def is_refused(output: str) -> bool:
    """Whether the answer of a server, as a client such as `curl` prints it, refuses: by its status before or behind the
    body, or by a body that begins with a message."""
    lines = [line.strip() for line in lines_of(output) if line.strip()]
    return any(_REFUSAL.match(line) or _STATUS_BEHIND.search(line) for line in (*lines[:2], *lines[-2:]))


def refused_status(error: str) -> str:
    """The status by which a server refused, as clients and libraries word it; "" where none is told."""
    match = _REFUSED_STATUS.search(error)
    return next(filter(None, match.groups()), "") if match else ""


def echoed_exit(output: str) -> int | None:
    """The last exit code that the output itself states, as in `exit: 1`."""
    code = None
    for line in lines_of(output):
        for match in _ECHOED.finditer(line):
            code = int(match[1])
    return code


def _speaks(programs: frozenset[str], line: str) -> bool:
    """`grep: x: No such file`, `zsh:1: command not found: x`, `/bin/sh: 1: x: not found`, `fatal: …`."""
    speaker, colon, _ = line.partition(":")
    if not colon:
        return False
    name = speaker.strip().rpartition("/")[2]
    return (name in programs or name in _GENERIC_SPEAKERS) and _COMPLAINT.search(line) is not None


_HEADLINE = regex(
    r"\s*(?:\[ERROR\]\s*)?(?:"
    r"(?:FAILURE: )?Build failed with an exception\.?"
    r"|BUILD FAILED(?: in \S+)?"
    r"|error during build:"
    r"|COMPILATION ERROR\s*:?"
    r"|Failed to compile\.?"
    r"|Build failed with \d+ errors?:"
    r"|\* (?:What went wrong|Where):"
    r"|Build file '[^']*' line: \d+"
    r"|Execution failed for task '[^']*'\."
    r"|> Task \S+ FAILED"
    r"|\[(?:INFO|ERROR)\]\s*-*"
    r"|-{3,}"
    r")?\s*"
)
_FRAME = regex(
    r"\s*(?:Chunk ID: |Wall time: |Process exited with code |Process running with session ID |Original token count: "
    r"|Total output lines: |Output:\s*$|[Ee]xit code:? -?\d+\s*$|Command: |\$ \S|\[rerun|</?tool_use_error>\s*$|```\s*$"
    r"|\.{3,}\s*$|[-=_*~#─━═]{3,}\s*$)"
)
_PROGRESS = regex(
    r"\s*(?:Downloading|Downloaded|Resolving|Resolved|Fetching|Installing|Compiling|Checking|Building|Collecting"
    r"|Using cached|remote: (?:Counting|Compressing|Enumerating)|Receiving objects|Unpacking|Progress|added \d"
    r"|go: (?:downloading|finding))\b"
)
_PERCENT = regex(r".{0,80}\b\d{1,3}(?:\.\d+)?\s?%")
_TAGS = regex(r"</?(?:tool_use_error|error|stderr|stdout)>")
_TRACEBACK = "Traceback (most recent call last)"
_HINTING = regex(
    r"(?i)"
    r"not found|no such|cannot|can't|could not|unable|invalid|denied|unexpected|undefined|missing|requires?\b|usage:"
    r"|refused|timed? ?out|not allowed|does not exist|doesn't|must |expected|fail|error|no matches"
    r"|rejected|conflict|unknown",
)
_PASSED = regex(r"\s*(?:\(pass\)|✓|✔|√|ok\b|PASS|--- PASS|=== RUN)")
_NEIGHBOURS = 3


def error_excerpt(output: str, limit: int = 400) -> str:
    """The first telling line and up to three that follow it; the last lines where none is telling."""
    lines = [line for line in map(_bare, lines_of(output)) if line and not _is_noise(line)]
    if not lines:
        return ""
    at = _select_lines(lines)
    if at is None:
        at = max(0, len(lines) - 1 - _NEIGHBOURS)
    return _fit(lines[at : at + 1 + _NEIGHBOURS], limit)


def _bare(line: str) -> str:
    return (_TAGS.sub("", line) if "<" in line else line).rstrip()


def _is_noise(line: str) -> bool:
    if _FRAME.match(line):
        return True
    is_progress = _PROGRESS.match(line) or ("%" in line and _PERCENT.match(line))
    return bool(is_progress) and not is_failing_line(line)


def _select_lines(lines: list[str]) -> int | None:
    """The index of the first line that reports a failure, else of the first that hints at one."""
    hint = None
    for at, line in enumerate(lines):
        if is_failing_line(line):
            return _after_trace(lines, at) if line.lstrip().startswith(_TRACEBACK) else at
        if hint is None and _HINTING.search(line) and not _PASSED.match(line):
            hint = at
    return hint


def _after_trace(lines: list[str], at: int) -> int:
    """The line that names the exception, below the frames."""
    indent = _indent(lines[at])
    for below in range(at + 1, len(lines)):
        if _indent(lines[below]) <= indent:
            return below
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _fit(lines: list[str], limit: int) -> str:
    """As many whole lines as fit; the first is cut if it does not fit alone."""
    first = lines[0].strip()
    if len(first) > limit:
        return first[: max(0, limit - 1)] + "…" if limit > 0 else ""
    text = first
    for line in lines[1:]:
        if len(text) + 1 + len(line) > limit:
            break
        text = f"{text}\n{line}"
    return text


def below_headlines(error: str) -> str:
    """The message from its first telling line on."""
    return "\n".join(dropwhile(_HEADLINE.fullmatch, error.splitlines())) or error
