"""A check that is on stops a call once, with a sentence; made again it passes, unless the check is strict.

One session goes through all kinds. What a call brings about in the checkout is looked at each time that the client asks
the model, so that a test sees whether it was made. Each session has the checkout as it was at first.
"""

import datetime as dt
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.e2e.delivery import OPENING, Scene, Session
from tests.e2e.history import PLACE, TASK
from tests.e2e.installation import Installation
from tests.e2e.model_server import Script, Use
from tests.e2e.test_disconnect import files_of, must_leave_nothing
from tests.homes import world_of

from afterwit.config.world import World
from afterwit.engine.curation import checks
from afterwit.model.check import CheckKind
from afterwit.store.rows.hooks import CheckUse

pytestmark = pytest.mark.e2e

ROWS = "src/rows.py"
STOPPED = "Stopped before it ran: "
AGAIN = "If it is right all the same, call the same command again to run it as it is."
STRICT = "This check is strict: calling it again does not help."
GOODBYE = "The press stops when the barrel is full."


class Edit(NamedTuple):
    """An edit of a file, by whatever tool the client has for it."""

    path: str
    old: str
    new: str


Call = str | Edit


class Case(NamedTuple):
    """A check, a call that goes against it, what shows that it was made, and what is said of it."""

    kind: CheckKind
    typed: str
    call: Call
    is_made: Callable[[Path], bool]
    said: str
    first: Sequence[Call] = ()
    obeyed: Sequence[Call] = ()  # calls that heed it
    is_obeyed: Callable[[Path], bool] = Path.exists


def holds(name: str, text: str) -> Callable[[Path], bool]:
    return lambda checkout: text in (checkout / name).read_text(encoding="utf-8")


def has_ref(name: str) -> Callable[[Path], bool]:
    return lambda checkout: (checkout / ".git/refs" / name).exists()


def committed(subject: str) -> Callable[[Path], bool]:
    return holds(".git/logs/HEAD", subject)


CASES = (
    Case(
        CheckKind.NOT_FILE,
        f"never edit {ROWS}",
        Edit(ROWS, "rows = 12", "rows = 13"),
        holds(ROWS, "rows = 13"),
        f"Never edit `{ROWS}` (the user wants this). Leave `{ROWS}` as it is, and say what you would change.",
    ),
    Case(
        CheckKind.AFTER_FILE,
        f"after {PLACE}: make seeds",
        "git commit -qam 'Let it stop'",
        committed("Let it stop"),
        f"After `{PLACE}`: `make seeds` (the user wants this). `{PLACE}` was edited: let `make seeds` pass, then"
        " commit.",
        first=(Edit(PLACE, "def press(): ...", "def press(barrel): ..."),),
        obeyed=("make seeds", "git commit -q --allow-empty -m 'Sow it'"),
        is_obeyed=committed("Sow it"),
    ),
    Case(
        CheckKind.NOT_TEXT,
        "never write Signed-off-by in a commit message",
        "git commit -q --allow-empty -m 'Sign it' -m 'Signed-off-by: ada'",
        committed("Sign it"),
        'Never write "Signed-off-by" in a commit message (the user wants this). Write it without that text.',
    ),
    Case(
        CheckKind.NOT_TEXT,
        'never write "TODO" in src/**',
        Edit(PLACE, "def press(barrel): ...", "def press(barrel): ...  # TODO: stop"),
        holds(PLACE, "TODO"),
        'Never write "TODO" in `src/**` (the user wants this). Write it without that text.',
    ),
    Case(
        CheckKind.INSTEAD,
        "git switch instead of git checkout",
        "git checkout -q -b pears",
        has_ref("heads/pears"),
        "`git switch` instead of `git checkout` (the user wants this). Use `git switch -q -b pears`.",
        obeyed=("git switch -q -c plums",),
        is_obeyed=has_ref("heads/plums"),
    ),
    Case(
        CheckKind.BEFORE,
        "before git tag: make test",
        "git tag unripe",
        has_ref("tags/unripe"),
        "Before `git tag`: `make test` (the user wants this). `make test` has not passed since the last edit: run it"
        " first.",
        obeyed=("make test", "git tag ripe"),
        is_obeyed=has_ref("tags/ripe"),
    ),
    Case(
        CheckKind.NOT_COMMAND,
        "never run git push unless asked",
        "git push -q barn HEAD:refs/heads/pressed",
        has_ref("../../../barn.git/refs/heads/pressed"),
        "Never run `git push` unless asked (the user wants this). Nobody asked for `git push` in this session: ask the"
        " user first.",
    ),
)
PUSH = CASES[-1]


