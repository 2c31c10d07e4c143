import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.repos.folders import Spot, root_name, root_of
from afterwit.repos.identity import RepoResolution, RepoSighting, ResolvedBy, domain_of, resolve

OLD = "git@github.com:oldorg/git-sync.git"
NEW = "git@github.com:neworg/git-sync.git"
NAME = "github.com/neworg/git-sync"


def resolved(*sightings: RepoSighting, **kwargs: dict[str, str]) -> dict[Spot, RepoResolution]:
    tables: dict[str, dict[str, str]] = {"aliases": {}, "checkouts": {}, "merges": {}, **kwargs}
    return resolve(sightings, tables["aliases"], tables["checkouts"], tables["merges"])


def only(*sightings: RepoSighting, **kwargs: dict[str, str]) -> RepoResolution:
    """The resolution of the first sighting."""
    return resolved(*sightings, **kwargs)[Spot(sightings[0].root, sightings[0].remote)]


def test_the_log_names_the_repository() -> None:
    assert only(RepoSighting("/home/kim/x", NEW)) == (NAME, ResolvedBy.LOG)


def test_a_session_without_a_remote_is_told_by_another_in_its_folder() -> None:
    found = only(RepoSighting("/home/kim/checkout", ""), RepoSighting("/home/kim/checkout", NEW))
    assert found == (NAME, ResolvedBy.FOLDER)


def test_a_folder_is_the_same_in_other_letters() -> None:
    found = only(RepoSighting("c:/Users/kim/Work", ""), RepoSighting("C:\\users\\kim\\work", NEW))
    assert found == (NAME, ResolvedBy.FOLDER)


def test_a_session_without_a_remote_is_told_by_the_checkout() -> None:
    found = only(RepoSighting("/home/kim/checkout", ""), checkouts={"/home/kim/checkout": NAME})
    assert found == (NAME, ResolvedBy.CHECKOUT)


def test_the_only_repository_with_the_folders_name_is_taken() -> None:
    found = only(RepoSighting("/home/lee/GitSync", ""), RepoSighting("/home/kim/a", NEW))
    assert found == (NAME, ResolvedBy.ONLY_ONE)


def test_a_name_that_two_owners_have_decides_nothing() -> None:
    forks = [RepoSighting("/home/kim/a", "github.com/kim/app"), RepoSighting("/home/lee/a", "github.com/lee/app")]
    found = resolved(*forks, RepoSighting("/home/max/app", ""))
    assert found[Spot("/home/max/app", "")] == ("app", ResolvedBy.NAME)
    assert {found[Spot(fork.root, fork.remote)].repo for fork in forks} == {"github.com/kim/app", "github.com/lee/app"}


def test_an_alias_settles_a_name_that_two_owners_have() -> None:
    forks = [RepoSighting("/home/kim/a", "github.com/kim/app"), RepoSighting("/home/lee/a", "github.com/lee/app")]
    found = resolved(*forks, RepoSighting("/home/max/app", ""), aliases={"app": "github.com/lee/app"})
    assert found[Spot("/home/max/app", "")] == ("github.com/lee/app", ResolvedBy.ALIAS)
    assert found[Spot("/home/kim/a", "github.com/kim/app")].repo == "github.com/kim/app"


def test_a_renamed_organisation_seen_in_one_folder_is_one_repository_everywhere() -> None:
    found = resolved(
        RepoSighting("/home/kim/git-sync", OLD, 2),
        RepoSighting("/home/kim/git-sync", NEW, 3),
        RepoSighting("/home/lee/elsewhere", OLD),
        RepoSighting("/home/max/gitsync", ""),
    )
    assert {resolution.repo for resolution in found.values()} == {NAME}
    assert found[Spot("/home/lee/elsewhere", OLD)].how == ResolvedBy.LOG_OTHERWISE


def test_between_equally_used_remotes_the_alphabet_decides() -> None:
    found = resolved(RepoSighting("/home/kim/git-sync", OLD), RepoSighting("/home/kim/git-sync", NEW))
    assert {resolution.repo for resolution in found.values()} == {NAME}


