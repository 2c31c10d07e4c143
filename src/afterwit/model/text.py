"""What any text is made of: pure, and without knowledge of sessions. Hooks load this module, so it uses the standard
library alone, and loads what is slow where it is needed.

Regular expressions are compiled when they are first used (`regex`): a command uses few of the program's hundreds of
patterns. `words_of` makes words where two texts are compared for what they are about, the same on every machine. Others
cannot take its place, nor it theirs: `store.rows.memory.words_of` equals the index of memory,
`recall.deck.reader.words_in` misses no exact word, `knowledge.likeness.meaning` keeps negations and order.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _LazyPattern:
    """Has the methods of the compiled pattern from the first use of one of them on."""

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    return cast(re.Pattern[AnyStr], _LazyPattern(pattern, flags))


_HUMP = regex(r"[A-Z](?<=[a-z0-9].)")
_WORD = regex(r"[a-z][a-z0-9]{2,40}")
_RUN = regex(  # of letters of scripts that are written without spaces
    r"[\u0e00-\u0eff\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
_LONG_WORD = regex(r"[^\W\d_][^\W_]{2,40}")
_WORD_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s")
_SHORTEST_STEM = 4
_IDLE = frozenset(
    """about add all also and any are back been before being but can change code context could did does done each ensure
    file files fix following for from get give has have here how implement into its just let lets like look make more
    need needs new not now only other our out over plan please see should show some such than that the their them then
    there these they this those update use used using want was way were what when where which who why will with would
    you your""".split()  # noqa: SIM905
)


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    return [stem(word) for word in _whole_words(text) if word not in _IDLE]


def word_counts(text: str) -> Counter[str]:
    """How often a text has each of its words. Of a long text quicker than its words in order."""
    counts: Counter[str] = Counter()
    for word, count in Counter(_whole_words(text)).items():
        if word not in _IDLE:
            counts[stem(word)] += count
    return counts


def _whole_words(text: str) -> list[str]:
    """Of scripts that are written without spaces each two letters side by side, behind the words of the others."""
    lower = _HUMP.sub(lambda hump: f" {hump[0]}", text).lower()
    if lower.isascii():
        return _WORD.findall(lower)
    words = _LONG_WORD.findall(_RUN.sub(" ", lower))
    return words + [run[at : at + 2] for run in _RUN.findall(lower) for at in range(max(1, len(run) - 1))]


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its ending, if enough is left."""
    for ending in _WORD_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def roots_of(text: str) -> set[str]:
    """The words of a text, one and several of a thing alike: `crates` and `crate`, `presses` and `press`."""
    return set(map(root, words_of(text)))


def root(stemmed: str) -> str:
    return max(stemmed.rstrip("es"), stemmed[:_SHORTEST_STEM], key=len)


_LONGEST_TEXT = 40_000
_DEFINITION = regex(
    r"(?m)^(?:@@ )?[ \t+-]*(?:export |default |public |private |protected |static |async |abstract "
    r"|pub(?:\(\w+\))? |unsafe )*"
    r"(?:def|class|func|function\*?|fn|struct|enum|trait|impl|interface|type|namespace|const|let|var|describe|it|test)"
    r"(?:[ \t]+\([^)\n]{1,80}\))?(?:[ \t]+|\([\"'`])([A-Za-z_$][\w$]{2,60})"
    r"|^[ \t+-]*(?:export |declare )*module[ \t]+([A-Z_a-z][\w:]{2,60})(?=[ \t]*(?:$|[{=]))",
)


def definitions_in(code: str, most: int = 12) -> list[str]:
    """The first names defined in a piece of code, each once."""
    names: dict[str, None] = {}
    for match in _DEFINITION.finditer(code, 0, _LONGEST_TEXT):
        names[match[1] or match[2]] = None
        if len(names) == most:
            break
    return list(names)


class Phrases:
    """Whether any of several forms stands in a text. A form is compiled, and tried, where a piece of text is there that
    whatever it matches holds. The same text is asked about often, so answers are remembered."""

    def __init__(self, *forms: str) -> None:
        self._forms = forms

    @cached_property
    def are_in(self) -> Callable[[str], bool]:
        forms = [(form, regex(form, re.IGNORECASE | re.MULTILINE)) for form in self._forms]
        tried = [(piece, pattern) for form, pattern in forms for piece in needed_pieces(form) or ("",)]

        def is_in(text: str) -> bool:
            folded = (text if text.isascii() else text.translate(_TWINS)).lower()
            return any(piece in folded and pattern.search(text) is not None for piece, pattern in tried)

        return lru_cache(maxsize=256)(is_in)


