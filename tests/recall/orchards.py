"""A checkout in a home, with commits, files, a branch, and sessions if a test wants them."""

from pathlib import Path

from tests.homes import Silent, learned, world_of
from tests.measure.histories import HOUR_S, Log
from tests.recall.hook.conftest import Hook
from tests.sources.checkouts import Worked, worked

from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.measure.experiment import set_skipping
from afterwit.model.learn_run import Options
from afterwit.recall.prompt_block import text_of
from afterwit.recall.recall import recalled
from afterwit.store.layout import Layout

FILES = {
    "cider/press.py": "def turn_the_press(barrel):\n    return barrel.juice\n",
    "cider/barrel.py": "class Barrel:\n    juice = 0\n    staves = 24\n",
    "tests/test_press.py": "def test_the_press_turns():\n    assert True\n",
    "field/ladder.py": "RUNGS = 12\n",
    "field/frost.py": "def warn_of_frost(thermometer):\n    return thermometer < 2\n",
    "README.md": "An orchard.\n",
}


def orchard(folder: Path) -> Worked:
    """A checkout whose commits tell of its files, each of one."""
    place = worked(folder / "home" / "orchard")
    place.commit(FILES, "Lay out the orchard")
    place.commit({"cider/press.py": FILES["cider/press.py"] + "# mended\n"}, "Let the press stop when it is full", 60)
    place.commit({"field/ladder.py": "RUNGS = 13\n"}, "Give the ladder another rung", 120)
    return place


def session(folder: Path, place: Worked, number: int = 0, prompt: str = "Count the rungs of the ladder") -> None:
    Log(number, number * HOUR_S, str(place.root)).prompt(prompt).edit("field/ladder.py").put(folder / "home")


def world_in(folder: Path) -> World:
    return world_of(folder / "home", folder / "store")


def learned_in(folder: Path) -> World:
    """Learns, and has nothing held out from sessions."""
    learned(folder / "home", folder / "store")
    set_skipping(world_in(folder), 0.0, 0.0)
    sweep(world_in(folder), Options(), Silent())
    return world_in(folder)


def configure(folder: Path, text: str) -> World:
    (folder / "store").mkdir(exist_ok=True)
    (folder / "store" / "config.toml").write_text(text, encoding="utf-8")
    return world_in(folder)


def told_by_hook(folder: Path, place: Path, prompt: str, session: str = "fresh") -> str:
    hook = Hook(Layout(folder / "store"), place)
    hook.environ["HOME"] = str(folder / "home")
    return hook.claude("prompt", session=session, prompt=prompt).context


def told_by_recall(world: World, place: Path, prompt: str) -> str:
    return text_of(recalled(world, place, None, "claude-code", prompt, None).prompt)
