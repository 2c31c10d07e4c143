"""Which sentences of a prompt stand: rules, facts, preferences and decisions of the user that hold beyond the task.

Every sentence that the user typed is taken apart into clauses, and each clause gets a score: what speaks for a standing
word (a lasting adverb, a habit of "we", a rule for all of a kind, a wish about what the agent says, how the place of
work is) minus what speaks against it (a question, a doubt, somebody else's words, the past, something that only the
listener of that day could see, what the software does or should do). Orders of the moment have nothing that speaks for
them. No feature decides alone; the weights are small numbers that anybody can add up: `weighed_features` shows them.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from afterwit.guard.hygiene import clean
from afterwit.harvest.stated.passing_features import AGAINST, OF_THE_SENTENCE
from afterwit.harvest.stated.standing_features import FOR, SMALL_WORDS
from afterwit.harvest.stated.statements import LONGEST_TYPED, is_document, pieces_of
from afterwit.text.pasted import own_words

NEEDED = 1.5  # the score of a clause that stands
_LONGEST = 2_500  # characters that somebody types
_LONGEST_SENTENCE = 600
_MORE = ((LONGEST_TYPED, 1.0), (400, 0.5), (-1, 0.0))  # that is asked in longer prompts, which are seldom typed
_FEWEST_WORDS = 2
_MOST_WORDS = 60
_MOST = 4.0  # that forms count, for or against
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAD = re.compile(
    r"^(?:(?:ok|okay|k|also|and|but|so|oh|ah|hey|hi|hmm?|please|pls|plz|btw|by the way|one more thing|another thing"
    r"|one thing(?! per)|side note|unrelated|quick note|note|fyi|nb|no(?=[,.!;:])|nope|yes|yeah|yep|thanks|thank you"
    r"|thx|great|nice"
    r"|cool|perfect|good|right|well|look|listen|again|actually|just|then|alright|sorry|wait|ps|plus|anyway|anyways"
    r"|as i said|like i said|seriously|ugh|argh|dude|remember(?=:)|reminder|heads up|psa|important)\b[\s,.:;!\-]*)+"
)
_CODE = re.compile(r"`[^`]*`")
_QUOTATION = re.compile(r"(?<!\w)[\"“][^\"“”]{24,400}[\"”](?!\w)|(?<!\w)'[^']{24,400}'(?!\w)")
_NAME = re.compile(r"\b(?:[a-z]{1,40}[A-Z]\w*|[A-Z][a-z]{1,40}[A-Z]\w*|[a-z]{1,40}_\w+|\w{1,40}\(\))")
_CLAUSES = re.compile(
    r"[;:.!] | [-–—]{1,3} "
    r"|, (?:and|but|so|also|plus) (?=(?:from|always|never|please|remember|going|in future|we|i|don'?t|do not|for the"
    r"|keep|next)\b)"
    r"| (?:and|but) (?=(?:from now|always|never|remember|going forward|in future|please)\b)"
)
_BLANKS = re.compile(r"\s+")


class WeighedFeature(NamedTuple):
    """Something that speaks for a standing word, or against it."""

    name: str
    weight: float


def standing_sentences(text: str, before: str = "") -> list[str]:
    """The sentences of a prompt that hold beyond its task, as they were typed. `before` are the last words of the
    agent; what a sentence is worth does not depend on them so far."""
    del before
    typed = own_words(text)
    if len(typed) > _LONGEST or is_document(text):
        return []
    needed = NEEDED + next(more for length, more in _MORE if len(typed) > length)
    pieces = pieces_of(typed)
    doubts = [following.endswith("?") for following in (*pieces[1:], "")]
    return [piece for piece, doubt in zip(pieces, doubts, strict=False) if score(piece) >= needed + doubt]


def is_standing(sentence: str) -> bool:
    """Whether a sentence that a person typed holds beyond its task."""
    return score(sentence) >= NEEDED


def score(sentence: str) -> float:
    """How much speaks for it; of several clauses, for the best."""
    whole = [feature for feature in weighed_features(sentence) if feature.name in OF_THE_SENTENCE]
    return max((_clause_score(clause, whole) for clause in _clauses(sentence)), default=-_MOST)


def _clause_score(clause: str, whole: Sequence[WeighedFeature] = ()) -> float:
    """What speaks for a clause, less what speaks against the whole sentence."""
    forms = sum(feature.weight for feature in {*weighed_features(clause), *whole})
    words = sum(SMALL_WORDS.get(word, 0.0) for word in set(_WORD.findall(_bare(clause[:_LONGEST_SENTENCE]))))
    return round(max(-_MOST, min(_MOST, forms)) + words, 2)


def standing_clause(sentence: str) -> str:
    """The clause of a sentence that stands most; "" where none stands by itself."""
    best = max(_clauses(sentence)[:-1], key=_clause_score, default="")
    return best if is_standing(best) else ""


def weighed_features(clause: str) -> list[WeighedFeature]:
    """What speaks for a clause and against it."""
    bare = _bare(clause[:_LONGEST_SENTENCE])
    return [WeighedFeature(name, weight) for name, weight, form in (*FOR, *AGAINST) if form.search(bare)]


def _clauses(sentence: str) -> list[str]:
    """The parts of a sentence that may stand alone; of a question, each is one."""
    if len(sentence) > _LONGEST_SENTENCE:
        return []
    mark = "?" if sentence.rstrip().endswith("?") else ""
    clauses = [*_CLAUSES.split(sentence), sentence]
    return [f"{clause}{mark}" for clause in clauses if _FEWEST_WORDS <= len(clause.split()) <= _MOST_WORDS]


def _bare(clause: str) -> str:
    """What is left of a clause without what opens a talk."""
    text = _plain(clause)
    return text if text.startswith("remember") else _LEAD.sub("", text)


def _plain(clause: str) -> str:
    """In lower case, without code and quotations."""
    text = clean(clause).replace("’", "'")
    bare = _NAME.sub("‹name›", _QUOTATION.sub("‹quoted›", _CODE.sub("`x`", text)))
    return _BLANKS.sub(" ", bare).strip(" -*•>").lower()