_TWINS = {0x130: "i", 0x131: "i", 0x17F: "s"}  # letters that a pattern without case takes for others
_TOKEN = regex(
    r"(?s)(?P<open>\((?:\?(?:[:=!]|<[=!]|P<\w+>|-?[a-z]+:))?(?!\?))|(?P<close>\))|(?P<else>\|)"
    r"|(?P<maybe>[*?]|\{[0,][\d,]*\})|(?P<text>[A-Za-z0-9 '\"_:;,/<>=@#%&~`!-]+)"
    r"|\{[\d,]+\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|."
)
_SHORTEST_PIECE = 3


def needed_pieces(form: str) -> tuple[str, ...]:
    """Pieces in small letters, the longest, of which one stands in whatever the form matches; none where it is not
    plain that one does."""
    return _PieceFinder().read(form)


class _PieceFinder:
    def __init__(self) -> None:
        self._outer: list[tuple[list[tuple[str, ...]], str]] = []
        self._branches: list[tuple[str, ...]] = [()]  # what each alternative needs
        self._last: tuple[str, ...] = ()  # what is needed by the text or group that was read last
        self._is_text = False

    def read(self, form: str) -> tuple[str, ...]:
        for token in _TOKEN.finditer(form):
            kind = token.lastgroup
            if kind == "maybe":  # of a text this is about the last letter, of a group about all of it
                self._last = (self._last[0][:-1],) if self._is_text else ()
            if self._last:
                self._take()
            if kind == "text":
                self._last, self._is_text = (token[0].lower(),), True
            elif kind == "open":
                self._outer.append((self._branches, token[0]))
                self._branches = [()]
            elif kind == "else":
                self._branches.append(())
            elif kind == "close":
                needed = self._all()
                self._branches, opening = self._outer.pop()
                self._last, self._is_text = () if opening[-1] in "=!" else needed, False
        self._take()
        return self._all()

    def _take(self) -> None:
        shortest = min(map(len, self._last), default=0)
        if shortest >= _SHORTEST_PIECE and shortest > min(map(len, self._branches[-1]), default=0):
            self._branches[-1] = self._last
        self._last, self._is_text = (), False

    def _all(self) -> tuple[str, ...]:
        return tuple(piece for pieces in self._branches for piece in pieces) if all(self._branches) else ()


_LETTERS = regex(r"[^\W\d_]+")
_CODE = regex(r"`[^`]*`|[\"“][^\"“”]*[\"”]|\S{0,80}[/_=@]\S{0,80}|\w{1,40}\.\w{1,40}")
_ALIKE = frozenset("LATIN CYRILLIC GREEK ARMENIAN CHEROKEE COPTIC LISU FULLWIDTH MATHEMATICAL".split())  # noqa: SIM905
_SHORT = 3  # letters
_FEWEST = 3  # plain words that make a sentence
_ENGLISH = frozenset(
    """a about after all also always an and any are as at be because been before both but by can cannot did do does each
    else even every fails fail fix for from get had has have how if in instead into is it its just keep look make may
    more most must need needs never new no not now of off old on once one only or other out over own per put read run
    same see set so still such take than that the their them then there these they this those through to too try two
    under until up use used uses using via was way we were what when where which while will with without works you
    your""".split()  # noqa: SIM905
)
_ANYWHERE = frozenset(  # which every language has
    """api app cli dev log pr prs sql ssh tag ui url web test tests file files code commit branch error line git
    npm""".split()  # noqa: SIM905
)


def has_disguised_word(text: str) -> bool:
    """Whether a word mixes letters of alphabets that look alike."""
    return not text.isascii() and any(len(_scripts(word[0]) & _ALIKE) > 1 for word in _LETTERS.finditer(text))


def has_strange_letters(text: str, typed: Iterable[str]) -> bool:
    """Whether a word is in letters of a script that is neither Latin nor in what was typed."""
    if text.isascii():
        return False
    own = {"LATIN"}.union(*(_scripts(word[0]) for said in typed for word in _LETTERS.finditer(said)))
    words = (match[0] for match in _LETTERS.finditer(text) if not match[0].isascii())
    return any(strange if len(word) > 1 else strange & _ALIKE for word in words if (strange := _scripts(word) - own))


def is_of_another_language(sentence: str, typed: Iterable[str]) -> bool:
    """Whether most of a sentence is in a script or a language that is neither English nor in what was typed."""
    prose = _CODE.sub(" ", sentence)
    said = {word[0].lower() for text in typed for word in _LETTERS.finditer(text)}
    if has_strange_letters(prose, said):
        return True
    words = [word for match in _LETTERS.finditer(prose) if (word := match[0].lower()) not in _ANYWHERE]
    if 2 * sum(word in said for word in words) >= len(words):
        return False
    small = [word for word in words if len(word) <= _SHORT or word in _ENGLISH]
    usual = [word for word in small if word in _ENGLISH or word in said]
    return len(words) >= _FEWEST and (not usual or 2 * len(usual) < len(small))


