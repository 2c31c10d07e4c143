"""Whether two sentences say the same.

Ratios of shared words cannot tell: "before committing" and "after committing" share more than two honest wordings of
one rule do. So a sentence is reduced to what it says (commands, paths, numbers, what is denied, telling small words,
and the stems of its other words), and sentences *say the same* when all of that is equal. That is an equivalence, so
that merging does not depend on the order. `alike` is a ratio for finding pairs that a person should look at.
"""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from afterwit.harvest.statements import words_stated
from afterwit.model.text import regex, stem

DOUBTFUL = 0.6  # share of equal words from which a person should look; measured on labelled pairs
_OPPOSITE = 0.8
_QUOTE = regex(r"`([^`]*)`")
_QUOTED = "‹›"
_TOKEN = regex(r"(?i)‹›|--?[a-z][\w-]*|[\w@~./\\:*+=#-]*\w[\w/*+]*")
_PLAIN = regex(r"[A-Za-z]?[a-z]*(?:-[a-z]+)*")
_ACRONYMS = regex(r"[A-Z]{2,}s")
_CLAUSE = regex(
    r"(?is)^(?P<clause>(?:before|after|when|whenever|if|unless|until|while)\b[^,]*), *(?P<rest>.+)$",
)
_REWORDED = (
    (regex(r"(?i)n['’]t\b|\bcannot\b"), " not "),
    (regex(r"(?i)\b(?:rather than|instead of|in place of)\b"), " instead "),
    (regex(r"(?i)\bprefer\b([^.;]*?)\b(?:over|to)\b"), r"\1 instead "),
    (regex(r"(?i)\bpull requests?\b"), " PR "),
)
_NEGATIONS = frozenset("not no never none without avoid nor neither stop dont".split())  # noqa: SIM905
_TELLING = frozenset(
    """above after against before behind below between except first from if inside instead into last least less more
    most off on only out outside over than then through to under unless until up via when while""".split()  # noqa: SIM905
)
_IDLE = frozenset(
    """a all also always am an and any are as at be been being both by ca call calling calls can could do does done each
    either else ensure ever every everywhere execute executing for has have here how i in invoke invoking is it its
    itself just kindly let make may me must my need needs of or our please prefer really remember run running runs shall
    should simply so such sure that the their them there these they this those thus us use used uses using was we were
    which who will with wo would you your""".split()  # noqa: SIM905
)
_SAME_WORD = {
    "afterwards": "after", "args": "arguments", "break": "fail", "breaks": "fail", "broken": "fail", "built": "build",
    "committing": "commit", "config": "configuration", "db": "database", "dir": "folder", "directories": "folder",
    "directory": "folder", "docs": "documentation", "env": "environment", "fails": "fail", "folders": "folder",
    "kept": "keep", "linter": "lint", "linters": "lint", "made": "make", "repos": "repo", "repositories": "repo",
    "repository": "repo", "sent": "send", "tests": "test", "whenever": "when", "written": "write", "wrote": "write",
}  # fmt: skip


class Meaning(NamedTuple):
    """What a sentence says, as far as words show it. Equal meanings are the same statement."""

    quotes: tuple[str, ...]  # in backticks, in order
    marks: tuple[str, ...]  # commands, flags, paths, numbers and identifiers outside them
    denied: tuple[str, ...]  # what follows each negation
    telling: tuple[str, ...]  # small words that turn a rule around
    words: tuple[str, ...]  # stems of the rest; in the order of writing where a telling word makes it matter

    @property
    def bag(self) -> frozenset[str]:
        return frozenset((*self.words, *self.quotes, *self.marks))


@lru_cache(maxsize=65_536)
def meaning(sentence: str) -> Meaning:
    """What a sentence says. A quotation with speaker and date is reduced to what was said."""
    text = words_stated(sentence).strip()
    clause = _CLAUSE.match(text)
    if clause:
        text = f"{clause['rest']} {clause['clause']}"
    quotes = tuple(" ".join(quote.split()) for quote in _QUOTE.findall(text))
    text = _QUOTE.sub(f" {_QUOTED} ", text)
    for pattern, wording in _REWORDED:
        text = pattern.sub(wording, text)
    plain, marks = _sort_out([token.rstrip(".:") for token in _TOKEN.findall(text)])
    telling = tuple(word for word in plain if word in _TELLING)
    words = dict.fromkeys(_root(word) for word in plain if _says_something(word) and word != _QUOTED)
    ordered = tuple(words) if telling else tuple(sorted(words))
    return Meaning(quotes, tuple(sorted(set(marks))), _denials(plain), telling, ordered)


def say_the_same(first: str, second: str) -> bool:
    return meaning(first) == meaning(second)


def alike(first: Meaning, second: Meaning) -> float:
    """The share of equal words."""
    either = first.bag | second.bag
    return len(first.bag & second.bag) / len(either) if either else 0.0


def doubt(first: Meaning, second: Meaning) -> str:
    """Why a person should look at a pair that does not say the same; "" where there is no need."""
    share = alike(first, second)
    if sorted(first.quotes) != sorted(second.quotes) or first.marks != second.marks:
        return ""
    if len(first.denied) != len(second.denied):
        return "may say the opposite" if share >= _OPPOSITE else ""
    return "may say the same" if share >= DOUBTFUL else ""


def _sort_out(tokens: list[str]) -> tuple[list[str], list[str]]:
    """Plain words in lower case, and marks as they are written."""
    plain: list[str] = []
    marks: list[str] = []
    for token in tokens:
        if token == _QUOTED or _PLAIN.fullmatch(token):
            word = token.lower()
            plain.append(_SAME_WORD.get(word, word))
        elif token:
            marks.append(token[:-1] if _ACRONYMS.fullmatch(token) else token)
    return plain, marks


def _denials(plain: list[str]) -> tuple[str, ...]:
    """The words with a meaning that follow each negation, two at most."""
    denied = []
    for at, word in enumerate(plain):
        if word in _NEGATIONS:
            following = (_root(later) for later in plain[at + 1 :] if _says_something(later))
            denied.append(" ".join(islice(following, 2)))
    return tuple(sorted(denied))


def _root(word: str) -> str:
    """The stem, so that "merge" and "merging", "log" and "logged" have the same."""
    root = stem(word).removesuffix("e")
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] else root


def _says_something(word: str) -> bool:
    return word not in _IDLE and word not in _TELLING and word not in _NEGATIONS
