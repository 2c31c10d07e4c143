"""Whether two sources cannot both be followed: a line of an instruction file and a note, or lines of two files.

One rule for all who ask: `reconcile`, which shows contradictions to people, and `settle`, which marks notes that a file
denies so that no agent is told them. Two sources contradict each other in three ways. They name *another command for
the same purpose* (`npm test`, `bun run test`), and none of the host's files names that of the note; programs of
different languages are no rivals, a task runner such as `make` is everybody's. One *refuses what the other wants*
("pnpm, not npm", "never run `npm test`"), and where both say what it is about, they are about the same thing. Or they
say *the same words with opposite sign* ("always squash", "never squash"). Plain words are compared, so an odd pair may
be seen now and then: a person who pins a note has the last word. Pure.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from afterwit.actions.shell.command_changes import ARROW
from afterwit.actions.shell.parse import parse
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.harvest.statements import is_negative, likeness, salient, words_stated
from afterwit.knowledge.host_text import HostText, Passage, commands_listed, flat, where_said
from afterwit.model.knowledge import READ, Channel, Draft, HostLine, Item
from afterwit.model.text import regex

_ALIKE = 0.6
_FEWEST_WORDS = 2
_ONE_WAY = frozenset(
    (Purpose.TEST, Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.MEND, Purpose.FORMAT, Purpose.BUILD)
)  # a repository starts several servers, and generates several things
_PLAIN_WRAPPERS = frozenset(("timeout", "env", "time", "nice", "nohup", "command", "exec", "sudo", "xargs"))
_TEMPLATES = (Channel.OUTCOME, Channel.TOOL)
_ANY = "any"
_FAMILIES = {
    program: family
    for family, programs in {
        _ANY: "make gmake just task mise nx turbo bazel bazelisk buck buck2 pants pre-commit lefthook",
        "javascript": "npm pnpm yarn bun deno npx bunx jest vitest mocha ava tap eslint biome oxlint prettier tsc"
        " vue-tsc svelte-check webpack rollup esbuild tsup parcel next nuxt astro ng vite lerna",
        "python": "pytest py.test tox nox nose2 unittest python uv poetry hatch pdm ruff flake8 pylint black isort mypy"
        " pyright basedpyright ty invoke inv",
        "go": "go golangci-lint gotestsum gofmt goimports gofumpt staticcheck revive",
        "rust": "cargo rustfmt clippy",
        "jvm": "gradle gradlew mvn mvnw sbt lein ktlint detekt checkstyle scalafmt",
        "ruby": "rspec rake bundle rails rubocop standardrb",
        "php": "phpunit pest composer artisan phpcs pint phpstan psalm",
    }.items()
    for program in programs.split()
}
_CODE = regex(r"`([^`\n]{2,120})`")
_FILE = regex(r"\w\.\w{1,5}\Z")
_NORM = regex(r"(?i)\b(?:always|never|must|should|do not|don't|use|avoid|prefer|only)\b")
_QUOTED = r"`[^`\n]{1,80}`"
_TERM = rf"({_QUOTED}|[A-Za-z][\w.+#/@-]*)"
_VERB = r"(?:use|using|run|running|call|calling|invoke|invoking|install|installing|with|through|via)"
_IDLE = r"(?:ever|the|an?|any|plain|bare|raw|to)"
_CONTRAST = regex(
    rf"(?i)(?:,\s*(?:and\s+|but\s+)?(?:not|never)|\binstead of|\brather than|\bin place of"
    rf"|(?<=\w|`)(?<!do)(?<!does)(?<!is)(?<!are)(?<!must)(?<!should)(?<!can)(?<!will)(?<!or)(?<!and)(?<!but)\s+not)"
    rf"\s+(?:{_VERB}\s+|{_IDLE}\s+)*{_TERM}",
)
_FORBIDDEN = regex(
    rf"(?i)\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|avoid|stop|no longer)\s+(?:{_IDLE}\s+)*"
    rf"(?:(?:{_VERB}\s+(?:{_IDLE}\s+)*)+{_TERM}|({_QUOTED}))",
)
_WANTED = regex(
    rf"(?i)\b(?:{_VERB}|uses|prefer|switch(?:ed)? to|moved? to|runs|goes through)\s+(?:only\s+|always\s+|{_IDLE}\s+)*"
    rf"{_TERM}",
)
_CONDITION = regex(r"(?i)[^.;!?]*?\b(?:without|unless|until|before|except|when|while|if|after|alone|by itself)\b")
_FORM = salient("run running runs call calling invoke invoking install via through avoid stop longer place everything")
_WORD = regex(r"[a-z][\w.+#@-]*\w")


class NamedCommand(NamedTuple):
    """A command that serves a purpose as a whole."""

    purpose: Purpose
    program: str  # with what it is run through
    family: str


class Claim(NamedTuple):
    """What a line or a note wants of whoever reads it."""

    text: str
    commands: tuple[NamedCommand, ...] = ()
    wanted: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()  # words that are spoken of, and not against
    about: frozenset[str] = frozenset()  # the telling words beside what is wanted and refused
    words: frozenset[str] = frozenset()  # the telling words of a rule
    is_negative: bool = False


class Denial(NamedTuple):
    """The line that says otherwise, and what about."""

    passage: Passage
    about: str


def host_line(note: Draft | Item, host: HostText) -> HostLine | None:
    """The line of the host's files that says a note already, or else one that says otherwise."""
    said, denial = where_said(note, host), denial_of(note, host)
    if denial is not None and said in (None, denial.passage):
        return HostLine(denial.passage.path, denial.passage.line, is_otherwise=True)
    return HostLine(said.path, said.line) if said else None


