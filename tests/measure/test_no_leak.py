"""No player sees the future: whatever happened at or after a session's first timestamp can be replaced by noise."""

import copy
import tempfile
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.homes import learned, world_of
from tests.measure.histories import MISSING, RULE, Log, scrambled
from tests.measure.replaying import notes_of
from tests.thoroughness import examples

from afterwit.measure.replay import Notes, Player, Saying, Whereabouts
from afterwit.model.digest import Digest

_FILES = [f"src/{name}.ts" for name in ("press", "row", "barrel", "gate")]
_COMMANDS = [("npm run tset", MISSING, True), ("npm run test", "12 passing", False), ("npx tsc", RULE, True)]
_PROMPTS = ["Make the press turn faster", "Count every row", "Fill the barrel", "Paint the gate by the row"]
_ACTION = st.one_of(
    st.tuples(st.just("edit"), st.sampled_from(_FILES), st.just(0)),
    st.tuples(st.just("shell"), st.sampled_from(range(len(_COMMANDS))), st.integers(1, 90)),
    st.tuples(st.just("prompt"), st.sampled_from(_PROMPTS), st.just(0)),
    st.tuples(st.just("wait"), st.integers(1, 200), st.just(0)),
)
_SESSION = st.tuples(st.integers(0, 240), st.booleans(), st.sampled_from(_PROMPTS), st.lists(_ACTION, max_size=8))


def _log(number: int, drawn: tuple[int, bool, str, list[tuple[str, object, int]]]) -> Log:
    start_s, commits, prompt, actions = drawn
    log = Log(number, start_s)
    if commits:
        log.shell("git commit -m 'Oil the press'", takes_s=40).wait(60)
    log.prompt(prompt)
    for kind, what, takes_s in actions:
        if kind == "shell":
            command, output, fails = _COMMANDS[int(str(what))]
            log.shell(command, output, fails=fails, takes_s=takes_s)
        elif kind == "wait":
            log.wait(int(str(what)))
        else:
            (log.edit if kind == "edit" else log.prompt)(str(what))
    return log


class _Witness(Player):
    """Says all that it was ever told."""

    name = "witness"

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def know(self, digest: Digest) -> None:
        self._known[digest.native_id] = msgspec.json.encode(digest).decode()

    def start(self, here: Whereabouts) -> list[Saying]:
        return [Saying(text=text, item=name) for name, text in sorted(self._known.items())]


def _notes(logs: list[Log]) -> dict[str, Notes]:
    with tempfile.TemporaryDirectory() as folder:
        home, store = Path(folder, "home"), Path(folder, "store")
        for log in logs:
            log.put(home)
        learned(home, store)
        return notes_of(world_of(home, store), beside=(_Witness(),))


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_SESSION, min_size=2, max_size=5), st.data())
def test_noise_in_the_future_changes_no_note_of_any_player(
    drawn: list[tuple[int, bool, str, list[tuple[str, object, int]]]], data: st.DataObject
) -> None:
    logs = [_log(number, one) for number, one in enumerate(drawn)]
    chosen = data.draw(st.integers(0, len(logs) - 1))
    others = copy.deepcopy(logs)
    for number, log in enumerate(others):
        if number != chosen:
            scrambled(log, drawn[chosen][0])
    session = logs[chosen].session
    assert msgspec.json.encode(_notes(logs)[session]) == msgspec.json.encode(_notes(others)[session])


def test_noise_in_the_past_does_change_notes() -> None:
    logs = [Log(0, 0).prompt("Make the press turn faster").edit("src/press.ts"), Log(1, 60).prompt("Oil the press")]
    others = copy.deepcopy(logs)
    scrambled(others[0], 0)
    assert _notes(logs)[logs[1].session] != _notes(others)[logs[1].session]


def test_a_session_that_begins_in_the_same_instant_is_not_known() -> None:
    logs = [Log(number, 0).prompt("Oil the press").edit("src/press.ts") for number in range(2)]
    assert all(not notes for one in _notes(logs).values() for notes in one.values())


def test_a_result_that_came_after_the_beginning_is_not_known() -> None:
    slow = Log(0, 0).prompt("Check it").shell("npx tsc", RULE, fails=True, takes_s=100).edit("src/press.ts")
    later = Log(1, 50).prompt("Check it").shell("npx tsc", RULE, fails=True)
    others = copy.deepcopy([slow, later])
    scrambled(others[0], 50)
    assert _notes([slow, later])[later.session] == _notes(others)[later.session]


def _same_for(session: str, one: list[Log], other: list[Log]) -> bool:
    return _notes(one)[session] == _notes(other)[session]


def _committed(*, goes_on: bool) -> list[Log]:
    first = Log(0, 0).prompt("Tidy up").edit("src/press.ts").shell("git commit -m 'Mend the barrel gate'")
    first.records.append({"type": "ai-title", "aiTitle": "Barrel gate", "sessionId": first.session})
    if goes_on:
        first.wait(9_000).prompt("thanks").edit("src/gate.ts")
    return [first, Log(2, 60).prompt("Fill").edit("src/aaa.ts"), Log(1, 3_600).prompt("The barrel gate is stuck")]


def test_whether_a_session_goes_on_later_changes_nothing_that_was_said_before() -> None:
    assert _same_for(Log(1, 0).session, _committed(goes_on=True), _committed(goes_on=False))


def test_a_result_that_was_there_is_known_even_if_nothing_followed_it() -> None:
    notes = _notes(_committed(goes_on=False))[Log(1, 0).session]
    assert "Mend the barrel gate" in "".join(note.text for note in notes["witness"])


def _branched(*, later: bool) -> list[Log]:
    known = Log(0, 0).prompt("Fill the barrel").edit("src/barrel.ts")
    now = Log(1, 600).prompt("Go on").edit("src/gate.ts")
    for record in now.records:
        record["gitBranch"] = ""
    if later:
        now.records[-1]["gitBranch"] = "feature/barrel"
    for record in known.records:
        record["gitBranch"] = "feature/barrel"
    return [known, Log(2, 60).prompt("Paint").edit("src/gate.ts"), now]


def test_a_branch_that_a_session_changes_to_later_is_not_known_at_its_first_prompt() -> None:
    assert _same_for(Log(1, 0).session, _branched(later=True), _branched(later=False))


def test_a_later_fork_is_not_told_before_it_exists() -> None:
    original = Log(0, 0).prompt("Fill the barrel").edit("src/barrel.ts")
    between = Log(1, 3_600).prompt("Fill the barrel again")
    fork = Log(9, 7_200).prompt("Fill it in another way").edit("src/gate.ts")
    fork.records = [dict(copy.deepcopy(record), sessionId=fork.session) for record in original.records] + fork.records
    assert _same_for(between.session, [original, between, fork], [original, between])
