"""The share of a session that is about a repository."""

import pytest
from tests.harvest.talks import said, talk
from tests.harvest.work import edited, ran, session

from afterwit.digest.value import RepoNames

ORCHARD = RepoNames(["github.com/fruit/orchard"])


def test_all_that_names_no_other_place_is_done_in_the_sessions_own_repository() -> None:
    work = session(ran("make"), ran("cd ~/harbour && make"), ran("make test"), ran("git status"))
    assert ORCHARD.share_of(work, is_own=True) == 0.75


def test_the_folder_of_its_own_may_have_another_name() -> None:
    work = session(ran("cd /srv/grove && make"), ran("cd /srv/harbour && make"))
    assert ORCHARD.share_of(work, is_own=True, folder="grove") == 0.5


def test_a_session_that_did_nothing_is_wholly_about_its_own_repository() -> None:
    assert ORCHARD.share_of(talk("Sweep the yard"), is_own=True) == 1.0


def test_elsewhere_only_what_names_it_counts() -> None:
    work = session(ran("make"), ran("cd ~/orchard/press && make"), edited("press.py"), ran("ls"))
    assert ORCHARD.share_of(work, is_own=False) == 0.5


def test_a_prompt_that_names_it_counts_like_the_actions() -> None:
    assert ORCHARD.share_of(talk("Prune the orchard", "Now sweep the yard"), is_own=False) == 0.5
    assert ORCHARD.share_of(talk("Prune the orchards"), is_own=False) == 0.0


@pytest.mark.parametrize("name", ["api", "docs", "fig"])
def test_a_name_that_any_text_may_have_counts_only_as_a_place(name: str) -> None:
    repo = RepoNames([f"github.com/fruit/{name}"])
    assert repo.share_of(talk(f"Look at the {name}"), is_own=False) == 0.0
    assert repo.share_of(session(ran(f"gh pr view 3 --repo fruit/{name}")), is_own=False) == 1.0


def test_what_nobody_typed_names_nothing() -> None:
    notice = said("Prune the orchard", 0)
    digest = talk(prompts=(type(notice)(text=notice.text, at_ms=notice.at_ms, is_person=False),))
    assert ORCHARD.share_of(digest, is_own=False) == 0.0
