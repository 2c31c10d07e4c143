"""How well decisions are found: share of the deciding words quoted, whether the later decision wins, silence."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from tests.recall.talks.dialogues import Case, Half, digest_of
from tests.recall.talks.fillers import fillers

from afterwit.recall.decisions import Quote, decided
from afterwit.recall.from_digest import talk_of
from afterwit.recall.places import Question
from afterwit.recall.talks import Talk, TalkIndex


class Score(NamedTuple):
    case: Case
    quotes: Sequence[Quote]

    @property
    def share(self) -> float:
        """Of the deciding words that are quoted."""
        text = " ".join(quote.text for quote in self.quotes).lower()
        return sum(word.lower() in text for word in self.case.deciding) / max(1, len(self.case.deciding))

    @property
    def later_wins(self) -> bool:
        """Whether all is quoted, the newest talk first, and what it replaced only as something earlier."""
        newest = self.quotes[0].session if self.quotes else ""
        others = [quote for quote in self.quotes if quote.session != newest]
        stale = [quote for quote in others if any(word.lower() in quote.text.lower() for word in self.case.stale)]
        order = [quote.session != newest for quote in self.quotes]
        return self.share == 1.0 and order == sorted(order) and all(quote.is_earlier for quote in stale)

    @property
    def tokens(self) -> int:
        return -(-sum(len(quote.text) + 30 for quote in self.quotes) // 4)


def index_of(half: Half) -> TalkIndex:
    index = TalkIndex()
    for talk in (*_everyday(), *(talk_of(digest_of(dialogue)) for dialogue in half.dialogues)):
        index.put(talk)
    return index


@cache
def _everyday() -> tuple[Talk, ...]:
    return tuple(talk_of(digest_of(dialogue)) for dialogue in fillers())


def scores(index: TalkIndex, cases: Iterable[Case]) -> list[Score]:
    return [Score(case, decided(index, Question(case.prompt))) for case in cases]
