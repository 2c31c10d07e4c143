"""Whether lines of a session say what a sentence says: enough of its words, not the other way round, and not a piece
cut out of what somebody said. Pure, and of words alone: who spoke, and what follows from that, `checks` decides.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from afterwit.harvest.commands.spoken import SPAN
from afterwit.knowledge.likeness import meaning
from afterwit.model.text.words import words_of
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.marks import is_telling, marks_in

SUPPORT = 0.34  # of a sentence's words that its lines, or those beside them, must hold
_JOINED = 2  # words of marks that say something together
_BESIDE_MARK = 3  # other words of a sentence with one mark that must stand in its lines
_WITHOUT_MARK = 4  # the same, of one without any
_RULE = re.compile(r"\b(?:never|always|must|only|not|use|prefer|keep|instead)\b|n't\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!?;]\s|\n")
_CLAUSES = re.compile(r"[.;:!?]\s+")
_PARTS = re.compile(r"[.;:!?,()]\s+|\s\(|\s[–—-]\s|\s(?:and|but|then|or|so)\s")
_WHOLE_CLAUSE = 3  # words of a clause that says something by itself
_IN_CLAUSE = 0.15  # of them that must stand in the lines; those who retell in their own words keep little more
_WHOLE_PART = 2
_IN_PART = 0.5  # the same of a part of what is to be somebody's own words
_TOKEN = re.compile(r"[\w'’]+(?:[./-]\w+)*")
_KEPT = 0.75  # of the words of a sentence, and of those it is taken from, that must be the same in the same order
_ALIKE = 0.4
_NEGATIONS = frozenset("not never no none nobody nothing cannot refrain avoid stop wrong longer".split())  # noqa: SIM905
_LIMIT = re.compile(
    rf"{'|'.join(_NEGATIONS)}|\w+n't|without|except|unless|until|only|before|after|also|may|optional|once"
)
_MOST_MISSING = 2  # of such words in a row that may stand nowhere


def share_of_words(sentence: str, lines: Iterable[SessionLine]) -> float:
    """Which share of a sentence's words stands in these lines."""
    wanted = set(words_of(sentence))
    there = {word for line in lines for word in words_of(line.text)}
    return len(wanted & there) / len(wanted) if wanted else 1.0


def is_borne_out(sentence: str, lines: Sequence[SessionLine]) -> bool:
    """Whether enough of a sentence stands in these lines: of all its words, and of those around its marks the more, the
    fewer marks it has. A name alone bears out nothing that is said of it; a short rule has to stand there as it is."""
    if share_of_words(sentence, lines) < SUPPORT:
        return False
    there = {word for line in lines for word in words_of(line.text)}
    plain = set(words_of(SPAN.sub(" ", sentence)))
    shared = len(plain & there)
    marks = sum(1 + (" " in mark) for mark in marks_in(sentence) if is_telling(mark))
    if marks:
        return marks >= _JOINED or shared >= _BESIDE_MARK
    return shared >= _WITHOUT_MARK or (shared == len(plain) and _RULE.search(sentence) is not None)


def is_all_said(sentence: str, lines: Iterable[SessionLine], *, as_typed: bool = False) -> bool:
    """Whether each clause stands in these lines. `as_typed`: each part of one, with hardly a word missing in a row."""
    there = {word for line in lines for word in words_of(line.text)}
    pattern, fewest, least = (_PARTS, _WHOLE_PART, _IN_PART) if as_typed else (_CLAUSES, _WHOLE_CLAUSE, _IN_CLAUSE)
    for clause in pattern.split(sentence):
        words = set(words_of(clause))
        if len(words) >= fewest and len(words & there) < least * len(words):
            return False
    gaps = "".join("x" if word in there else " " for word in words_of(sentence)) if as_typed else "x"
    return " " * (_MOST_MISSING + 1) not in gaps


def is_verbatim(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence keeps somebody's own words, their order and all that limits them: of one line, nearly all, so
    that nothing was swapped, left out or turned into an order."""
    said = _TOKEN.findall(sentence.lower())
    return any(_is_kept(said, _meant_in(line.text, said)) for line in lines)


def keeps_denials(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence denies as often as one of the lines that it is taken from."""
    said = _TOKEN.findall(sentence.lower())
    return any(_limits(said).count("not") == _limits(_meant_in(line.text, said)).count("not") for line in lines)


def _is_kept(said: Sequence[str], typed: Sequence[str]) -> bool:
    if _limits(said) != _limits(typed):
        return False
    kept = sum(block.size for block in SequenceMatcher(None, said, typed, autojunk=False).get_matching_blocks())
    return kept >= _KEPT * max(len(said), len(typed))


def _meant_in(text: str, said: Sequence[str]) -> list[str]:
    """The words of those sentences of a line that have some of these."""
    sentences = (_TOKEN.findall(piece.lower()) for piece in _CLAUSE_END.split(text))
    return [word for words in sentences if len(set(words) & set(said)) >= _ALIKE * len(words) for word in words]


def _limits(words: Iterable[str]) -> list[str]:
    return sorted(
        "not" if word in _NEGATIONS or word.endswith("n't") else word for word in words if _LIMIT.fullmatch(word)
    )


def is_turned_round(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether the sentence says to do what the user said not to do, with nobody else who says so."""
    denied = {phrase.split()[0] for phrase in meaning(sentence).denied if phrase}
    words = set(meaning(sentence).words) - denied
    spoken = (line for line in lines if line.speaker in (Speaker.USER, Speaker.PASTED))
    said = (phrase for line in spoken for phrase in meaning(line.text).denied)
    return any(phrase and words.issuperset(phrase.split()) for phrase in said)


def is_cut_out(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether the sentence is a piece of a longer one in these lines, word for word, and no rule: without the rest
    nobody knows what was meant."""
    if _RULE.search(sentence):
        return False
    piece = _folded(sentence)
    clauses = {_folded(clause) for line in lines for clause in _CLAUSE_END.split(line.text)}
    return piece not in clauses and any(piece in clause for clause in clauses)


def _folded(text: str) -> str:
    return " ".join(text.lower().split()).strip(".!?;:, ")
