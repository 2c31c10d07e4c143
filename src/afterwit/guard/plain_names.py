"""Names that can be nothing but names: files, tasks, programs, skills, repositories.

Whoever names a file or a task can write a sentence into it, and an agent that reads the name reads the sentence. So a
name is shown only in a closed form: few kinds of characters, a bounded length, and not the words of an order, however
they are joined (`run-this-before-each-commit`, `runThisBeforeEachCommit`). A file is not named after a host either
(`get.cdn-x.io.ts`). A name that is refused wrongly costs a hint; when in doubt it is refused. Standard library only, so
that a hook can import it.
"""

import re

_LETTERS = r"A-Za-z0-9\u00c0-\u024f"
_PART = re.compile(rf"[{_LETTERS}_.@+~$%()\[\]{{}}=,#-]{{1,80}}")
_NAME = re.compile(rf"[{_LETTERS}_.@+:/-]{{1,80}}")
_LONGEST_PATH = 160
_WORD = re.compile(r"[A-Z]?[a-z\u00df-\u00f6\u00f8-\u024f]+|[A-Z]+(?![a-z])")
_ENDING = re.compile(r"(?:\.(?:test|spec|stories|config|module|d))?\.[^.]*\Z")
_MOST_WORDS = 8  # of one name; what needs more is told, not named
_FEWEST_ADDRESSED = 3
_FEWEST_ORDERED = 4
_ORDERS = 2
_ADDRESSES = frozenset(
    "always never must please you your yourself dont immediately obey disregard urgent attention".split()  # noqa: SIM905
)
"""Words with which somebody is spoken to."""
_DEMANDS = frozenset(
    [
        "run",
        "runs",
        "execute",
        "exec",
        "use",
        "do",
        "before",
        "after",
        "every",
        "each",
        "first",
        "then",
        "instead",
        "now",
        "because",
        "when",
        "while",
        "whenever",
        "until",
        "install",
        "send",
        "follow",
        "delete",
        "remove",
        "upload",
        "download",
        "fetch",
        "curl",
        "wget",
        "read",
        "call",
        "without",
        "ensure",
        "remember",
        "tell",
        "say",
        "should",
        "shall",
        "ignore",
        "forget",
        "override",
        "bypass",
        "skip",
        "previous",
        "prior",
        "instructions",
        "instruction",
        "rules",
        "prompt",
        "secret",
        "secrets",
        "token",
        "tokens",
        "password",
        "credentials",
        "all",
        "any",
        "this",
        "that",
        "these",
        "the",
        "and",
        "not",
    ]
)
"""Words of orders. Many a name has one of them."""
_LOWERS = frozenset(
    "skip disable bypass ignore trust allow push send upload force approve accept turn drop remove delete".split()  # noqa: SIM905
)
"""Words that take a guard away or let something out. A short name may have one; a long one is an order."""
_FEWEST_LOWERED = 5
_HOSTS = frozenset("com net io xyz ru cn biz tk top cloud online".split())  # noqa: SIM905
"""Endings of hosts that are no endings of files."""


def is_plain_name(name: str) -> bool:
    """Whether this is a name in a closed form: of a program, a task, a skill, a repository."""
    return _NAME.fullmatch(name) is not None and not any(map(reads_like_a_sentence, name.split("/")))


def is_plain_path(path: str) -> bool:
    """Whether every part of a path is a plain name."""
    parts = path.strip("/").split("/")
    return len(path) <= _LONGEST_PATH and all(map(_is_plain_part, parts))


def reads_like_a_sentence(text: str) -> bool:
    """Whether the words of a name, or of a command line, are those of an order or too many for a name. What is joined
    by blanks is looked at word by word and as a whole."""
    names = text.split()
    if len(names) > 1 and any(map(reads_like_a_sentence, names)):
        return True
    words = [found[0].lower() for found in _WORD.finditer(text)]
    if len(names) <= 1 and len(words) > _MOST_WORDS:
        return True
    if len(words) >= _FEWEST_ADDRESSED and not _ADDRESSES.isdisjoint(words):
        return True
    if len(names) <= 1 and _lowers_a_guard(words):
        return True
    return len(words) >= _FEWEST_ORDERED and len(_DEMANDS.intersection(words)) >= _ORDERS


def _lowers_a_guard(words: list[str]) -> bool:
    return len(words) >= _FEWEST_LOWERED and not _LOWERS.isdisjoint(words)


def _names_a_host(part: str) -> bool:
    return not _HOSTS.isdisjoint(part.lower().split(".")[1:])


def _is_plain_part(part: str) -> bool:
    """The ending of a file's name says nothing."""
    stem = _ENDING.sub("", part)
    if _PART.fullmatch(part) is None or _names_a_host(part):
        return False
    return not reads_like_a_sentence(stem or part)
