"""Sessions of several people in one history: what one of them said or wants is told to nobody else, on no way."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.everything_told import explained, exported, told
from tests.extras.team.members import Member, git
from tests.homes import Silent, learned, world_of
from tests.recall.people import FAILED, FIXED, JONAS, MIRA, claude_session, codex_session

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.engine.curation.curate import judge
from afterwit.engine.curation.review import of_user
from afterwit.engine.sweep import sweep
from afterwit.extras.team.outgoing import Sharer, local_notes, own_lines
from afterwit.extras.team.push import PushRequest
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import Item, ItemStatus
from afterwit.model.learn_run import Options
from afterwit.recall.deck.compile import compile_deck
from afterwit.sessions.identities import merge
from afterwit.store.decisions import DecisionKind
from afterwit.store.store import open_store

MIRAS = "From now on, weigh the crates before you load them."
JONAS_SAYS = "From now on, answer me in Swedish when you talk about ladders."
BOTH = "Never prune the old pear trees in spring."
FACT = "wrapit cargo"
TASK = "Change the quince juicer: pressing, pectin flavour, weigh the crates, ladders in Swedish, prune pear trees"


class Shared(NamedTuple):
    """A store with both people's sessions, and a checkout in which either of them works."""

    folder: Path

    def world(self, user: str) -> World:
        """As this user has it, with the sessions of both."""
        home = self.folder / user
        home.mkdir(exist_ok=True)
        settings = world_of(self.logs, self.folder / "store").settings
        return world_of(home, self.folder / "store")._replace(settings=settings)

    def learns(self) -> None:
        assert not learned(self.logs, self.folder / "store").has_failures

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def root(self) -> Path:
        return self.folder / "orchard"

    def heard(self, user: str) -> str:
        """All that a session of this user hears, on every way."""
        world = self.world(user)
        with open_store(world.layout) as store:
            compile_deck(store, world)
        return self.heard_now(world)

    def heard_now(self, world: World) -> str:
        ways = told(
            world,
            str(self.root),
            prompts=(TASK, "Weigh the crates and answer in Swedish about ladders"),
            failing=((FIXED[0], FAILED),),
            queries=("crates", "Swedish", "pear", "quince"),
        )
        texts = [text for _, text in ways]
        texts += [explained(world, item.id) for item in self.items()]
        return "\n".join((*texts, exported(world, self.folder / f"export-{world.user_home.name}")))

    def items(self) -> list[Item]:
        return listed(self.world(MIRA), ItemFilter()).items

    def item(self, words: str) -> Item:
        (found,) = [item for item in self.items() if words in item.sentence]
        return found


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    both = Shared(tmp_path)
    claude_session(both.logs, MIRA, "m0", 1, ["Mow the meadow", MIRAS])
    codex_session(both.logs, JONAS, "0", 1, ["Mend the fence", JONAS_SAYS, BOTH])
    claude_session(both.logs, MIRA, "m1", 1, ["Count the trees", MIRAS, BOTH], commands=FIXED)
    codex_session(both.logs, JONAS, "1", 2, ["Pick the pears", JONAS_SAYS, BOTH], commands=FIXED)
    both.root.mkdir()
    git(both.root, both.logs, "init", "--quiet")
    both.learns()
    return both


def test_words_of_one_reach_the_other_on_no_way_and_facts_and_common_words_reach_both(shared: Shared) -> None:
    mira, jonas = shared.heard(MIRA), shared.heard(JONAS)
    assert (MIRAS in mira, MIRAS in jonas) == (True, False)
    assert (JONAS_SAYS in mira, JONAS_SAYS in jonas) == (False, True)
    assert BOTH in mira
    assert BOTH in jonas
    assert FACT in mira
    assert FACT in jonas
    assert shared.item(BOTH).reason == "seen in 3 independent sessions"


def test_prepared_notes_of_one_tell_the_other_nothing_personal(shared: Shared) -> None:
    shared.heard(MIRA)
    jonas = shared.heard_now(shared.world(JONAS))
    assert MIRAS not in jonas
    assert FACT in jonas


def test_what_a_person_approves_is_everybodys(shared: Shared) -> None:
    judge(shared.world(MIRA), DecisionKind.APPROVE, [shared.item(MIRAS).id])
    assert MIRAS in shared.heard(MIRA)
    assert MIRAS in shared.heard(JONAS)


def test_a_name_that_counts_as_ones_own_is_ones_own(shared: Shared) -> None:
    world = shared.world(MIRA)
    merge(world, "user", JONAS, MIRA)
    heard = shared.heard(MIRA)
    assert MIRAS in heard
    assert JONAS_SAYS in heard
    assert MIRAS not in shared.heard("somebody-new")


def test_an_alias_in_the_settings_does_the_same(shared: Shared) -> None:
    (shared.folder / "store" / "config.toml").write_text(f'[aliases.users]\n{JONAS} = "{MIRA}"\n', "utf-8")
    assert JONAS_SAYS in shared.heard(MIRA)


def test_whoever_is_none_of_several_is_told_the_words_of_none(shared: Shared) -> None:
    heard = shared.heard("visitor")
    assert not any(words in heard for words in (MIRAS, JONAS_SAYS, BOTH))
    assert FACT in heard