@lru_cache(maxsize=1 << 14)
def _scripts(word: str) -> frozenset[str]:
    if word.isascii():
        return frozenset(("LATIN",))
    import unicodedata  # slow to load

    return frozenset(unicodedata.name(letter, "UNNAMED").split()[0] for letter in word)


_TEST = regex(
    r"(?:^|/)(?:__tests__|tests?|specs?|e2e|testing)/|(?:^|/)(?:test|spec)[_-][^/]*\Z|(?:[._-](?:test|tests|spec|e2e)"
    r"|(?<=[a-z0-9])(?:Tests?|Spec))\.\w+\Z"
)
_PROSE = (".md", ".mdx", ".rst", ".txt")


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its path."""
    return bool(_TEST.search(path)) and not path.endswith(_PROSE)


def names_of_tests(path: str) -> list[str]:
    """The names, in lower case, that a file with the tests of this one may have."""
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    marked = (
        f"test_{stem}",
        f"{stem}_test",
        f"{stem}.test",
        f"{stem}.spec",
        f"{stem}_spec",
        f"{stem}test",
        f"{stem}-test",
    )
    return [f"{mark}{dot}{ending}" for mark in marked] if stem else []


def has_password(url: str) -> bool:
    """Whether a password stands in it, where others can read it."""
    from urllib.parse import urlsplit  # slow to load

    try:
        return "://" in url and urlsplit(url).password is not None
    except ValueError:
        return False


_ANY_WORD = regex(r"\w+")
_BEFORE_SHARE = 0.3
_MOST_PLACES = 50
_FAR = 40  # characters that an edge may move to a space; beyond that, the end of any word will do


def span_around(text: str, wanted: Sequence[str], reach: int) -> tuple[int, int]:
    """Where the piece begins and ends that reaches this far to both sides of the wanted words."""
    at = _best_place(text, wanted, reach // 8) if len(text) > 2 * reach else 0
    return max(0, at - reach), min(len(text), at + reach) if len(text) > 2 * reach else len(text)


def snippet(text: str, wanted: Sequence[str], width: int) -> str:
    """About `width` characters around the place where most of the wanted words stand close together. A word at an edge
    is there whole or not at all, unless it is longer than the piece."""
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat
    at = _best_place(flat, wanted, width)
    start = max(0, min(at - int(width * _BEFORE_SHARE), len(flat) - width))
    end = min(len(flat), start + width)
    start, end = _whole_from(flat, start, at), _whole_to(flat, start, end)
    return f"{'…' if start else ''}{flat[start:end].strip()}{'…' if end < len(flat) else ''}"


def _whole_from(text: str, start: int, at: int) -> int:
    """Where the first whole word begins, not behind what was searched for."""
    if not start or text[start - 1] == " ":
        return start
    space = text.find(" ", start, min(start + _FAR, at))
    return space + 1 if space >= 0 else next((place for place in range(start, at) if _is_between(text, place)), start)


def _whole_to(text: str, start: int, end: int) -> int:
    """Where the last whole word ends."""
    if end == len(text) or text[end] == " ":
        return end
    space = text.rfind(" ", max(start, end - _FAR), end)
    if space > start:
        return space
    return next((place for place in range(end, start, -1) if _is_between(text, place)), end)


def _is_between(text: str, place: int) -> bool:
    """Whether no word reaches over this place."""
    return not (_ANY_WORD.match(text[place - 1]) and _ANY_WORD.match(text[place]))


def mark_words(text: str, wanted: Sequence[str], before: str, after: str) -> str:
    """The text with every wanted word between two marks."""
    words = sorted({re.escape(word) for term in wanted for word in _ANY_WORD.findall(term)}, key=len, reverse=True)
    if not words:
        return text
    return re.sub(rf"\b(?:{'|'.join(words)})\w*", lambda word: f"{before}{word[0]}{after}", text, flags=re.IGNORECASE)


def _best_place(text: str, wanted: Sequence[str], width: int) -> int:
    """Where the window begins that holds the most different wanted words; the first of these."""
    terms = {term.casefold() for term in wanted}
    lower = text.casefold()
    places = sorted((place, term) for term in terms for place in _occurrences(lower, term))
    best, best_count = (places[0][0] if places else 0), 0
    inside: Counter[str] = Counter()
    end = 0
    for place, term in places:
        while end < len(places) and places[end][0] < place + width:
            inside[places[end][1]] += 1
            end += 1
        if len(inside) > best_count:
            best, best_count = place, len(inside)
        if best_count == len(terms):
            break
        inside[term] -= 1
        inside += Counter()
    return best


def _occurrences(text: str, term: str) -> list[int]:
    places: list[int] = []
    at = text.find(term)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(at)
        at = text.find(term, at + 1)
    return places
