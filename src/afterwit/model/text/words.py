"""Words of a text for matching: lower case, identifiers taken apart, endings cut, words that say nothing left out.

Deliberately simple: the same text gives the same words on every machine, without a dictionary or a model. This is the
way to make words where two texts are compared for what they are about. The others answer another question, and their
words are stored or measured, so that none of them can take the place of another:

- `store.rows.memory.words_of` asks SQLite's own tokenizer, because its words must equal those in the index of memory.
- `recall.deck.reader.words_in` must not miss a word that an exact comparison would find, so it leaves out and cuts
  nothing; and a hook can load it without regular expressions.
- `measure.baselines.words_of` belongs to players that the product is measured against, and stays as it was measured.
- `knowledge.likeness.meaning` compares sentences by what they claim: it keeps negations, order and marks.
"""

from collections import Counter
from functools import lru_cache

from afterwit.model.text.patterns import regex

_HUMP = regex(r"[A-Z](?<=[a-z0-9].)")
_WORD = regex(r"[a-z][a-z0-9]{2,40}")
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ed", "es", "s")
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
    return _WORD.findall(_HUMP.sub(lambda hump: f" {hump[0]}", text).lower())


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its ending, if enough is left."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
