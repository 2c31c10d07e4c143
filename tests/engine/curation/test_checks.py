"""Checks as people decide about them, and as the past is asked: a store that is learned from sessions on disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.homes import ORCHARD, Silent, _assistant, _user, hash_of, learned, put, world_of

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation import checks
from afterwit.engine.curation.undo import past, undo
from afterwit.knowledge.checks import CheckStatus
from afterwit.model.check import Check, CheckKind
from afterwit.model.errors import UsageError
from afterwit.recall.check_trial import CheckTrial, StopVerdict
from afterwit.recall.deck.reader import CALL, Deck
from afterwit.recall.spooled import take_in
from afterwit.redaction.redaction import Redactor
from afterwit.store.decide import decide
from afterwit.store.decisions import BriefCompiled, KnowledgeEntry
from afterwit.store.spool_file import SpoolFile
from afterwit.store.store import open_store

HERE = Path(ORCHARD)
PUSH = "never run git push unless asked"
Part = tuple[str, ...]


def said(text: str) -> Part:
    return ("said", text)


def ran(command: str, output: str = "fine", *, fails: bool = False) -> Part:
    return ("Bash", command, output, "fails" if fails else "")


def edited(path: str, new: str = "oil") -> Part:
    return ("Edit", path, new, "")


def denied(command: str) -> Part:
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    return ("Bash", command, no, "fails")


def talk(session: str, parts: Sequence[Part], start: int = 0) -> list[dict[str, Any]]:
    """A session of Claude Code, part by part."""
    records: list[dict[str, Any]] = []
    envelope = {"sessionId": session, "cwd": ORCHARD, "gitBranch": "main", "version": "2.1.150", "isSidechain": False}
    for number, part in enumerate(parts):
        stamp, name = start + number * 10, f"{session}-{number}"
        if part[0] == "said":
            records.append(_user(envelope, name, stamp, part[1]))
            continue
        tool, about, text, fails = part
        edit = {"file_path": f"{ORCHARD}/{about}", "old_string": "dry", "new_string": text}
        given = {"command": about} if tool == "Bash" else edit
        use = {"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": given}
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{name}",
            "is_error": bool(fails),
            "content": text if tool == "Bash" else "The file was updated.",
        }
        records += [
            _assistant(envelope, name, stamp, use, f"msg_{name}", 9),
            _user(envelope, f"{name}-r", stamp + 1, [result]),
        ]
    return records


def world_with(tmp_path: Path, *sessions: Sequence[Part]) -> World:
    home, store = tmp_path / "home", tmp_path / "store"
    for number, parts in enumerate(sessions):
        records = talk(f"s{number}", parts, start=number * 1_000)
        put(home / f".claude/projects/-srv-orchard/s{number}.jsonl", records)
    learned(home, store)
    return world_of(home, store)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return world_with(tmp_path, [said("Oil the belt."), edited("belt.py"), ran("git push")])


def states(world: World) -> list[tuple[str, CheckStatus]]:
    return [(state.check.form, state.status) for state in checks.look(world, HERE).states]


def in_deck(world: World, repo: str = "") -> list[str]:
    """The checks that a hook finds before `git push`."""
    repo = repo or checks.look(world, HERE).repo
    return [check.id for check in Deck(str(world.layout.deck)).checks(CALL, {"git", "push"}, repo)]


def tried(world: World, typed: str) -> CheckTrial:
    (trial,) = checks.try_checks(world, HERE, None, typed=typed).values()
    return trial


def test_a_check_is_added_turned_on_and_off_and_taken_out(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    assert (states(world), in_deck(world)) == ([(PUSH, CheckStatus.OFF)], [])
    checks.turn_on(world, added.check.id[:6])
    assert (states(world), in_deck(world)) == ([(PUSH, CheckStatus.ON)], [added.check.id])
    checks.turn_on(world, added.check.id, is_strict=True)
    assert states(world) == [(PUSH, CheckStatus.STRICT)]
    checks.turn_off(world, added.check.id)
    assert (states(world), in_deck(world)) == ([(PUSH, CheckStatus.OFF)], [])
    checks.remove(world, added.check.id)
    assert states(world) == []


def test_a_check_that_is_added_twice_stays_as_it_is(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    checks.turn_on(world, added.check.id)
    assert checks.add(world, HERE, None, "never run `git push`").status is CheckStatus.ON


def test_a_check_can_hold_everywhere(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    checks.turn_on(world, added.check.id)
    assert in_deck(world, "example.org/team/harbour") == []
    checks.turn_on(world, added.check.id, is_everywhere=True)
    assert in_deck(world, "example.org/team/harbour") == [added.check.id]


def test_undo_takes_back_what_was_decided_last(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    checks.turn_on(world, added.check.id)
    undo(world)
    assert (states(world), in_deck(world)) == ([(PUSH, CheckStatus.OFF)], [])
    undo(world)
    assert states(world) == []
    assert past(world, 0)[-1].what == f"add the check {added.check.id}: {PUSH}"


def test_what_was_decided_survives_a_rebuild(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    checks.turn_on(world, added.check.id, is_strict=True)
    before = hash_of(world.layout.root)
    assert rebuild(world, Silent()).after == before
    assert states(world) == [(PUSH, CheckStatus.STRICT)]


def test_a_name_that_fits_no_check_is_refused(world: World) -> None:
    with pytest.raises(UsageError, match="No check begins with 'zz'"):
        checks.turn_on(world, "zz")


def propose(world: World, *proposals: Check) -> str:
    """The last compilation of the brief proposes these."""
    repo = checks.look(world, HERE).repo
    body = BriefCompiled(
        request="q", repo=repo, items=(), until_ms=0, model="m", prompt="p", checks=1, proposals=proposals
    )
    with open_store(world.layout) as store:
        decide(store, KnowledgeEntry.COMPILED, msgspec.to_builtins(body), world.now_ms)
    return repo


def test_proposals_are_those_of_the_last_compilation_that_can_be_decided(world: World) -> None:
    lint = Check(kind=CheckKind.BEFORE, command="git commit", other="make lint", text="Lint first.", notes=("n1",))
    propose(world, Check(kind=CheckKind.NOT_FILE, path="belt.py"))
    repo = propose(world, lint, Check(kind=CheckKind.BEFORE, command="git commit", other="a; b", text="Both."))
    (state,) = checks.look(world, HERE).states
    assert (state.check.sentence, state.check.repo, state.status) == ("Lint first.", repo, CheckStatus.PROPOSED)


def test_a_proposal_that_was_taken_out_does_not_come_back(world: World) -> None:
    proposal = Check(kind=CheckKind.NOT_COMMAND, command="git push", text="Ask before a push.")
    propose(world, proposal)
    (state,) = checks.look(world, HERE).states
    checks.remove(world, state.check.id)
    propose(world, proposal)
    assert states(world) == []


def test_a_check_that_is_on_stays_though_nobody_proposes_it_any_more(world: World) -> None:
    propose(world, Check(kind=CheckKind.NOT_COMMAND, command="git push", text="Ask before a push."))
    checks.turn_on(world, checks.look(world, HERE).states[0].check.id)
    propose(world)
    assert [status for _, status in states(world)] == [CheckStatus.ON]


def test_what_a_check_did_is_counted(world: World) -> None:
    added = checks.add(world, HERE, None, PUSH)
    drawn = {"kind": "draw", "agent": "codex", "session": "s9", "moment": "before", "held": 0}
    acts = ("check", "check", "repeated")
    records = [{**drawn, "at": at, "act": act, "items": {added.check.id: 1}} for at, act in enumerate(acts)]
    with SpoolFile(str(world.layout.spool), "codex", "s9") as file:
        file.append(*records, {"kind": "check", "at": 4, "agent": "codex", "session": "s9", "is": {"x": "edited"}})
    with open_store(world.layout) as store:
        assert take_in(store, Redactor(b"k"), world.now_ms).bad == 0
    use = checks.look(world, HERE).uses[added.check.id]
    assert (use.sessions, use.stopped, use.obeyed, use.repeated) == (1, 2, 1, 1)


def test_a_push_that_nobody_asked_for_would_have_been_stopped(world: World) -> None:
    trial = tried(world, PUSH)
    assert (trial.sessions, trial.sessions_stopped) == (1, 1)
    (stop,) = trial.stops
    assert (stop.agent, stop.session, stop.called, stop.verdict) == (
        "claude-code",
        "s0",
        "git push",
        StopVerdict.UNMINDED,
    )
    assert not trial.is_worth_showing
    assert trial.in_words == "1 time in 1 session; nobody minded once"


@pytest.mark.parametrize(
    ("verdict", "parts"),
    [
        ("objected", [said("Oil the belt."), ran("git push"), said("I didn't ask you to push that!")]),
        ("objected", [said("Oil the belt."), denied("git push")]),
        ("asked", [said("Oil the belt."), said("yes please"), ran("git push")]),
        ("unminded", [said("Oil the belt."), ran("git push"), said("Thanks, great.")]),
        ("unminded", [said("Oil the belt."), ran("git push"), said("Now the press.")]),
    ],
)
def test_what_the_user_said_to_it_is_the_verdict(tmp_path: Path, verdict: str, parts: list[Part]) -> None:
    (stop,) = tried(world_with(tmp_path, parts), PUSH).stops
    assert stop.verdict == verdict


def test_what_the_user_asked_for_would_not_have_been_stopped(tmp_path: Path) -> None:
    world = world_with(tmp_path, [said("Commit and push, please."), ran("git push")])
    assert tried(world, PUSH).in_words == "never in 1 session"


def test_the_order_of_a_session_is_what_counts(tmp_path: Path) -> None:
    lint, commit = ran("make lint"), ran("git commit -m a")
    world = world_with(
        tmp_path,
        [said("Go on"), edited("belt.py"), lint, commit],
        [said("Go on"), lint, edited("belt.py"), commit, said("You forgot to run lint, and it fails")],
        [said("Go on"), commit],
    )
    trial = tried(world, "before git commit: make lint")
    assert [(stop.session, stop.verdict) for stop in trial.stops] == [("s1", StopVerdict.OBJECTED)]
    assert trial.is_worth_showing
    assert trial.examples[0].said == "You forgot to run lint, and it fails"


def test_texts_of_edits_come_from_the_originals(tmp_path: Path) -> None:
    world = world_with(
        tmp_path, [said("Go on"), edited("src/belt.js", "console.log(1)"), edited("src/press.js", "oil")]
    )
    assert [stop.called for stop in tried(world, "never write console.log in src/**").stops] == ["src/belt.js"]


def test_a_trial_changes_nothing(world: World) -> None:
    before = hash_of(world.layout.root)
    tried(world, PUSH)
    assert (hash_of(world.layout.root), states(world), list(world.layout.spool.glob("*.jsonl"))) == (before, [], [])
