"""Single bits that flip: in the deck, the archive and the indexes. Each is mended by the next `learn`, or named by
`verify` with a remedy that works, or changes nothing that anybody reads. Seeded, so that a failure comes again."""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.engine.archive.store_faults import copied, flip, originals, prepared
from tests.homes import Silent, hash_of, learned, world_of
from tests.recall.works import content_of
from tests.thoroughness import IS_WHOLE

from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.archive.upkeep import verify
from afterwit.model.errors import AfterwitError, DamagedError
from afterwit.recall.deck.reader import opened_immutable
from afterwit.store.archive import Archive, ArchiveName
from afterwit.store.database import connect
from afterwit.store.layout import Layout

FLIPS = 60 if IS_WHOLE else 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home, store = prepared(tmp_path_factory.mktemp("made"))
    learned(home, store)
    with closing(connect(store / "afterwit.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home, store


@pytest.fixture
def store(made: tuple[Path, Path], tmp_path: Path) -> Callable[[], Path]:
    def fresh() -> Path:
        shutil.rmtree(tmp_path / "store", ignore_errors=True)
        return copied(made[1], tmp_path / "store")

    return fresh


def faults(store: Path) -> list[str]:
    try:
        return [f"{fault.where}: {fault.what}" for fault in verify(Layout(store)) if not fault.is_harmless]
    except AfterwitError as error:
        return [str(error)]


def told(store: Path) -> list[object]:
    """All that the deck says, and its parts."""
    with closing(opened_immutable(str(store / "deck.db"))) as db:
        tables = ("settings", "roots", "remotes", "blocks", "personal", "lines")
        said: list[object] = [sorted(map(repr, db.execute(f"SELECT * FROM {table}"))) for table in tables]
        parts = [store / "deck" / file for (file,) in db.execute("SELECT file FROM parts ORDER BY repo")]
    return said + [content_of(opened_immutable(str(part))) for part in parts]


@pytest.mark.slow
def test_every_flip_in_the_deck_is_mended_by_the_next_learn_without_a_word(
    made: tuple[Path, Path], store: Callable[[], Path]
) -> None:
    whole = told(made[1])
    for seed in range(FLIPS):
        place, chance = store(), random.Random(seed)
        flip(chance.choice([place / "deck.db", *sorted((place / "deck").glob("*.db"))]), chance)
        assert not learned(made[0], place).has_failures, seed
        assert (told(place) == whole, faults(place)) == (True, []), seed


@pytest.mark.slow
def test_every_flip_in_the_archive_is_mended_from_the_log_or_named(
    made: tuple[Path, Path], store: Callable[[], Path]
) -> None:
    whole = originals(made[1])
    for seed in range(FLIPS):
        place, chance = store(), random.Random(1000 + seed)
        hit = chance.choice(sorted(place.glob("archive/*/*.zst")))
        flip(hit, chance)
        report = learned(made[0], place)
        named, left = faults(place), {path.stem for path in place.glob("archive/*/*.zst")}
        if named:  # an earlier state of the file, which no agent has any more: only a backup has it
            assert report.has_failures, seed
            assert (len(named), "restore the archived file from a backup" in named[0]) == (1, True), (seed, named)
            shutil.copy(made[1] / hit.relative_to(place), hit)
            rebuild(world_of(made[0], place), Silent())
            assert faults(place) == [], seed
        elif hit.stem in left:  # only its header was hit, or a bit that means nothing, or it was read again
            assert any(content.startswith(whole[ArchiveName(hit.stem)]) for content in readable(place, hit.stem)), seed
        assert not learned(made[0], place).has_failures, seed


def readable(store: Path, name: str) -> Iterator[bytes]:
    """All that the archive holds of a file, and can be read."""
    archive = Archive(store / "archive")
    for other in archive.names():
        if other.partition("-")[0] == name.partition("-")[0]:
            with suppress(DamagedError):
                yield b"".join(archive.read(other))


@pytest.mark.slow
def test_every_flip_in_the_database_is_named_and_rebuild_mends_it(
    made: tuple[Path, Path], store: Callable[[], Path]
) -> None:
    expected = hash_of(made[1])
    for seed in range(FLIPS):
        place, chance = store(), random.Random(2000 + seed)
        flip(place / "afterwit.db", chance)
        if not faults(place):  # a page that nothing uses now
            assert hash_of(place) == expected, seed
            continue
        rebuild(world_of(made[0], place), Silent())
        assert (hash_of(place), faults(place)) == (expected, []), seed
