from itertools import permutations

import pytest
from tests.harvest.talks import concluded, replied, sentences
from tests.harvest.work import committed, session

from afterwit.harvest.stated.put_off import PutOff
from afterwit.model.knowledge import Category, Channel

_LATER = "The crate labels are deferred to a follow-up because the printer driver is missing."


def test_work_put_off_is_quoted_as_the_agents_words() -> None:
    (draft,) = concluded(PutOff(), [session(ending=f"Done.\n- {_LATER}")])
    assert draft.sentence == f"In `orchard`, this was put off: `{_LATER}`"
    assert (draft.category, draft.channel, draft.is_closed) == (Category.QUESTION, Channel.ASSISTANT, False)


@pytest.mark.parametrize(
    "text",
    [
        "Plum pressing on cold days is not implemented yet in the scheduler.",
        "I left the migration of old crates for a separate change.",
        "The retry path of the press client still needs to be covered by tests.",
    ],
)
def test_plain_words_for_it_are_known(text: str) -> None:
    assert concluded(PutOff(), [session(stated=replied(text))])


@pytest.mark.parametrize(
    "text",
    [
        "I sent a small follow-up asking the worker to correct its labels.",
        "Fix follow-up tag sync after the press starts.",
        "The remaining 8 files are unrelated.",
        "Not done yet.",
        "The branch still needs to be merged to make the cellar the release path.",
        "Land (1) and leave (2) for later if plums turn out to be a recurring wish.",
        "All crates are pressed, and everything passes.",
    ],
)
def test_other_sentences_are_not(text: str) -> None:
    assert not concluded(PutOff(), [session(ending=text)])


def test_the_same_matter_put_off_in_two_stories_is_one() -> None:
    again = "The crate labels are deferred to a follow-up because a printer driver is still missing."
    (draft,) = concluded(PutOff(), [session(ending=_LATER, day=1), session(ending=again, day=2)])
    assert len(draft.evidence) == 2


def test_a_later_story_that_does_it_closes_it() -> None:
    done = committed("Print crate labels: add the missing printer driver, as deferred")
    (draft,) = concluded(PutOff(), [session(ending=_LATER, day=1), session(done, day=2)])
    assert draft.is_closed
    assert [piece.is_against for piece in draft.evidence] == [False, True]


def test_an_earlier_story_or_other_work_does_not() -> None:
    done = committed("Print crate labels: add the missing printer driver, as deferred")
    sessions = [session(done, day=0), session(ending=_LATER, day=1), session(committed("Press plums"), day=2)]
    assert [draft.is_closed for draft in concluded(PutOff(), sessions)] == [False]


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions = [
        session(ending=_LATER, day=1),
        session(ending="Plum pressing on cold days is not implemented yet in the scheduler.", day=2),
        session(committed("Schedule plum pressing on cold days"), day=3),
    ]
    said = [sentences(concluded(PutOff(), order)) for order in permutations(sessions)]
    assert all(some == said[0] for some in said)
