"""Sentences that state something lasting: a rule, a decision, a cause. Everything else in a text is passed over.

Precision before recall: a sentence is taken for its form (`always`, `never`, `we decided`, `the root cause was`), not
for its subject, and only if it is short, whole and prose. Code blocks, quotes of tool output and headings are skipped.
Whether a sentence is true or still holds is not decided here.
"""

import re
from functools import cache

from afterwit.model.text.pasted import FENCES_AND_TAGS, own_words, without_blocks
from afterwit.model.text.patterns import regex
from afterwit.redaction.matching import PatternSet

_LONGEST = 320
_SHORTEST_WORDS = 4
_ITEM = regex(r"^[^\S\n]*(?:(?:[-*+•]|\d{1,3}[.)])\s+|#{1,6}\s.*$|>.*$|\|.*$)", re.MULTILINE)
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
    r"(?:branch protection|protected branch|branch is protected)\b",
    r"HTTP [45]\d\d\b.{0,40}\bmeans\b",
    r"(?:does not|doesn't|do not|don't|cannot|can't) (?:support|accept|allow|work)\b.{1,120}\b(?:so|use"
    r"|instead|must|need)\b",
)


def _any(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w-])(?:" + "|".join(forms) + ")", re.IGNORECASE)


_OF_PEOPLE = _any(_RULES + _DECISIONS)
_OF_AGENTS = _any(_DECISIONS + _CAUSES)
_ODD_LETTERS = regex("[\u017f\u212a\u0130\u0131]")  # which count as s, k and i


def stated_by_person(text: str, most: int = 8) -> list[str]:
    """Sentences of a prompt that read like a rule or a decision, and that its user typed."""
    return _taken(own_words(text), _OF_PEOPLE, most)


def stated_by_agent(text: str, most: int = 3) -> list[str]:
    """Sentences of a reply that read like a decision or a cause that was found."""
    return _taken(text, _OF_AGENTS, most) if _may_state(text) and _OF_AGENTS.search(text) else []


@cache
def _beginnings() -> PatternSet:
    """How each form begins, wherever it stands: where nothing begins so, there is no need for the slow search."""
    forms = (form.partition(".{")[0].replace(r"\b", "") for form in _DECISIONS + _CAUSES)
    return PatternSet(b"(?i)" + form.encode() for form in forms)


def _may_state(text: str) -> bool:
    is_plain = text.isascii() or not _ODD_LETTERS.search(text)
    return not is_plain or bool(_beginnings().matches(text.encode("utf-8", "surrogatepass")))


def _taken(text: str, form: re.Pattern[str], most: int) -> list[str]:
    sentences: dict[str, None] = {}
    for sentence in _sentences(text):
        if len(sentences) == most:
            break
        if form.search(sentence):
            sentences[sentence] = None
    return list(sentences)


def _sentences(text: str) -> list[str]:
    prose = _MARKUP.sub("", _ITEM.sub("\n", without_blocks(text, FENCES_AND_TAGS)))
    flat = (_BLANKS.sub(" ", piece).strip() for piece in _SPLIT.split(prose))
    return [piece for piece in flat if _is_prose(piece)]


def _is_prose(piece: str) -> bool:
    if len(piece) > _LONGEST or piece.endswith((":", "?")):
        return False
    words = piece.split()
    plain = sum(word.strip(".,;!()'\"`").isalpha() for word in words)
    return len(words) >= _SHORTEST_WORDS and plain * 2 >= len(words)
