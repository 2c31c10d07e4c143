"""Says in one pass which features of a clause are worth a search: most clauses have two or three of all there are.

The gate knows each feature by a looser pattern, one that an automaton can follow: without what its form looks at before
and behind, and with any number where the form counts. So it lets a few too many pass, and never one too few. The sets
are small ones: an automaton has a state for every mixture of what its patterns have seen so far.
"""

import re
from collections.abc import Sequence

from afterwit.guard.matching import PatternSet
from afterwit.harvest.stated.standing_features import ClauseFeature
from afterwit.text.patterns import regex

_SETS = 8
_PIECE = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[!=]|\{\d+(?:,\d*)?\}|.", re.DOTALL)
_LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
_MARKS = str.maketrans("‹›", "<>")  # what the forms hold besides ASCII; no more than these are they part of a word


class FeatureGate:
    def __init__(self, features: Sequence[ClauseFeature]) -> None:
        self._features = features
        looser = [loosened(feature.form.pattern).translate(_MARKS).encode() for feature in features]
        self._sets = [(PatternSet(looser[at::_SETS]).matches, features[at::_SETS]) for at in range(_SETS)]

    def possible(self, clause: str) -> Sequence[ClauseFeature]:
        """The features that a clause without line breaks may have. Automata take only ASCII letters for parts of words:
        where there are others, it may have all."""
        plain = clause.translate(_MARKS)
        if not plain.isascii():
            return self._features
        text = plain.encode()
        return [features[hit] for matches, features in self._sets for hit in matches(text) or ()]


def loosened(form: str) -> str:
    """A pattern that finds something wherever this one does."""
    kept: list[str] = []
    depth = 0  # of parentheses, in something that looks around
    for piece in _PIECE.findall(form):
        if depth or piece in _LOOKS_AROUND:
            depth += piece.startswith("(") - (piece == ")")
        else:
            kept.append("*" if len(piece) > 1 and piece[0] == "{" else piece)
    return "".join(kept)