def denial_of(note: Draft | Item, host: HostText) -> Denial | None:
    """The first line of the host's files that says otherwise than a note; None where there is none."""
    claim, claims = claim_of_note(note), claims_of(host)
    for command in claim.commands:
        named = [(passage, rival) for passage, other in claims for rival in other.commands]
        same = [(passage, rival) for passage, rival in named if rival.purpose is command.purpose]
        if any(rival.program == command.program for _, rival in same):
            continue
        rivals = (passage for passage, rival in same if are_rivals(command, rival))
        if passage := next(rivals, None):
            return Denial(passage, f"the command for {command.purpose}")
    opposed = ((passage, opposition(claim, other)) for passage, other in claims)
    return next((Denial(passage, about) for passage, about in opposed if about), None)


@lru_cache(maxsize=64)
def claims_of(host: HostText) -> tuple[tuple[Passage, Claim], ...]:
    """What each line of the host's files wants."""
    return tuple((passage, claim_of_passage(passage)) for passage in host.passages)


def claim_of_passage(passage: Passage) -> Claim:
    if passage.is_code:
        return Claim(passage.text, tuple(_commands((passage.text,))), frozenset((flat(passage.text),)))
    return _claim(passage.text)


def claim_of_note(note: Draft | Item) -> Claim:
    """What a note wants: its command, and what its words say. Of a sentence that is made from a template count the
    commands that it lists and what it says to do without: what else it quotes is what happened."""
    said = words_stated(note.sentence)
    advised = note.advice.rpartition(ARROW)[2]
    if note.channel not in _TEMPLATES or note.harvester == READ:
        return _with_commands(_claim(said), (advised,))
    listed = () if note.triggers else commands_listed(said)
    whole = _claim(said)
    return _with_commands(Claim(said, refused=whole.refused, about=whole.about), (advised, *listed))


def are_rivals(first: NamedCommand, second: NamedCommand) -> bool:
    """Whether two commands are two ways to the same end."""
    is_same_end = first.purpose is second.purpose and first.program != second.program
    return is_same_end and (first.family == second.family or _ANY in (first.family, second.family))