def test_the_login_counts_where_the_home_folder_is_elsewhere(shared: Shared) -> None:
    world = shared.world("visitor")
    moved = world._replace(environ={**world.environ, "USER": MIRA})
    with open_store(world.layout) as store:
        compile_deck(store, moved)
    heard = shared.heard_now(moved)
    assert MIRAS in heard
    assert JONAS_SAYS not in heard


def test_a_store_of_one_person_speaks_under_any_name(tmp_path: Path) -> None:
    alone = Shared(tmp_path)
    claude_session(alone.logs, MIRA, "m1", 1, ["Count the trees", MIRAS])
    alone.root.mkdir()
    git(alone.root, alone.logs, "init", "--quiet")
    alone.learns()
    for user in (MIRA, "restored-laptop"):
        assert MIRAS in alone.heard(user), user


@pytest.mark.parametrize("cwd", ["/srv/orchard", "/root/orchard", "/home/vscode/orchard"])
def test_words_of_nobody_in_particular_are_told_to_all(shared: Shared, cwd: str) -> None:
    said = "From now on, paint every gate of the farm in green."
    claude_session(shared.logs, "", "u1", 3, ["Open the gate", said], cwd=cwd)
    shared.learns()
    for user in (MIRA, JONAS, "visitor"):
        assert said in shared.heard(user), user


def test_nobody_changes_another_persons_mind(shared: Shared) -> None:
    finnish, danish = (JONAS_SAYS.replace("Swedish", language) for language in ("Finnish", "Danish"))
    claude_session(shared.logs, MIRA, "m2", 4, [finnish])
    shared.learns()
    assert JONAS_SAYS in shared.heard(JONAS)
    codex_session(shared.logs, JONAS, "2", 5, [danish])
    shared.learns()
    mira, jonas = shared.heard(MIRA), shared.heard(JONAS)
    assert [finnish in mira, danish in mira, JONAS_SAYS in mira] == [True, False, False]
    assert [finnish in jonas, danish in jonas] == [False, True]


def test_a_later_word_replaces_ones_own_and_not_that_of_another(shared: Shared) -> None:
    before, after = "Always store jobs in Postgres.", "Never store jobs in Postgres."
    claude_session(shared.logs, MIRA, "m2", 4, [before])
    codex_session(shared.logs, JONAS, "2", 5, [after])
    shared.learns()
    assert {shared.item(words).status for words in (before, after)} == {ItemStatus.CANDIDATE}
    claude_session(shared.logs, MIRA, "m3", 6, [after])
    shared.learns()
    assert shared.item(before).status is ItemStatus.SUPERSEDED


def test_who_takes_a_common_word_back_leaves_it_to_the_others(shared: Shared) -> None:
    claude_session(shared.logs, MIRA, "m2", 4, ["Always prune the old pear trees in spring."])
    shared.learns()
    item = shared.item(BOTH)
    assert item.status is ItemStatus.ACTIVE
    assert {piece.session.agent for piece in item.evidence} == {"codex"}
    assert BOTH not in exported(shared.world(MIRA), shared.folder / "taken-back")
    assert BOTH in shared.heard(JONAS)


def _words_that_leave(shared: Shared, user: str, *, by: Callable[[Item], bool] = lambda _: False) -> str:
    world = shared.world(user)
    rules = [item.id for item in shared.items() if by(item)]
    with open_store(world.layout) as store:
        notes = local_notes(store.db, "orchard")
    lines = own_lines(notes, {}, {}, Sharer(user, "m", world.settings.share.policy, rules), "orchard", 1)
    return str(lines)


def test_words_leave_for_git_and_for_a_hub_only_as_named_rules(shared: Shared) -> None:
    assert MIRAS not in _words_that_leave(shared, JONAS)
    assert MIRAS not in _words_that_leave(shared, MIRA)
    assert MIRAS in _words_that_leave(shared, JONAS, by=lambda item: MIRAS in item.sentence)
    world = shared.world(JONAS)
    named = world._replace(environ={**world.environ, "USER": JONAS})
    jonas = Member(named, GitCheckout("orchard", shared.root, shared.root / ".git"))
    judge(named, DecisionKind.APPROVE, [shared.item(FACT).id])
    jonas.begins()
    pushed = [change.fact for change in jonas.pushes(PushRequest()).changes]
    assert any(FACT in fact for fact in pushed)
    assert not any(words in fact for fact in pushed for words in (MIRAS, JONAS_SAYS, BOTH))


def test_a_persons_own_words_are_approved_at_once_and_nobody_elses(shared: Shared) -> None:
    own = [item.sentence for item in of_user(shared.world(JONAS), shared.items())]
    assert any(JONAS_SAYS in sentence for sentence in own)
    assert not any(MIRAS in sentence for sentence in own)


def test_a_run_of_the_other_person_makes_the_notes_theirs(shared: Shared) -> None:
    world = shared.world(JONAS)
    sweep(world, Options(), Silent())
    heard = shared.heard_now(world)
    assert JONAS_SAYS in heard
    assert MIRAS not in heard
