"""Commands that a sentence speaks of, between backticks or in plain words, and what of them only a person may advise.

Plain words are read too: what follows the name of a program, up to a word that ends a command. That one worked says
nothing for it. Pure.
"""

from collections.abc import Collection, Iterator

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import names
from afterwit.harvest.commands.harmless import does_harm, unknown_parts
from afterwit.harvest.commands.harmless_table import FETCHING, KNOWN_NAMES, LOWERS, REACHING
from afterwit.harvest.commands.own_tools import is_of_own_tools, strangers_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.model.text import regex

SPAN = regex(r"`([^`]+)`")
PLACEHOLDER = regex(r"<[^<>]*>|\{[^{}]*\}|…|\.\.\.|\*+")
_ADVISED = regex(r"(?i)\b(?:run|use|call|execute|try|start|invoke|type|install)(?:ning|s)?[:\s]+$")
_BY = regex(r"(?i)\b(?:with|via|through)\s+$")
_RUN = regex(r"(?i)\b(?:run|execute|invoke|launch)(?:ning|s)?[:\s]+$")
_NAME = regex(r"[a-z./~][\w./~-]*")
_FLAG = regex(r"\s--?\w|\s(?:\||&&|;)\s|\$\(")
_LONG_FLAG = regex(r"(?<![\w-])--[a-z][\w-]+")
_RIGHTS = names("sudo doas chmod chown")
_PROGRAMS = (FETCHING | REACHING | _RIGHTS) - {"http", "https"} | names(
    "git gh npm pnpm yarn bun deno pip pip3 pipx uv poetry cargo brew apt-get docker podman kubectl helm terraform"
    " bash zsh sh eval python python3 node ruby perl php osascript pwsh powershell make jest vitest eslint mocha pytest"
    " rspec tsc gradle mvn mypy ruff rm"
)
_PLAIN = regex(
    r"(?<![\w./-])(?P<program>(?:[A-Z][A-Z_]{1,40}=\S{1,80} ){0,4}"
    rf"(?:{'|'.join(sorted(_PROGRAMS, reverse=True))})) (?P<rest>[^`]+)"
)
_ENDING = regex(
    r"(?i)[.,;!?)\"'](?:\s|$)|(?:^|\s)(?:the|an?|to|for|in|on|at|before|after|when(?:ever)?|if|as|and|or|but|then|first|again|once"
    r"|instead|because|so|that|which|it|is|are|was|were|with(?:out)?|from|by|of|not|must|should|fail\w*|needs?|work\w*|does"
    r"|did|has|have|will|can|may|here|there|this|these|those|only|also|still|never|always|sa(?:ys|id)|gives|shows|while|during"
    r"|until|unless|since|than|rather|into|over|under|via|per|stops|hangs|refuses|reports|complains)(?=[\s.,;!?]|$)",
)
_LIKE_AN_ARGUMENT = regex(r"-|.{0,120}?(?:[/:@=_]|\.\w)")


def power_in(sentence: str, called: Collection[str] = (), own: Collection[str] = ()) -> str:
    """The first command, or flag that lowers a guard, of a sentence that only a person may advise; "" where there is
    none. `called` are programs that are known to be such, `own` the user's own tools."""
    calls = (call for call, _ in calls_in(sentence, called))
    powerful = next((call for call in calls if not _is_ordinary(PLACEHOLDER.sub("x", call), own)), "")
    if powerful:
        return powerful
    flags = (match[0] for match in _LONG_FLAG.finditer(sentence) if LOWERS.fullmatch(match[0]))
    return next(flags, "") or next(_powerful_words(SPAN.sub(" ` ", sentence)), "")


def _is_ordinary(call: str, own: Collection[str]) -> bool:
    return is_tellable(call) or (bool(own) and is_of_own_tools(call, own))


def strangers_named_in(sentence: str, called: Collection[str] = ()) -> frozenset[str]:
    """The programs of its calls that no table knows."""
    calls = (PLACEHOLDER.sub("x", call) for call, _ in calls_in(sentence, called))
    return frozenset(name for call in calls if not is_tellable(call) for name in strangers_in(call))


def can_do_harm(line: str) -> bool:
    """Whether a line that may be prose is a command that can do harm. What is merely unknown does not count."""
    return bool(power_in(line)) or any(map(does_harm, unknown_parts(line)))


def calls_in(sentence: str, called: Collection[str] = ()) -> list[tuple[str, bool]]:
    """What stands between backticks and can be run, each with whether the sentence says to run it: that alone makes it
    a command; else it begins with a program, or looks like a call. Messages and pieces of code are none."""
    calls = []
    for match in SPAN.finditer(sentence):
        span, before = " ".join(match[1].split()), sentence[: match.start()]
        if " " not in span:
            if _RUN.search(before) and _NAME.fullmatch(span):
                calls.append((span, True))
        elif (is_advised := _ADVISED.search(before) is not None) or _is_call(span, called):
            calls.append((span, is_advised))
    return calls


def program_of(span: str) -> str:
    return next((command.program for command in parsed(span).commands if command.program), "")


def _is_call(span: str, called: Collection[str]) -> bool:
    first = program_of(span)
    if first in KNOWN_NAMES or first in REACHING or first in called:
        return True
    return _NAME.fullmatch(span.split(maxsplit=1)[0]) is not None and _FLAG.search(span) is not None


def _powerful_words(prose: str) -> Iterator[str]:
    """Commands in plain words that can do something by name. What is merely unknown is mostly no command."""
    for match in _PLAIN.finditer(prose):
        before, name = prose[: match.start()], match["program"].split()[-1]
        words = _ENDING.split(match["rest"], maxsplit=1)[0].split()
        is_advised = _ADVISED.search(before) or _BY.search(before)
        call = " ".join((match["program"], *words))
        is_meant = is_advised or name in FETCHING | _RIGHTS or not before
        if is_advised and name in _RIGHTS:
            yield name
        elif words and (is_meant or any(map(_LIKE_AN_ARGUMENT.match, call.split()))):
            yield from [call] if any(map(does_harm, unknown_parts(call))) else []