@pytest.mark.parametrize("place", ["", "/home/kim", "/tmp"])
def test_remotes_seen_in_no_particular_folder_stay_apart(place: str) -> None:
    found = resolved(RepoSighting(place, OLD), RepoSighting(place, NEW))
    assert {resolution.repo for resolution in found.values()} == {"github.com/oldorg/git-sync", NAME}


def test_an_alias_of_one_remote_renames_the_whole_repository() -> None:
    seen = (
        RepoSighting("/home/kim/git-sync", OLD, 5),
        RepoSighting("/home/kim/git-sync", NEW),
        RepoSighting("/x/gitsync", ""),
    )
    found = resolved(*seen, aliases={"neworg/git-sync": "github.com/third/sync"})
    assert {resolution.repo for resolution in found.values()} == {"github.com/third/sync"}


def test_a_repository_renamed_by_its_owner_is_one() -> None:
    found = resolved(
        RepoSighting("/home/kim/a", NEW, 2), RepoSighting("/home/lee/b", "https://github.com/neworg/gitsync")
    )
    assert {resolution.repo for resolution in found.values()} == {NAME}


def test_different_repositories_seen_in_one_folder_stay_apart() -> None:
    found = resolved(
        RepoSighting("/home/kim/git-sync", NEW),
        RepoSighting("/home/kim/git-sync", "github.com/lib/other", 5),
        RepoSighting("/home/kim/git-sync", ""),
    )
    assert found[Spot("/home/kim/git-sync", "github.com/lib/other")].repo == "github.com/lib/other"
    assert found[Spot("/home/kim/git-sync", "")] == (NAME, ResolvedBy.FOLDER)


def test_spellings_of_a_folders_name_are_one_under_the_most_used() -> None:
    found = resolved(
        RepoSighting("/home/kim/git-sync", "", 3),
        RepoSighting("/home/lee/gitsync", "", 2),
        RepoSighting("/home/max/Git_Sync", ""),
    )
    assert {resolution.repo for resolution in found.values()} == {"git-sync"}


def test_a_usual_subfolder_belongs_to_the_folder_above_that_was_seen() -> None:
    found = only(RepoSighting("/home/kim/Rocket/frontend", ""), RepoSighting("/home/kim/Rocket", ""))
    assert found == ("Rocket", ResolvedBy.PART)


def test_a_folder_inside_another_is_its_own_repository_if_its_name_says_nothing() -> None:
    assert only(RepoSighting("/home/kim/work/rocket", ""), RepoSighting("/home/kim/work", "")).repo == "rocket"


def test_a_home_folder_is_no_repository_and_learns_nothing_from_other_sessions_there() -> None:
    assert only(RepoSighting("/home/kim", ""), RepoSighting("/home/kim", NEW)) == ("", ResolvedBy.NOWHERE)


def test_a_home_folder_that_is_a_checkout_is_that_repository() -> None:
    found = only(RepoSighting("/home/kim", ""), checkouts={"/home/kim": "github.com/kim/dotfiles"})
    assert found == ("github.com/kim/dotfiles", ResolvedBy.CHECKOUT)


def test_a_broken_remote_counts_as_none() -> None:
    assert only(RepoSighting("/home/kim/app", "https://github.com/..git")) == ("app", ResolvedBy.NAME)


@pytest.mark.parametrize(
    "alias", ["github.com/oldorg/git-sync", OLD, "oldorg/git-sync", "/home/kim/a", "/home/kim/a/.worktrees/x"]
)
def test_an_alias_can_be_a_remote_an_owner_and_name_or_a_folder(alias: str) -> None:
    assert only(RepoSighting("/home/kim/a", OLD), aliases={alias: "github.com/third/sync"}) == (
        "github.com/third/sync",
        ResolvedBy.ALIAS,
    )


def test_aliases_are_followed_to_their_end() -> None:
    found = only(RepoSighting("/home/kim/a", ""), aliases={"a": "b", "b": "c", "c": NEW})
    assert found == (NAME, ResolvedBy.ALIAS)


