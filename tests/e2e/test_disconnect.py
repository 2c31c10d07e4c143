"""`afterwit disconnect` leaves the client's files as they were."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.e2e.delivery import SHORT, Scene

pytestmark = pytest.mark.e2e

Files = Mapping[Path, bytes]


def test_without_a_session_in_between_every_file_is_byte_for_byte_what_it_was(scene: Scene) -> None:
    scene.disconnect()
    before = files_of(scene)
    scene.connect()
    connected = files_of(scene)
    scene.disconnect()
    assert changed(before, connected)
    assert changed(before, files_of(scene)) == set()


def test_after_a_session_nothing_of_ours_is_left_in_files_that_the_client_wrote_anew(scene: Scene) -> None:
    scene.disconnect()
    before = files_of(scene)
    scene.connect()
    connected = files_of(scene)
    scene.new_session(SHORT, scene.checkout).must_have_ended_with(SHORT.goodbye)
    must_leave_nothing(scene, before, connected)


def must_leave_nothing(scene: Scene, before: Files, connected: Files) -> None:
    """Disconnects, after sessions in which the client may have written anew what connecting had changed."""
    used = files_of(scene)
    scene.disconnect()
    after = files_of(scene)
    for path in changed(before, connected):
        if used.get(path) == connected.get(path):
            assert after.get(path) == before.get(path), path
        else:
            assert b"afterwit" not in after.get(path, b""), path


def files_of(scene: Scene) -> Files:
    """All files of the home but our own."""
    found = (path for path in scene.home.rglob("*") if path.is_file() and not path.is_relative_to(scene.store))
    return {path: path.read_bytes() for path in found}


def changed(before: Files, after: Files) -> set[Path]:
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}
