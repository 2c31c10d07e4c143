"""The moments of a replay: in the order in which they came, and who has ended by then."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.homes import Silent, learned, world_of
from tests.measure.histories import MISSING, Log

from afterwit.measure.backtest import walked
from afterwit.measure.replay import NoteOccasion, Player, PlayerNote, Saying, Whereabouts
from afterwit.model.digest import Digest
from afterwit.model.kinds import Step
from afterwit.sessions.filters import Filter


class _Talker(Player):
    """Says at every moment which it is."""

    name = "talker"

    def __init__(self) -> None:
        self._ended: list[str] = []

    def end(self, digest: Digest) -> None:
        self._ended.append(digest.native_id)

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        return [Saying(text=f"ended {len(self._ended)}")]

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        return [Saying(text=f"first {prompt}")]

    def later_prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        return [Saying(text=f"later {prompt}", files=("src/late.ts",))]

    def before(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        return [Saying(text=f"before {step.tool}")]

    def after(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        return [Saying(text=f"failed {step.tool}")]

    def action(self, here: Whereabouts, step: Step, paths: Sequence[str]) -> Iterable[Saying]:
        return [Saying(text=f"did {step.tool} {' '.join(paths)}".strip(), occasion=NoteOccasion.ACTIVITY)]


def _notes(tmp_path: Path, *logs: Log) -> dict[str, list[PlayerNote]]:
    for log in logs:
        log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    played = walked(world, [_Talker()], Filter(), Silent())
    return {session.outline.here.session: session.notes["talker"] for session in played}


def _calls(log: Log) -> list[str]:
    blocks = (record["message"]["content"] for record in log.records if record["type"] == "assistant")
    return [content[0]["id"] for content in blocks]


def test_every_moment_is_played_in_its_place(tmp_path: Path) -> None:
    log = Log(0, 0).prompt("Oil the press").prompt("And the gate").edit("src/press.ts")
    log.prompt("Now run it").shell("npm run tset", MISSING, fails=True).prompt("Thanks")
    notes = _notes(tmp_path, log)[log.session]
    first, second = _calls(log)
    assert [(note.text, note.action, str(note.moment), str(note.occasion)) for note in notes] == [
        ("ended 0", None, "start", ""),
        ("first Oil the press", None, "prompt", ""),
        ("later And the gate", None, "prompt", "later-prompt"),
        ("before Edit", first, "before", ""),
        ("did Edit src/press.ts", first, "after", "activity"),
        ("later Now run it", first, "prompt", "later-prompt"),
        ("before Bash", second, "before", ""),
        ("failed Bash", second, "after", ""),
        ("did Bash", second, "after", "activity"),
        ("later Thanks", second, "prompt", "later-prompt"),
    ]


def test_files_of_a_later_prompt_do_not_count_as_named_in_time(tmp_path: Path) -> None:
    log = Log(0, 0).prompt("Oil the press").edit("src/press.ts").prompt("And the gate")
    assert all(not note.files for note in _notes(tmp_path, log)[log.session])


def test_a_session_has_ended_only_when_nothing_of_it_comes_later(tmp_path: Path) -> None:
    running = Log(0, 0).prompt("Oil the press").edit("src/press.ts").wait(900).prompt("Thanks")
    over = Log(1, 100).prompt("Paint the gate").edit("src/gate.ts")
    now, later = Log(2, 600).prompt("Fill the barrel"), Log(3, 2_000).prompt("Count the rows")
    notes = _notes(tmp_path, running, over, now, later)
    assert notes[now.session][0].text == "ended 1"
    assert notes[later.session][0].text == "ended 3"