def by_patch(_: Path, edit: Edit) -> Use:
    patch = f"*** Begin Patch\n*** Update File: {edit.path}\n@@\n-{edit.old}\n+{edit.new}\n*** End Patch\n"
    return Use("", "apply_patch", patch)


def by_tool(tool: str, path: str, old: str, new: str, **more: str) -> Callable[[Path, Edit], Use]:
    return lambda folder, edit: Use("", tool, {path: str(folder / edit.path), old: edit.old, new: edit.new, **more})


EDITS: Mapping[str, Callable[[Path, Edit], Use]] = {
    "claude-code": by_tool("Edit", "file_path", "old_string", "new_string"),
    "codex": by_patch,
    "gemini": by_tool("replace", "file_path", "old_string", "new_string"),
    "copilot": by_tool("edit", "path", "old_str", "new_str"),
}
READS = {"claude-code": ("Read", "file_path")}  # before it edits


class Played(NamedTuple):
    """A script, and how many results there are before each case's call and after each time that it was made."""

    script: Script
    at: Mapping[str, Sequence[int]]


def written(scene: Scene, times: int, *, obeys: bool = True) -> Played:
    """The script of a session that makes the call of every case so often, and then heeds the check."""
    name, folder = scene.client.name, scene.checkout
    tool, path = READS.get(name, ("", ""))
    steps: list[str | Use] = [Use("", tool, {path: str(folder / file)}) for file in (ROWS, PLACE) if tool]
    at: dict[str, Sequence[int]] = {}
    for case in CASES:
        steps += [spoken(name, folder, call) for call in case.first]
        at[case.typed] = range(len(steps), len(steps) + times + 1)
        steps += [spoken(name, folder, case.call)] * times
        steps += [spoken(name, folder, call) for call in case.obeyed if obeys]
    return Played(Script(steps, GOODBYE), at)


def spoken(client: str, folder: Path, call: Call) -> str | Use:
    return call if isinstance(call, str) else EDITS[client](folder, call)


@pytest.fixture(autouse=True)
def _edits(scene: Scene) -> None:
    if scene.client.name not in EDITS:
        pytest.skip(f"how {scene.client.label} edits a file is not written down here")


@contextmanager
def fresh_checkout(scene: Scene) -> Iterator[None]:
    """The checkout as it was planted, with an author and a remote, and put back afterwards."""
    kept, barn = scene.home.parent / "kept", scene.home / "barn.git"
    shutil.copytree(scene.checkout, kept)
    subprocess.run(["git", "init", "-q", "--bare", str(barn)], check=True)
    with (scene.checkout / ".git/config").open("a", encoding="utf-8") as config:
        config.write(f'[user]\n\tname = ada\n\temail = ada@orchard.example\n[remote "barn"]\n\turl = {barn}\n')
    try:
        yield
    finally:
        for folder in (scene.checkout, barn):
            shutil.rmtree(folder)
        kept.rename(scene.checkout)


@contextmanager
def turned_on(scene: Scene, *, is_strict: bool = False) -> Iterator[None]:
    """All checks, of this repository."""
    world = world_now(scene)
    ids = [checks.add(world, scene.checkout, None, case.typed).check.id for case in CASES]
    for name in ids:
        checks.turn_on(world, name, is_strict=is_strict)
    try:
        yield
    finally:
        for name in ids:
            checks.turn_off(world, name)


def world_now(scene: Scene) -> World:
    now_ms = int(dt.datetime.now(dt.UTC).timestamp() * 1_000)
    return world_of(scene.home, scene.store)._replace(now_ms=now_ms)