def opposition(first: Claim, second: Claim) -> str:
    """What two claims are opposed about; "" where they are not."""
    for refusing, wanting in ((first, second), (second, first)):
        for refused in sorted(refusing.refused):
            if _is_wanted(refused, wanting) and not _is_wanted(refused, refusing) and _may_meet(refusing, wanting):
                return refused
            if _is_spoken_for(refused, refusing, wanting):
                return refused
    is_rule = min(len(first.words), len(second.words)) >= _FEWEST_WORDS
    if is_rule and first.is_negative != second.is_negative and likeness(first.words, second.words) >= _ALIKE:
        return " ".join(sorted(first.words & second.words))
    return ""


def _is_wanted(refused: str, claim: Claim) -> bool:
    return any(wanted == refused or wanted.startswith(f"{refused} ") for wanted in claim.wanted)


def _may_meet(first: Claim, second: Claim) -> bool:
    return not first.about or not second.about or bool(first.about & second.about)


def _is_spoken_for(refused: str, refusing: Claim, other: Claim) -> bool:
    """Whether "Redis, not Postgres, for the queue" meets "Postgres holds the queue", which says nothing of Redis."""
    is_named = refused in other.mentioned and not refusing.wanted & other.mentioned
    return is_named and bool(refusing.wanted) and bool(refusing.about & other.about)


@lru_cache(maxsize=1 << 12)
def _claim(text: str) -> Claim:
    contrasts = [match for match in _CONTRAST.finditer(text) if _counts(match, text)]
    forbidden = [match for match in _FORBIDDEN.finditer(text) if _counts(match, text)]
    refused = frozenset(_term(match) for match in (*contrasts, *forbidden))
    kept = _without(text, (*contrasts, *forbidden))
    wanted = frozenset(flat(match[1]) for match in _WANTED.finditer(kept)) | frozenset(map(flat, _CODE.findall(kept)))
    plain = _without(text, contrasts)
    is_against = is_negative(plain)
    wanted = frozenset() if is_negative(kept) else wanted - refused
    named = " ".join((*wanted, *refused))
    return Claim(
        text=text,
        commands=tuple(_commands(_CODE.findall(kept))) if wanted else (),
        wanted=wanted,
        refused=refused,
        mentioned=frozenset() if is_against else frozenset(_WORD.findall(kept.lower())) - refused,
        about=salient(text) - salient(named) - _FORM,
        words=salient(plain) if _NORM.search(text) else frozenset(),
        is_negative=is_against,
    )


def _with_commands(claim: Claim, lines: Iterable[str]) -> Claim:
    lines = tuple(line.removesuffix(" …") for line in lines if line)
    wanted = claim.wanted | frozenset(map(flat, lines))
    return claim._replace(commands=tuple(dict.fromkeys((*claim.commands, *_commands(lines)))), wanted=wanted)


def _counts(match: re.Match[str], text: str) -> bool:
    """Whether something is refused at all: not only in some case, and no word that names nothing."""
    return not _CONDITION.match(text, match.end()) and bool("`" in match[0] or salient(_term(match)))


def _term(match: re.Match[str]) -> str:
    return flat(next(filter(None, match.groups()))).removesuffix("…").rstrip(" .")


def _without(text: str, matches: Iterable[re.Match[str]]) -> str:
    for match in sorted(matches, key=lambda match: match.start(), reverse=True):
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return text


def _commands(lines: Iterable[str]) -> Iterator[NamedCommand]:
    """The commands of these lines that serve a purpose as a whole, not for one file."""
    for line in lines:
        for command in parse(line).commands:
            purpose = purpose_of(command)
            if purpose in _ONE_WAY and not any(_FILE.search(word) for word in command.arguments):
                wrappers = [word for word in command.wrappers if word not in _PLAIN_WRAPPERS]
                family = _FAMILIES.get(command.program, command.program)
                yield NamedCommand(purpose, " ".join((*wrappers, command.program)), family)
