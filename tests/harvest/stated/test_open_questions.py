from pathlib import Path

import pytest
from tests.harvest.talks import committed, concluded, talk
from tests.homes import learned, world_of
from tests.measure.histories import HOUR_S, Log

from afterwit.harvest.stated.open_questions import OpenQuestions, is_left_open
from afterwit.knowledge.gate import rejection, wants_review
from afterwit.knowledge.list import ItemFilter, listed
from afterwit.knowledge.needless import needless
from afterwit.model.knowledge import Category, Channel, ItemStatus
from afterwit.recall.recall import recalled

_STORE = "Open question: should the job queue move to Redis streams?"


@pytest.mark.parametrize(
    "text",
    [
        _STORE,
        "TODO: decide whether crates are counted per row or per tree",
        "TBD: decide which printer the labels need",
        "still unclear whether the press client retries on a timeout.",
        "We haven't decided yet which broker the press uses.",
        "Leave open whether plums are pressed in the cellar.",
    ],
)
def test_a_question_that_is_left_open_in_so_many_words_is_kept(text: str) -> None:
    assert is_left_open(text)
    (draft,) = concluded(OpenQuestions(), [talk(f"Press the apples. {text}")])
    assert draft.sentence == f'The user said on 2026-05-01: "{text}"'
    assert (draft.category, draft.channel, draft.is_closed) == (Category.QUESTION, Channel.USER, False)
    assert (rejection(draft), needless(draft), wants_review(draft)) == (None, None, False)


@pytest.mark.parametrize(
    "text",
    [
        "Should the job queue move to Redis streams?",
        "Can you open the question list of the form?",
        "TODO: fix the labels of the crates",
        "Open the issue tracker and close what is done.",
        "I decided which broker the press uses.",
        "Open question: should this branch be merged today?",
        "It is clear which printer the labels need.",
    ],
)
def test_what_is_merely_asked_or_of_the_moment_is_not(text: str) -> None:
    assert not is_left_open(text)
    assert not concluded(OpenQuestions(), [talk(text)])


def test_of_the_agent_the_last_reply_counts_with_its_list_of_open_questions() -> None:
    asked = "- Which printer do the crate labels need?\n- Do you want tests of the labels?\n"
    ending = f"The crates are pressed.\n\n## Open questions\n{asked}"
    (draft,) = concluded(OpenQuestions(), [talk("Press the apples", ending=ending)])
    assert draft.sentence.endswith('"Which printer do the crate labels need?"')
    assert draft.channel is Channel.ASSISTANT


def test_what_only_leads_in_is_left_out_of_the_quote() -> None:
    (draft,) = concluded(OpenQuestions(), [talk("It is still undecided which printer the labels need.")])
    assert draft.sentence.endswith('"still undecided which printer the labels need."')


def test_a_later_decision_of_the_user_or_a_commit_closes_it() -> None:
    asked = talk(_STORE, day=1)
    decided = talk("We go with Redis streams for the job queue.", day=2)
    done = talk("Go on", day=2, publications=(committed("Move the job queue to Redis streams"),))
    for answer in (decided, done):
        (draft,) = concluded(OpenQuestions(), [asked, answer])
        assert draft.is_closed
        assert [piece.is_against for piece in draft.evidence] == [False, True]
    other = talk("We go with oak for the barrels of the cellar.", day=2)
    assert not concluded(OpenQuestions(), [asked, other])[0].is_closed


def test_a_question_left_open_in_one_session_in_a_question_at_a_prompt_about_it_out(tmp_path: Path) -> None:
    log = Log(1, HOUR_S, "/w/orchard").prompt(f"Count the trees. {_STORE}").shell("make count", "42 trees")
    log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    (item,) = [item for item in listed(world, ItemFilter()).items if item.category is Category.QUESTION]
    assert item.status is ItemStatus.ACTIVE
    told = recalled(world, tmp_path, "orchard", "claude-code", "Make the job queue use Redis streams", None)
    assert "should the job queue move to Redis streams?" in f"{told.start.text} {told.prompt}"
