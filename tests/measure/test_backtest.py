"""A planted history with known answers, scored by the product and by an outside examiner."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.homes import Silent, learned, world_of
from tests.measure.histories import HOUR_S, Log, planted
from tests.measure.judging import judged, needs_judge, played
from tests.measure.replaying import players, replayed

from afterwit.engine.replay import PLAYERS
from afterwit.measure.backtest import Backtest, NotesFile, backtest, explained, own_files
from afterwit.measure.replay import Player, Saying, Whereabouts
from afterwit.measure.scores import PlayerReport
from afterwit.model.digest import Digest
from afterwit.model.errors import UsageError
from afterwit.model.kinds import Step
from afterwit.sessions.filters import Filter

_WRONG, _RIGHT = "tset", "npm run test"
_ALL = (*PLAYERS, "knowing")
_EQUAL = ("nothing", "frequent")


class _Echo(Player):
    """Says the error again."""

    name = "echo"

    def after(self, here: Whereabouts, step: Step) -> list[Saying]:
        return [Saying(text=step.error)]


class _Knowing(Player):
    """Knows the command that works from the session in which the other one failed first, and warns from the second."""

    name = "knowing"

    def __init__(self) -> None:
        self._met: set[str] = set()

    def know(self, digest: Digest) -> None:
        if any(_WRONG in step.target for step in digest.steps):
            self._met.add(digest.native_id)

    def before(self, here: Whereabouts, step: Step) -> list[Saying]:
        return [Saying(text="Use the other", advice=_RIGHT)] if len(self._met) > 1 and _WRONG in step.target else []

    def after(self, here: Whereabouts, step: Step) -> list[Saying]:
        return [Saying(text="This worked", advice=_RIGHT)] if self._met and _WRONG in step.target else []


class Planted:
    """The planted history, learned and replayed through all players."""

    def __init__(self, folder: Path) -> None:
        self.home, self.store, self.folder = folder / "home", folder / "store", folder
        self.logs = planted(self.home)
        learned(self.home, self.store)
        self.found = self.run(Filter(), folder / "{player}.jsonl")

    def run(self, wanted: Filter, notes: Path | None = None) -> Backtest:
        world = world_of(self.home, self.store)
        written = NotesFile(notes, _ALL, own_files(world)) if notes else None
        with players(world) as chosen:
            return backtest(world, [*chosen, _Knowing()], wanted, Silent(), written)

    def report(self, player: str) -> PlayerReport:
        return next(one for one in self.found.reports if one.player == player)

    def notes(self, player: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / f"{player}.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return Planted(tmp_path_factory.mktemp("planted"))


def test_the_pools_hold_what_was_planted(history: Planted) -> None:
    whole = history.report("nothing").whole
    assert (whole.sessions, whole.repeats, whole.rules, whole.searches) == (6, 2, 1, 4)


def test_nothing_wins_nothing(history: Planted) -> None:
    whole = history.report("nothing").whole
    assert (whole.recall_at_5, whole.covered, whole.rules_reminded, whole.saved_per_1000) == (0, 0, 0, 0)


def test_a_player_that_knows_answers_once_and_then_warns_with_the_command_that_worked(history: Planted) -> None:
    whole = history.report("knowing").whole
    assert (whole.covered, whole.right, whole.false_alarms) == (1, 1, 0)
    spoken = [(note["session"], note["moment"], note["advice"]) for note in history.notes("knowing")]
    second, third = history.logs[2].session, history.logs[3].session
    fix = _RIGHT
    assert spoken == [(second, "after", fix), (third, "before", fix), (third, "after", fix)]


def test_a_rule_that_bites_again_is_reminded_of_by_its_name(history: Planted) -> None:
    (report,) = backtest(world_of(history.home, history.store), [_Echo()], Filter(), Silent()).reports
    assert report.whole.rules_reminded == 1


def test_places_names_the_file_where_it_is_now(history: Planted) -> None:
    (note,) = (note for note in history.notes("places") if note["session"] == history.logs[5].session)
    assert "src/cider/press.ts" in note["files"]
    assert history.report("places").whole.searches_spared == 1


@needs_judge
@pytest.mark.parametrize("player", _ALL)
def test_the_examiner_knows_every_action_that_a_note_names(history: Planted, player: str) -> None:
    assert judged(history.home, history.folder / f"{player}.jsonl")["notes"]["on_unknown_actions"] == 0


@needs_judge
def test_the_examiner_finds_the_same_pools(history: Planted) -> None:
    found = judged(history.home, history.folder / "knowing.jsonl")
    assert (found["commands"]["repeats"], found["rules"]["repeats"]) == (2, 1)
    assert (found["commands"]["covered"], found["commands"]["warned"], found["commands"]["right"]) == (1, 0.5, 1)
    places = judged(history.home, history.folder / "places.jsonl")["files"]
    whole = history.report("places").whole
    assert places["searches_before_first_edit"] == whole.searches
    assert (places["recall_at_5"], places["of_these_spared"]) == (whole.recall_at_5, whole.searches_spared)


@needs_judge
@pytest.mark.parametrize("player", _EQUAL)
def test_a_baseline_says_what_the_examiners_own_player_says(history: Planted, player: str) -> None:
    theirs = [_said(note) for note in played(history.home, player)]
    assert [_said(note) for note in history.notes(player)] == theirs


@needs_judge
@pytest.mark.parametrize("player", _EQUAL)
def test_a_baseline_earns_what_the_examiners_own_player_earns(history: Planted, player: str) -> None:
    theirs = history.folder / f"their-{player}.jsonl"
    theirs.write_text("".join(json.dumps(note) + "\n" for note in played(history.home, player)))
    assert judged(history.home, history.folder / f"{player}.jsonl") == judged(history.home, theirs)


def _said(note: dict[str, Any]) -> tuple[Any, ...]:
    keys = ("session", "action", "moment", "text")
    return (*(note[key] for key in keys), note.get("advice", ""), note.get("files", []))


def test_sessions_that_a_filter_leaves_out_are_learned_from_and_not_scored(history: Planted) -> None:
    since = 1_777_629_600_000 + 3 * HOUR_S * 1000  # the third session begins
    found = history.run(Filter(since_ms=since))
    whole = next(one for one in found.reports if one.player == "knowing").whole
    assert (whole.sessions, whole.repeats, whole.covered, whole.rules) == (3, 1, 1, 1)
    assert history.run(Filter(agents=("codex",))).sessions == 0


def test_the_summary_opens_with_a_sentence_about_the_product(history: Planted) -> None:
    assert history.found.sentence.startswith("Had Afterwit spoken in these 6 sessions, about")


def test_a_store_without_sessions_says_what_to_do(tmp_path: Path) -> None:
    learned(tmp_path, tmp_path / "store")
    found = replayed(world_of(tmp_path, tmp_path / "store"))
    assert "afterwit learn" in found.sentence


def test_one_session_can_be_explained(history: Planted) -> None:
    session = history.logs[5].session
    world = world_of(history.home, history.store)
    with players(world, "places") as chosen:
        one = explained(world, chosen, session, Silent())
    assert one.outline.here.session == session
    assert [note.moment for note in one.notes["places"]] == ["prompt"]


def test_an_unknown_player_is_refused_with_the_names_of_all(history: Planted) -> None:
    with pytest.raises(UsageError, match="Known are: nothing, frequent"):
        replayed(world_of(history.home, history.store), "oracle")


def test_a_fork_knows_nothing_that_came_after_the_history_it_copied(tmp_path: Path) -> None:
    original = Log(0, 0).prompt("Oil the press").edit("src/press.ts")
    between = Log(1, HOUR_S).prompt("Oil the press").edit("src/barrel.ts")
    fork = Log(2, 2 * HOUR_S).prompt("Oil the press again").edit("src/press.ts")
    fork.records = [record | {"sessionId": fork.session} for record in original.records] + fork.records
    for log in (original, between, fork):
        log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with players(world, "frequent") as chosen:
        one = explained(world, chosen, fork.session, Silent())
    assert one.notes["frequent"] == []
