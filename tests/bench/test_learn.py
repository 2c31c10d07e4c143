"""The table of what `learn` costs: every part is found and the parts add up. No timing is asserted."""

from pathlib import Path

import pytest
from bench.homes import write_home
from bench.learn import measure
from bench.stopwatch import Seam, Stopwatch, watching


@pytest.mark.slow
def test_every_part_of_a_run_is_measured(tmp_path: Path) -> None:
    write_home(tmp_path / "home", 6)
    found = measure(tmp_path / "home", tmp_path / "stores")
    assert found.sessions == 6
    assert sum(part.share for part in found.parts) == pytest.approx(1)
    assert {"decode (reader)", "redact", "digest", "index (full text)"} <= {part.part for part in found.parts}
    assert all(part.cpu_s > 0 for part in found.parts if part.part != "fsync")
    assert 0 < found.archive_of_input < 1
    assert found.digest_of_parse > 0
    assert 0 < found.digests_of_input < 1
    assert not (tmp_path / "stores").exists()


class _Worker:
    def outer(self) -> str:
        return self.inner()

    def inner(self) -> str:
        return "done"


def test_a_stopwatch_leaves_everything_as_it_was() -> None:
    original = _Worker.inner
    with watching([Seam(_Worker, "outer", "one"), Seam(_Worker, "inner", "other")], "rest") as watch:
        assert _Worker().outer() == "done"
    assert set(watch.seconds) == {"rest", "one", "other"}
    assert _Worker.inner is original


def test_a_seam_that_is_gone_is_an_error() -> None:
    with pytest.raises(AttributeError), watching([Seam(_Worker, "missing", "one")], "rest"):
        pass


def test_a_watched_generator_gives_what_it_gave() -> None:
    watch = Stopwatch("rest")

    def numbers() -> object:
        yield from (1, 2)

    assert watch.timed(numbers, "part")() == [1, 2]
