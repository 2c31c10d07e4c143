"""The generator of homes: the same bytes each time, the shape of real logs, and a truth that learning agrees with."""

import hashlib
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest
from bench.homes import SHAPE, made, write_home
from bench.log_file import FileTruth
from bench.shape import RARE, Lines, Shape, load, shape_of
from tests.homes import learned, rows

pytestmark = pytest.mark.slow

_FOUND = """SELECT f.path, count(*), sum(s.prompts), sum(s.actions), sum(s.failures), sum(s.tokens_input),
    sum(s.tokens_cache_read), sum(s.tokens_cache_write), sum(s.tokens_output), sum(s.tokens_reasoning)
    FROM files f JOIN parts p ON p.file_id = f.id JOIN sessions s ON s.id = p.session_id GROUP BY f.id"""


def _digest(sessions: int, seed: int) -> str:
    sha = hashlib.sha256()
    for one in made(sessions, seed):
        sha.update(str(one.path).encode())
        sha.update(msgspec.json.encode(one.truth))
        for line in one.lines:
            sha.update(line)
    return sha.hexdigest()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    assert _digest(5, 1) == _digest(5, 1)
    assert _digest(5, 1) != _digest(5, 2)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Shape, Shape]]:
    """For each agent the shape of real logs and that of generated ones."""
    home = tmp_path_factory.mktemp("home")
    write_home(home, 200, length=1)
    generated = shape_of(home)
    return {agent: (real, generated[agent]) for agent, real in load(SHAPE).items()}


def _shares(shape: Shape, names: set[str]) -> dict[str, float]:
    """Records of a kind per 1,000; kinds that real logs have few of under one name."""
    found: dict[str, float] = defaultdict(float)
    for kind, lines in shape.kinds.items():
        found[kind if kind in names else RARE] += lines.per_1000
    return found


def _at(lines: Lines, place: int) -> int:
    return lines.sizes[place]


def test_kinds_of_records_are_mixed_as_in_real_logs(shapes: dict[str, tuple[Shape, Shape]]) -> None:
    for real, generated in shapes.values():
        wanted, found = _shares(real, set(real.kinds)), _shares(generated, set(real.kinds))
        often = [kind for kind, share in wanted.items() if share >= 5 and kind != RARE]
        assert {kind: found[kind] for kind in often} == pytest.approx({kind: wanted[kind] for kind in often}, rel=0.1)


def test_lines_are_as_long_as_in_real_logs(shapes: dict[str, tuple[Shape, Shape]]) -> None:
    for real, generated in shapes.values():
        assert generated.total_bytes / generated.records == pytest.approx(real.total_bytes / real.records, rel=0.1)
        for kind, lines in real.kinds.items():
            if lines.per_1000 >= 20 and kind in generated.kinds:
                for place in (12, 25, 37, 45):  # the quartiles and the ninth decile
                    assert _at(generated.kinds[kind], place) == pytest.approx(_at(lines, place), rel=0.1), kind


def test_files_are_as_large_and_pack_as_well_as_real_logs(shapes: dict[str, tuple[Shape, Shape]]) -> None:
    for real, generated in shapes.values():
        assert generated.total_bytes / generated.files == pytest.approx(real.total_bytes / real.files, rel=0.1)
        assert 0.11 <= generated.packed_ratio <= 0.22


def test_the_long_tail_reaches_twenty_megabytes() -> None:
    sizes = [sum(map(len, one.lines)) for one in made(400, length=0.01)]
    assert 20_000_000 <= max(sizes) < 21_000_000


def test_learning_a_generated_home_finds_what_is_in_it(tmp_path: Path) -> None:
    truths = write_home(tmp_path / "home", 40, seed=7)
    report = learned(tmp_path / "home", tmp_path / "store", jobs=1)
    assert [agent.failed + agent.problems + agent.empty for agent in report.agents] == [0, 0]
    wanted = {Path(truth.path).name: _figures(truth) for truth in truths}
    assert {Path(path).name: tuple(found) for path, *found in rows(tmp_path / "store", _FOUND)} == wanted
    assert msgspec.json.decode((tmp_path / "home" / "truth.json").read_bytes(), type=list[FileTruth]) == truths


def _figures(truth: FileTruth) -> tuple[int, ...]:
    return (truth.sessions, truth.prompts, truth.calls, truth.failures, *msgspec.structs.astuple(truth.tokens))