def test_a_circle_of_aliases_ends_at_one_name() -> None:
    found = resolved(
        RepoSighting("/home/kim/a", ""), RepoSighting("/home/kim/b", ""), aliases={"a": "b", "b": "a", "x": "x"}
    )
    assert {resolution.repo for resolution in found.values()} == {"a"}


def test_an_alias_to_a_name_means_the_repository_of_that_name() -> None:
    found = only(RepoSighting("/home/kim/migration", ""), RepoSighting("/b", NEW), aliases={"migration": "git-sync"})
    assert found == (NAME, ResolvedBy.ALIAS)


def test_an_alias_chooses_the_spelling() -> None:
    found = resolved(RepoSighting("/home/kim/gitsync", "", 9), aliases={"gitsync": "Git Sync"})
    assert {resolution.repo for resolution in found.values()} == {"Git Sync"}


def test_what_people_merged_is_one_and_the_configuration_goes_before_it() -> None:
    assert only(RepoSighting("/home/kim/a", ""), merges={"a": "b"}) == ("b", ResolvedBy.MERGED)
    assert only(RepoSighting("/home/kim/a", ""), merges={"a": "b"}, aliases={"a": "c"}) == ("c", ResolvedBy.ALIAS)


def test_the_target_of_an_alias_is_known_by_its_name() -> None:
    found = only(RepoSighting("/home/lee/evaluator", ""), aliases={"rater": "github.com/acme/evaluator"})
    assert found == ("github.com/acme/evaluator", ResolvedBy.ONLY_ONE)


ROOTS = st.sampled_from(
    ["/home/kim/git-sync", "/home/lee/gitsync", "/home/lee/app", "/home/kim/app/docs", "/home/kim", ""]
)
REMOTES = st.sampled_from(
    ["", OLD, NEW, "https://github.com/neworg/gitsync", "github.com/kim/app", "gitlab.com/lee/App"]
)
NAMES = st.sampled_from(["app", "gitsync", "github.com/kim/app", "neworg/git-sync", "/home/lee/app", NAME])


@settings(max_examples=examples(150))
@given(
    st.lists(st.builds(RepoSighting, ROOTS, REMOTES, st.integers(1, 3)), max_size=9),
    st.dictionaries(NAMES, NAMES, max_size=4),
    st.dictionaries(ROOTS, REMOTES, max_size=2),
    st.randoms(use_true_random=False),
)
def test_the_order_of_sightings_does_not_matter(
    sightings: list[RepoSighting], aliases: dict[str, str], checkouts: dict[str, str], chance: random.Random
) -> None:
    shuffled = chance.sample(sightings, len(sightings))
    backwards = dict(reversed(aliases.items()))
    found = resolve(sightings, aliases, checkouts)
    assert resolve(shuffled, backwards, checkouts) == found
    assert set(found) == {Spot(sighting.root, sighting.remote) for sighting in sightings}


def test_a_domain_is_the_first_with_a_fitting_pattern() -> None:
    domains = {"infra": ["*/ops-*", "Terraform"], "tools": ["github.com/acme/*"], "rest": ["*"]}
    assert domain_of("github.com/acme/ops-scripts", domains) == "infra"
    assert domain_of("gitlab.com/x/terraform", domains) == "infra"
    assert domain_of("github.com/Acme/rocket", domains) == "tools"
    assert domain_of("rocket", domains) == "rest"
    assert domain_of("rocket", {"infra": ["ops"]}) == ""
    assert domain_of("", domains) == ""


def test_every_named_folder_of_a_real_history_has_a_repository() -> None:
    corpus = os.environ.get("AFTERWIT_CORPUS")
    if not corpus:
        pytest.skip("AFTERWIT_CORPUS is not set")
    cwds = {first_cwd(path) for path in Path(corpus).rglob("*.jsonl")}
    found = resolve([RepoSighting(root_of(cwd), "") for cwd in cwds], {}, {})
    assert len(found) > 5
    assert all(bool(resolution.repo) == bool(root_name(spot.root)) for spot, resolution in found.items())


def first_cwd(path: Path) -> str:
    found = re.search(rb'"cwd": ?"([^"]*)"', path.read_bytes())
    return found[1].decode() if found else ""
