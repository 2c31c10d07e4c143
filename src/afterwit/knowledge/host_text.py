"""What the host's own files say: AGENTS.md, CLAUDE.md, rules, the agents' memory files, by path.

Whether something is said there already is asked passage by passage: a list item, a paragraph or a line of a code block,
with the heading above it. A draft counts as said when a passage names its command, without forbidding it, together with
what it is a cure for; when it names its rule; or when it holds nearly all of its telling words with the same sign.
Commands that belong together may stand below one heading, those of a list anywhere. Reading files is left to others.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from afterwit.actions.shell.command_changes import ARROW
from afterwit.harvest.statements import is_negative, salient, words_stated
from afterwit.model.knowledge import Draft, Item, Trigger
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import without_own

_MOSTLY = 0.8
_FEWEST_WORDS = 3
_REPEATED_LENGTH = 24
_HEADING = regex(r"^\s*#{1,6}\s+(.*)$")
_ITEM = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_FENCE = regex(r"^\s*(?:```|~~~)")
_ENDED = regex(r"[.!](?:[`*\")]{0,3})$")  # a line after which another sentence begins
_BLANKS = regex(r"\s+")
_PROMPT = regex(r"^\s*\$\s+")
_QUOTED = regex(r"`([^`]*)`")
_CLAUSE = regex(r"[.;:!?—](?=\s)|,\s+(?=(?:use|call|run|but|always|instead|only|prefer)\b)")
_NO = regex(r"\b(?:never|not|avoid|without|instead of|rather than)\b|n't\b")
_EXCEPT = regex(r"\b(?:until|unless|before|except)\b")


class Passage(NamedTuple):
    """A piece of a file that says one thing."""

    path: str
    line: int
    text: str
    heading: str = ""
    is_code: bool = False


class HostText(NamedTuple):
    """The texts by path. Blocks of ours in them are not the host's word and are passed over."""

    texts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "HostText":
        return cls(tuple(sorted(texts.items())))

    @property
    def passages(self) -> tuple[Passage, ...]:
        return _passages(self.texts)


def where_said(draft: Draft | Item, host: HostText) -> Passage | None:
    """The passage that says it."""
    if draft.advice and not draft.triggers:
        return _all_named((draft.advice, *commands_listed(draft.sentence)), host.passages)
    if draft.advice:
        return next((passage for section in _sections(host.passages) if (passage := _cure_in(draft, section))), None)
    return next((passage for passage in host.passages if _says(passage, draft)), None)


def repeats_host(text: str, host: HostText) -> bool:
    """Whether a text is found word for word in the host's files."""
    words = flat(text).rstrip(".…")
    return len(words) >= _REPEATED_LENGTH and any(words in flat(passage.text) for passage in host.passages)


def _sections(passages: Sequence[Passage]) -> Iterator[tuple[Passage, ...]]:
    """The passages below one heading."""
    return (tuple(group) for _, group in groupby(passages, lambda passage: (passage.path, passage.heading)))


def commands_listed(sentence: str) -> list[str]:
    """The command lines that a sentence lists."""
    return [quoted for quoted in _QUOTED.findall(sentence) if " " in quoted]


def _all_named(commands: Sequence[str], passages: Sequence[Passage]) -> Passage | None:
    """The passage that names the first command, if some passage names each."""
    naming = [next((passage for passage in passages if _advises(passage, command)), None) for command in commands]
    return naming[0] if all(naming) else None


def _cure_in(draft: Draft | Item, section: Sequence[Passage]) -> Passage | None:
    """The passage that names the command, if it or its section tells what the command is for."""
    worse, arrow, better = draft.advice.removesuffix(" …").rpartition(ARROW)
    commands = [better] if arrow else better.split(" && ")
    if _all_named(commands, section) is None:
        return None
    ailments = [worse] if arrow and f" {worse} " not in f" {better} " else []
    ailments += [trigger.rule for trigger in draft.triggers if trigger.rule]
    triggers = [] if arrow else [passage for passage in draft.triggers if not _starts(draft.advice, passage)]
    return next(
        (
            passage
            for passage in section
            if _advises(passage, commands[0])
            and all(_holds(passage, ailment) for ailment in ailments)
            and all(_holds(passage, trigger.program) or _is_about(section, trigger) for trigger in triggers)
        ),
        None,
    )


def _is_about(section: Sequence[Passage], trigger: Trigger) -> bool:
    """Whether the words of the command that fires stand in the section: `commit` in one about a hook before commits."""
    text = flat(" ".join((section[0].heading, *(passage.text for passage in section))))
    return bool(trigger.words) and all(re.search(rf"\b{re.escape(word.lower())}", text) for word in trigger.words)


def _says(passage: Passage, draft: Draft | Item) -> bool:
    rules = {trigger.rule for trigger in draft.triggers if trigger.rule}
    if rules:
        return all(_holds(passage, rule) for rule in rules)
    words = salient(words_stated(draft.sentence))
    shared = words & salient(f"{passage.heading} {passage.text}")
    is_enough = len(words) >= _FEWEST_WORDS and len(shared) >= _MOSTLY * len(words)
    return is_enough and is_negative(words_stated(draft.sentence)) == is_negative(passage.text)


def _starts(advice: str, trigger: Trigger) -> bool:
    return not trigger.program or trigger.program in advice.split()


def _advises(passage: Passage, command: str) -> bool:
    """Whether the passage names the command, and not only to forbid it."""
    text = flat(passage.text)
    return any(not _is_forbidden(text[: place.start()]) for place in _where_held(text, command))


def _is_forbidden(before: str) -> bool:
    """By the words before it in its clause: two refusals, or a refusal with an exception, ask for it."""
    clause = _CLAUSE.split(before)[-1]
    return len(_NO.findall(clause)) == 1 and not _EXCEPT.search(clause)


def _holds(passage: Passage, wanted: str) -> bool:
    return any(_where_held(flat(passage.text), wanted))


def _where_held(text: str, wanted: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w/.-]){re.escape(flat(wanted))}(?![\w-]|:\w)", text)


def flat(text: str) -> str:
    """A text as it is compared: without marks, in one line and lower case."""
    return _BLANKS.sub(" ", text.replace("`", "").replace("*", "")).strip().lower()


@functools.lru_cache(maxsize=64)
def _passages(texts: tuple[tuple[str, str], ...]) -> tuple[Passage, ...]:
    return tuple(passage for path, text in texts for passage in _of_file(path, without_own(clean(text))))


def _of_file(path: str, text: str) -> list[Passage]:
    passages: list[Passage] = []
    heading, is_code, is_open = "", False, False
    for number, line in enumerate(text.splitlines(), start=1):
        title = None if is_code else _HEADING.match(line)
        if _FENCE.match(line):
            is_code, is_open = not is_code, False
        elif title or not line.strip():
            heading, is_open = title[1].strip() if title else heading, False
        elif is_open and not is_code and not _ITEM.match(line):
            passages[-1] = passages[-1]._replace(text=f"{passages[-1].text} {line.strip()}")
            is_open = not _ENDED.search(line)
        else:
            words = _PROMPT.sub("", line) if is_code else _ITEM.sub("", line)
            passages.append(Passage(path, number, words.strip(), heading, is_code))
            is_open = not is_code and not _ENDED.search(line)
    return passages
