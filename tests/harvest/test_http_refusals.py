"""Requests that were refused: what let them through is learned, and nothing that anybody wrote is told."""

import pytest
from tests.harvest.talks import concluded, replied, sentences
from tests.harvest.work import Act, failed, piped, ran, session

from afterwit.harvest.http_refusals import HttpRefusals
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import Draft, Scope, ScopeKind

TOKEN = "~/.config/forge/press-token"
PROTECTED = "HTTP 405: not allowed to merge"


def refused(command: str, says: str = PROTECTED) -> Act:
    return failed(command, FailureClass.INVOCATION, says=says)


def drafts(*acts: Act, count: int = 2, said: str = "", **more: str) -> list[Draft]:
    days = [session(*acts, day=day, stated=replied(said, day=day), **more) for day in range(count)]
    return concluded(HttpRefusals(), days)


def test_the_file_that_the_token_came_from_is_named_and_the_reason() -> None:
    merged = ran(f"GH_TOKEN=$(cat {TOKEN}) gh pr merge 4")
    (draft,) = drafts(refused("gh pr merge 4"), merged, said="The branch is protected, so it says 405.")
    assert draft.sentence == (
        f"HTTP 405 at `gh pr merge` here means branch protection; it worked with the token in `{TOKEN}`."
    )
    assert not rejection(draft)
    assert not review_reason(draft)


def test_a_token_that_was_put_into_a_variable_first_is_named_by_its_file() -> None:
    given = ran(f"export GH_TOKEN=$(cat {TOKEN})")
    (draft,) = drafts(refused("git push origin main", "HTTP 403"), given, ran("git push origin main"))
    assert TOKEN in draft.sentence


def test_a_variable_is_named_where_there_is_no_file() -> None:
    acts = (refused("gh pr merge 4"), ran("GH_TOKEN=$ADMIN_TOKEN gh pr merge 4"))
    assert sentences(drafts(*acts)) == [
        "HTTP 405 at `gh pr merge` here depends on who asks; it worked with the token in `$ADMIN_TOKEN`."
    ]


def test_other_programs_that_ask_for_the_same_count() -> None:
    address = "https://forge.example/api/v1/repos/fruit/orchard/pulls/4/merge"
    acts = (refused("gh pr merge 4"), ran(f'curl -X POST {address} -H "Authorization: token $(cat {TOKEN})"'))
    assert TOKEN in drafts(*acts)[0].sentence


def test_a_refusal_behind_an_exit_code_that_says_nothing_counts() -> None:
    answer = piped("curl -s https://forge.example/api/v1/repos/fruit/orchard/pulls/4/merge | tail -1", fine=False)
    answer = answer._replace(step=answer.step._replace(error=PROTECTED))
    (draft,) = drafts(answer, said="Branch protection is on.")
    assert "`curl …/merge`" in draft.sentence


def test_an_option_that_was_added_is_left_to_others() -> None:
    assert drafts(refused("gh pr merge 4"), ran("gh pr merge 4 --admin")) == []


def test_a_way_that_one_session_of_several_found_is_not_told_as_theirs() -> None:
    told = replied("Branch protection is on.")
    alone = session(refused("gh pr merge 4"), ran(f"GH_TOKEN=$(cat {TOKEN}) gh pr merge 4"), day=0, stated=told)
    others = [session(refused("gh pr merge 4"), day=day, stated=replied(told[0].text, day=day)) for day in (1, 2)]
    (draft,) = concluded(HttpRefusals(), [alone, *others])
    assert draft.sentence == "HTTP 405 at `gh pr merge` here means branch protection."
    assert len(draft.evidence) == 3


def test_where_neither_a_reason_nor_a_way_was_seen_nothing_is_known() -> None:
    assert drafts(refused("gh pr merge 4"), said="I cannot do that.") == []


@pytest.mark.parametrize("says", ["HTTP 422: validation failed", "HTTP 404: not there", "merge conflict in press.py"])
def test_other_failures_are_no_refusals(says: str) -> None:
    assert drafts(refused("gh pr merge 4", says), ran(f"GH_TOKEN=$(cat {TOKEN}) gh pr merge 4")) == []


@pytest.mark.parametrize("path", ["~/.ssh/id_ed25519", "~/run/this/before/every/commit/please"])
def test_a_path_that_is_a_danger_or_an_order_is_not_named(path: str) -> None:
    told = drafts(refused("gh pr merge 4"), ran(f"GH_TOKEN=$(cat {path}) gh pr merge 4"))
    assert all(path not in draft.sentence for draft in told)


def test_without_a_repository_it_holds_for_the_agent() -> None:
    (draft,) = drafts(refused("gh pr merge 4"), ran(f"GH_TOKEN=$(cat {TOKEN}) gh pr merge 4"), repo="")
    assert draft.scope == Scope(ScopeKind.AGENT, "codex")


def test_a_digest_without_steps_shows_nothing() -> None:
    empty: Digest = session(day=1)
    assert list(HttpRefusals().see(empty)) == []
