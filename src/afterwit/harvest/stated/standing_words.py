"""Which sentences of a prompt stand: rules, facts, preferences and decisions of the user that hold beyond the task.

Every sentence that the user typed is taken apart into clauses, and each clause counts by its form: what speaks for a
standing word (a lasting adverb, a habit of "we", a rule for all of a kind, how the place of work is) minus what speaks
against it (a question, a doubt, somebody else's words, the past, what the software should do). The best clause, the
words of the sentence, its length and that of the prompt add up to its score: what has 0 or more stands. The forms are
weighed by hand, the rest is one fitted table, `standing_weights.toml`. No feature decides alone; `weighed_features`
shows what counts.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from afterwit.guard.hygiene import clean
from afterwit.harvest.stated.feature_gate import FeatureGate
from afterwit.harvest.stated.passing_features import AGAINST, OF_THE_SENTENCE
from afterwit.harvest.stated.standing_features import FOR
from afterwit.harvest.stated.statements import is_document, pieces_of
from afterwit.text.pasted import own_words
from afterwit.text.patterns import regex

_LONGEST = 2_500  # characters that somebody types
_LONGEST_SENTENCE = 600
_COUNTED_WORDS = 40
_COUNTED_CHARS = 1_500
_FEWEST_WORDS = 2
_MOST_WORDS = 60
_MOST = 4.0  # that forms count, for or against
_WORD = regex(r"‹\w+›|[a-z]+(?:'[a-z]+)?|\?|:|\d+")
_LEAD = regex(
    r"^(?:(?:ok|okay|k|also|and|but|so|oh|ah|hey|hi|hmm?|please|pls|plz|btw|by the way|one more thing|another thing"
    r"|one thing(?! per)|side note|unrelated|quick note|note|fyi|nb|no(?=[,.!;:])|nope|yes|yeah|yep|thanks|thank you"
    r"|thx|great|nice"
    r"|cool|perfect|good|right|well|look|listen|again|actually|just|then|alright|sorry|wait|ps|plus|anyway|anyways"
    r"|as i said|like i said|seriously|ugh|argh|dude|remember(?=:)|reminder|heads up|psa|important)\b[\s,.:;!\-]*)+"
)
_CODE = regex(r"`[^`]*`")
_QUOTATION = regex(r"(?<!\w)[\"“][^\"“”]{24,400}[\"”](?!\w)|(?<!\w)'[^']{24,400}'(?!\w)")
_NAME = regex(r"\b(?:[a-z]{1,40}[A-Z]\w*|[A-Z][a-z]{1,40}[A-Z]\w*|[a-z]{1,40}_\w+|\w{1,40}\(\))")
_CLAUSES = regex(
    r"[;:.!] | [-–—]{1,3} "
    r"|, (?:and|but|so|also|plus) (?=(?:from|always|never|please|remember|going|in future|we|i|don'?t|do not|for the"
    r"|keep|next)\b)"
    r"| (?:and|but) (?=(?:from now|always|never|remember|going forward|in future|please)\b)"
)
_BLANKS = regex(r"\s+")


class WeighedFeature(NamedTuple):
    """Something that speaks for a standing word, or against it."""

    name: str
    weight: float


class _Weights(NamedTuple):
    bias: float
    form: float
    question: float
    length: float
    prompt: float
    words: Mapping[str, float]
    first: Mapping[str, float]


def standing_sentences(text: str) -> list[str]:
    """The sentences of a prompt that hold beyond its task, as they were typed."""
    typed = own_words(text)
    if len(typed) > _LONGEST or is_document(text):
        return []
    return [piece for piece in pieces_of(typed) if score(piece, len(text)) >= 0]


def is_standing(sentence: str) -> bool:
    """Whether a sentence that a person typed holds beyond its task."""
    return score(sentence) >= 0


def standing_clause(sentence: str) -> str:
    """The clause by which a sentence stands; "" where none has the form of it by itself."""
    best = max(_clauses(sentence)[:-1], key=_form_score, default="")
    return best if best and _form_score(best) > 0 else ""


def score(sentence: str, prompt_chars: int = 0) -> float:
    """How much speaks for it, in a prompt of so many characters."""
    weights, words = _weights(), _WORD.findall(_plain(sentence[:_LONGEST_SENTENCE]))
    chars = min(max(prompt_chars, len(sentence)), _COUNTED_CHARS)
    total = weights.bias + weights.form * _form_score(sentence)
    total += weights.length * min(len(words), _COUNTED_WORDS) / 20 + weights.prompt * chars / 500
    total += weights.question * sentence.rstrip().endswith("?") + weights.first.get(words[0] if words else "", 0.0)
    return round(total + sum(weights.words.get(word, 0.0) for word in set(words)), 2)


def _form_score(sentence: str) -> float:
    """What speaks for the best clause by its form, less what speaks against the whole sentence."""
    whole = [feature for feature in weighed_features(sentence) if feature.name in OF_THE_SENTENCE]
    return max((_clause_score(clause, whole) for clause in _clauses(sentence)), default=-_MOST)


def _clause_score(clause: str, whole: Sequence[WeighedFeature]) -> float:
    return max(-_MOST, min(_MOST, sum(feature.weight for feature in {*weighed_features(clause), *whole})))


@cache
def _weights() -> _Weights:
    table = tomllib.loads(resources.files(__package__).joinpath("standing_weights.toml").read_text("utf-8"))
    return _Weights(**{**table, **{name: _by_word(table[name]) for name in ("words", "first")}})


def _by_word(groups: Mapping[str, str]) -> dict[str, float]:
    return {word: float(weight) for weight, words in groups.items() for word in words.split()}


@lru_cache(maxsize=1024)
def weighed_features(clause: str) -> tuple[WeighedFeature, ...]:
    """What speaks for a clause and against it. A sentence is asked about as a whole and as one of its clauses, and many
    are said again."""
    bare = _bare(clause[:_LONGEST_SENTENCE])
    return tuple(WeighedFeature(name, weight) for name, weight, form in _gate().possible(bare) if form.search(bare))


@cache
def _gate() -> FeatureGate:
    return FeatureGate((*FOR, *AGAINST))


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
