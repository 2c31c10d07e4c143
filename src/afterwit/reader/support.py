"""Whether lines of a session say what a sentence says: enough of its words, not the other way round, and not a piece
cut out of what somebody said. Pure, and of words alone: who spoke, and what follows from that, `checks` decides.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from textwrap import wrap

from afterwit.harvest.commands.spoken import SPAN
from afterwit.knowledge.likeness import meaning
from afterwit.model.text import words_of
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.marks import is_telling, marks_in

SUPPORT = 0.34  # of a sentence's words that its lines, or those beside them, must hold
_JOINED = 2  # words of marks that say something together
_BESIDE_MARK = 3  # other words of a sentence with one mark that must stand in its lines
_WITHOUT_MARK = 4  # the same, of one without any
_RULE = re.compile(r"\b(?:never|always|must|only|not|use|prefer|keep|instead)\b|n't\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.!?;]\s|\n")
_CLAUSES = re.compile(r"[.;:!?]\s+")
_WHOLE_CLAUSE = 3  # words of a clause that says something by itself
_IN_CLAUSE = 0.15  # of them that must stand in the lines; those who retell in their own words keep little more
_TOKEN = re.compile(r"[\w'’]+(?:[./-]\w+)*")
_KEPT = 0.7  # of the words of a sentence, and of those it is taken from, that must be the same in the same order
_MOST_LEFT_OUT = 2
_ALIKE = 0.4
_NEGATIONS = frozenset("not never no none nobody nothing cannot refrain avoid stop wrong longer".split())  # noqa: SIM905
_LIMIT = re.compile(
    rf"{'|'.join(_NEGATIONS)}|\w+n't|without|except|unless|until|only|before|after|also|may|optional|once"
)
_SAID_AGAIN = 0.6  # of the words of what is said again that stand in one place: two rows
_COVERED = 0.8
_WHOLE_SAYING = 5  # words; of fewer all must stand there
_LONGEST_ROW = 240


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


def is_all_said(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether each clause stands in these lines."""
    there = {word for line in lines for word in words_of(line.text)}
    clauses = (set(words_of(clause)) for clause in _CLAUSES.split(sentence))
    return all(len(words & there) >= _IN_CLAUSE * len(words) for words in clauses if len(words) >= _WHOLE_CLAUSE)


def is_verbatim(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence keeps all that somebody said in one line, in order, from its first word on and with all that
    limits it, and adds nothing: hardly a word was left out, and none cut out or turned into an order."""
    return any(_is_kept(sentence, line.text) for line in lines)


def _is_kept(sentence: str, text: str) -> bool:
    words, typed = words_of(sentence), words_of(text)
    if words[:1] != typed[:1] or not set(words) <= set(typed) or len(set(typed) - set(words)) > _MOST_LEFT_OUT:
        return False
    said, there = _TOKEN.findall(sentence.lower()), _TOKEN.findall(text.lower())
    changes = SequenceMatcher(None, said, there, autojunk=False).get_opcodes()
    others = [word for name, a, b, c, d in changes if name != "equal" for word in (*said[a:b], *there[c:d])]
    kept = sum(b - a for name, a, b, _, _ in changes if name == "equal")
    return not any(map(_LIMIT.fullmatch, others)) and kept >= _KEPT * max(len(said), len(there))


def keeps_denials(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence denies as often as one of the lines that it is taken from."""
    said = _TOKEN.findall(sentence.lower())
    return any(_limits(said).count("not") == _limits(_meant_in(line.text, said)).count("not") for line in lines)


def _meant_in(text: str, said: Sequence[str]) -> list[str]:
    """The words of those sentences of a line that have some of these."""
    sentences = (_TOKEN.findall(piece.lower()) for piece in _CLAUSE_END.split(text))
    return [word for words in sentences if len(set(words) & set(said)) >= _ALIKE * len(words) for word in words]


def _limits(words: Iterable[str]) -> list[str]:
    return sorted(
        "not" if word in _NEGATIONS or word.endswith("n't") else word for word in words if _LIMIT.fullmatch(word)
    )


def is_covered(text: str, sentence: str) -> bool:
    """Whether a sentence says most of what a text says, and not a part of it."""
    words = set(words_of(text))
    return len(words & set(words_of(sentence))) >= _COVERED * len(words)


def is_repeated(sentence: str, texts: Iterable[str]) -> bool:
    """Whether one place of these texts says the sentence, or a clause of it, already: whoever says it again has it from
    there. What stands between backticks in a clause is named and not said."""
    clauses = (set(words_of(SPAN.sub(" ", clause))) for clause in _CLAUSES.split(sentence))
    units = [words for words in (*clauses, set(words_of(sentence))) if len(words) >= _WHOLE_CLAUSE]
    return any(_says(text, words) for text in texts for words in units)


def _says(text: str, words: Collection[str]) -> bool:
    least = _SAID_AGAIN * len(words) if len(words) >= _WHOLE_SAYING else len(words)
    folded = text.lower()
    if sum(word in folded for word in words) < least:
        return False
    rows = [piece for row in text.splitlines() for piece in wrap(row, _LONGEST_ROW)]
    return any(len(set(words_of(" ".join(rows[at : at + 2]))) & set(words)) >= least for at in range(len(rows)))


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