def played(scene: Scene, script: Script, prompt: str = TASK) -> Session:
    def look() -> Mapping[str, tuple[bool, bool]]:
        return {case.typed: (case.is_made(scene.checkout), case.is_obeyed(scene.checkout)) for case in CASES}

    with fresh_checkout(scene):
        session = scene.new_session(script, scene.checkout, prompt, look=look, edits=True)
    session.must_have_ended_with(GOODBYE)
    return session


def told(session: Session, case: Case, at: Sequence[int], end: str) -> list[tuple[int, bool]]:
    """How often the model has read what is said of a case, before its call and each time after it; and whether the
    call was made by then."""
    said = f"{STOPPED}{case.said} {end}"
    return [(session.after(results).count(said), session.seen[results][case.typed][0]) for results in at]


def test_a_call_against_a_check_is_stopped_once_and_passes_when_it_is_made_again(scene: Scene) -> None:
    scene.connect()
    script, at = written(scene, times=2)
    with turned_on(scene):
        session = played(scene, script)
        scene.afterwit("learn")
        uses = checks.look(world_now(scene), scene.checkout).uses
    for case in CASES:
        assert told(session, case, at[case.typed], AGAIN) == [(0, False), (1, False), (1, True)], case.kind
        assert session.seen[len(script.commands)][case.typed][1], case.kind
    assert session.texts[-1].count(STOPPED) == len(CASES)
    assert [use for use in uses.values() if use.repeated] == [CheckUse(1, 1, 1)] * len(CASES)


def test_a_call_against_a_strict_check_never_passes_but_what_heeds_it_does(scene: Scene) -> None:
    scene.connect()
    script, at = written(scene, times=2)
    with turned_on(scene, is_strict=True):
        session = played(scene, script)
    for case in CASES:
        assert told(session, case, at[case.typed], STRICT) == [(0, False), (1, False), (2, False)], case.kind
        assert session.seen[len(script.commands)][case.typed][1], case.kind
    assert session.texts[-1].count(STOPPED) == 2 * len(CASES)


def test_what_the_user_asks_for_is_not_stopped(scene: Scene) -> None:
    scene.connect()
    assert isinstance(PUSH.call, str)
    with turned_on(scene, is_strict=True):
        session = played(scene, Script((PUSH.call,), GOODBYE), f"{TASK}, then push it to the barn")
    assert [session.seen[results][PUSH.typed][0] for results in (0, 1)] == [False, True]
    assert STOPPED not in session.texts[-1]


def test_with_our_program_gone_nothing_is_said_and_every_call_passes(scene: Scene, installation: Installation) -> None:
    scene.disconnect()
    script, at = written(scene, times=1)
    installation.run(scene.home, "connect", scene.client.name, "--yes")
    try:
        with turned_on(scene, is_strict=True), installation.moved_away():
            session = played(scene, script)
    finally:
        installation.run(scene.home, "disconnect", scene.client.name, "--yes")
    must_be_silent(session, at)


def test_once_disconnected_nothing_is_left_of_checks(scene: Scene) -> None:
    scene.disconnect()
    before = files_of(scene)
    scene.connect()
    connected = files_of(scene)
    script, at = written(scene, times=1)
    with turned_on(scene, is_strict=True):
        assert STOPPED in played(scene, script).texts[-1]
        must_leave_nothing(scene, before, connected)
        spooled = spooled_in(scene)
        must_be_silent(played(scene, script), at)
    assert spooled_in(scene) == spooled


def must_be_silent(session: Session, at: Mapping[str, Sequence[int]]) -> None:
    """Nothing of ours was said, and each call was made at once."""
    assert [text.count(OPENING) for text in session.texts] == [0] * len(session.texts)
    for case in CASES:
        assert [session.seen[results][case.typed][0] for results in at[case.typed]] == [False, True], case.kind


def spooled_in(scene: Scene) -> Mapping[Path, tuple[int, bytes]]:
    """What hooks left, and when they were last called."""
    files = (scene.store / "spool").iterdir()
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files if path.is_file()}
