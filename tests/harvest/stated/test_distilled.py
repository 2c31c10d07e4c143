import pytest
from tests.harvest.talks import committed, concluded, pulled, sentences, shell, talk

from afterwit.harvest.stated.distilled import Distilled, is_lasting
from afterwit.model.digest import Verdict
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import Category, Channel

KEY = "The cache key must include the locale, otherwise translations leak between visitors."


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        "Retries are deliberately disabled for writes because the endpoint is not idempotent.",
        "Timestamps are always stored in UTC so that reports of two regions can be compared.",
        "`press.turn` must come after `press.load`, because the barrel is only known then.",
    ],
)
def test_what_has_to_be_and_why_lasts(text: str) -> None:
    assert is_lasting(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use the title as key instead of the position.",
        "The old press was always slow because it waited.",
        "Tests must pass before the merge so that main stays green.",
        "`turn` never stopped the belt, so the barrel overflowed.",
        "Fix the press: it must stop, otherwise it leaks.",
        "This must be so because the barrel leaks.",
        "the barrel is always full, so",
        "The press has twelve crates.",
        "The parser intentionally accepts trailing commas.",
        "Callers that need another crate must open the press again.",
    ],
)
def test_what_was_done_does_not(text: str) -> None:
    assert not is_lasting(text)


def test_a_commit_is_read_across_its_line_breaks() -> None:
    body = "The cache key must include the locale,\notherwise translations leak between\nvisitors.\n"
    wrapped = f"Key the cache by locale\n\n{body}"
    [draft] = concluded(Distilled(), [talk(publications=(committed(wrapped),), steps=(shell("git commit", 60),))])
    assert draft.sentence == f'A commit said on 2026-05-01: "{KEY}"'
    assert draft.channel is Channel.ASSISTANT
    assert draft.category is Category.FACT


def test_pull_requests_summaries_and_last_replies_are_read_too() -> None:
    digests = [
        talk(publications=(pulled(f"## Why\n- {KEY}"),), steps=(shell("gh pr create", 60),)),
        talk(day=1, summaries=("The parser intentionally accepts trailing commas, because people paste lists.",)),
        talk(day=2, ending="Retries are deliberately disabled for writes because the endpoint is not idempotent."),
    ]
    assert [one.partition(" said")[0] for one in sentences(concluded(Distilled(), digests))] == [
        "A pull request",
        "A summary",
        "The last reply",
    ]


def test_the_last_reply_of_a_session_that_failed_is_not_read() -> None:
    verdict = Verdict(outcome=Outcome.FAILURE, confidence=0.9)
    assert concluded(Distilled(), [talk(ending=KEY, verdict=verdict)]) == []


def test_what_is_so_on_purpose_is_told_with_the_reason_after_it() -> None:
    text = (
        "The parser intentionally accepts trailing commas. People paste lists that must be read, since they are long."
    )
    assert concluded(Distilled(), [talk(summaries=(text.partition(". ")[0],))]) == []
    [draft] = concluded(Distilled(), [talk(summaries=(text,))])
    assert draft.sentence.endswith(f'"{text}"')


def test_what_was_published_from_another_repository_is_left_out() -> None:
    step = shell("cd /home/ann/code/plums && git commit", 60)
    assert concluded(Distilled(), [talk(publications=(committed(KEY),), steps=(step,))]) == []
