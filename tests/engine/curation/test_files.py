"""Folders of knowledge: written without harm to anything else, taken in without trust."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.homes import Silent, learned, world_of
from tests.knowledge_home import FACT, learnable_home

from afterwit.config.world import World
from afterwit.engine.archive.rebuild import rebuild
from afterwit.engine.curation.curate import Words, add, judge
from afterwit.engine.curation.files import Imported, export, import_folders
from afterwit.engine.curation.undo import ForgetRequest, forget, undo
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.brief import Heading
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, Authority, Category, Item, ItemStatus
from afterwit.store.decisions import DecisionKind

ALL = ItemFilter()


@pytest.fixture
def world(tmp_path: Path) -> World:
    learned(learnable_home(tmp_path / "home"), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


@pytest.fixture
def elsewhere(tmp_path: Path) -> World:
    """Another person's machine, with nothing on it."""
    return world_of(tmp_path / "other-home", tmp_path / "other-store")


def taken(world: World, *folders: Path) -> Imported:
    done = import_folders(world, folders, lambda _: True)
    assert done is not None
    return done


def items(world: World) -> list[Item]:
    return listed(world, ALL).items


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_has_an_index_and_a_page_per_repository(world: World, tmp_path: Path) -> None:
    done = export(world, tmp_path / "out", ALL)
    index, page = done.written
    assert (index, page.startswith("repos/orchard-"), done.items) == ("index.json", True, 1)
    (item,) = json.loads((tmp_path / "out" / "index.json").read_text())["items"]
    assert (item["fact"], item["repo"], item["category"]) == (FACT, "orchard", "tool-quirk")
    assert item["confidence"] == items(world)[0].confidence
    assert f"- {FACT}\n" in (tmp_path / "out" / page).read_text()


def test_the_page_of_a_repository_is_its_brief_unless_several_stores_write_it(world: World, tmp_path: Path) -> None:
    _, page = export(world, tmp_path / "out", ALL).written
    assert f"## {Heading.MACHINE.in_words}\n" in (tmp_path / "out" / page).read_text()
    assert page in export(world, tmp_path / "out", ALL, is_merged=True).written
    assert "## Tool quirks\n" in (tmp_path / "out" / page).read_text()


def test_writing_it_again_changes_no_byte_and_no_file(world: World, tmp_path: Path) -> None:
    export(world, tmp_path / "out", ALL)
    before = bytes_below(tmp_path / "out")
    again = export(world, tmp_path / "out", ALL)
    assert (again.written, again.unchanged) == ([], 2)
    assert bytes_below(tmp_path / "out") == before


def test_pages_without_a_subject_go_and_other_files_stay(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(world, out, ALL)
    (out / "repos" / "mine.md").write_text("# Mine\n")
    (out / "README.md").write_text("# Ours\n")
    judge(world, DecisionKind.RETIRE, [items(world)[0].id])
    done = export(world, out, ItemFilter(statuses=("active",)))
    assert [path.startswith("repos/orchard-") for path in done.removed] == [True]
    assert sorted(bytes_below(out)) == ["README.md", "index.json", "repos/mine.md"]


def test_a_folder_of_other_things_is_refused(world: World, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match=r"holds other things and no index\.json"):
        export(world, tmp_path, ALL)


def test_a_symbolic_link_is_refused_as_folder_and_inside(world: World, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match="is a symbolic link"):
        export(world, tmp_path / "link", ALL)
    export(world, tmp_path / "out", ALL)
    (tmp_path / "out" / "repos").rename(tmp_path / "moved")
    (tmp_path / "out" / "repos").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match="is a symbolic link"):
        export(world, tmp_path / "out", ALL)
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="permissions differ on Windows")
def test_what_is_written_is_private(world: World, tmp_path: Path) -> None:
    export(world, tmp_path / "out", ALL)
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "out").rglob("*")} == {0}


def test_what_comes_in_is_quarantined_until_it_is_approved(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    done = taken(elsewhere, tmp_path / "team")
    ((source, known, new),) = [(one.source, one.items, one.new) for one in done.folders]
    assert (source.rpartition("-")[0], known, new) == ("import:team", 1, 1)
    (item,) = items(elsewhere)
    assert (item.sentence, item.status, item.authority) == (FACT, ItemStatus.QUARANTINED, Authority.OBSERVATION)
    assert {piece.origin for piece in item.evidence} == {source}
    judge(elsewhere, DecisionKind.APPROVE, [item.id])
    assert items(elsewhere)[0].status is ItemStatus.ACTIVE
    rebuild(elsewhere, Silent())
    assert items(elsewhere)[0].status is ItemStatus.ACTIVE


def test_importing_again_changes_nothing(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    taken(elsewhere, tmp_path / "team")
    before = items(elsewhere)
    assert taken(elsewhere, tmp_path / "team").new == 0
    assert items(elsewhere) == before


def test_what_a_store_wrote_itself_is_nothing_new_to_it(world: World, tmp_path: Path) -> None:
    export(world, tmp_path / "out", ALL)
    before = items(world)
    assert taken(world, tmp_path / "out").new == 0
    assert items(world) == before


def test_two_peoples_folders_give_the_same_in_any_order(world: World, tmp_path: Path) -> None:
    learned(learnable_home(tmp_path / "more-home", 5), tmp_path / "more-store")
    other = world_of(tmp_path / "more-home", tmp_path / "more-store")
    add(other, Words(sentence="Never push on a Friday.", category=Category.FACT, scope=EVERYWHERE))
    ada, grace = tmp_path / "ada", tmp_path / "grace"
    export(world, ada, ALL)
    export(other, grace, ALL)
    third, fourth = (world_of(tmp_path / "h", tmp_path / name) for name in ("third", "fourth"))
    taken(third, ada)
    taken(third, grace)
    taken(fourth, grace, ada)
    assert items(third) == items(fourth)
    assert len(items(third)) == 2
    for folder in (ada, grace):
        export(world if folder is grace else other, folder, ALL, is_merged=True)
    assert bytes_below(ada) == bytes_below(grace)


def test_an_import_can_be_undone_and_forgotten(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    taken(elsewhere, tmp_path / "team")
    undo(elsewhere)
    assert items(elsewhere) == []
    taken(elsewhere, tmp_path / "team")
    forget(elsewhere, ForgetRequest(origin="import:team"), lambda _: True)
    assert items(elsewhere) == []


def test_two_folders_of_one_name_are_two_origins(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "ada" / "knowledge", ALL)
    shutil.copytree(tmp_path / "ada", tmp_path / "grace")
    index = tmp_path / "grace" / "knowledge" / "index.json"
    whole = json.loads(index.read_text())
    whole["items"][0] |= {"id": "0123456789ab", "fact": "Prune in March, never after the first blossom."}
    index.write_text(json.dumps(whole))
    done = taken(elsewhere, tmp_path / "ada" / "knowledge", tmp_path / "grace" / "knowledge")
    ada, grace = (one.source for one in done.folders)
    assert ada != grace
    with pytest.raises(UsageError, match=f"Several folders are called 'import:knowledge': .*{ada}"):
        forget(elsewhere, ForgetRequest(origin="import:knowledge"), lambda _: True)
    forget(elsewhere, ForgetRequest(origin=ada), lambda _: True)
    assert [item.sentence for item in items(elsewhere)] == ["Prune in March, never after the first blossom."]


def test_a_folder_that_has_changed_is_still_the_same_origin(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    before = taken(elsewhere, tmp_path / "team").folders[0].source
    (tmp_path / "team" / "index.json").write_text('{"version": 1, "items": []}')
    assert taken(elsewhere, tmp_path / "team").folders[0].source == before


def test_a_dry_run_and_a_no_import_nothing(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    planned = import_folders(elsewhere, [tmp_path / "team"], lambda _: True, is_dry_run=True)
    assert planned is not None
    assert planned.folders[0].facts == [FACT]
    assert import_folders(elsewhere, [tmp_path / "team"], lambda _: False) is None
    assert items(elsewhere) == []


def test_secrets_and_marks_of_a_foreign_folder_do_not_get_in(world: World, elsewhere: World, tmp_path: Path) -> None:
    export(world, tmp_path / "team", ALL)
    token = "ghp_" + "A8x9Kq3ZpL0vYt7Nf2WcRb5Hd1Sg6Jm4UeQi"
    index = tmp_path / "team" / "index.json"
    whole = json.loads(index.read_text())
    whole["items"][0]["evidence"][0]["excerpt"] = f"\u202etoken {token}"
    index.write_text(json.dumps(whole))
    taken(elsewhere, tmp_path / "team")
    texts = [piece.excerpt for piece in items(elsewhere)[0].evidence]
    assert not any(token in text or "\u202e" in text for text in texts)
    assert any("‹" in text for text in texts)


def test_an_item_without_evidence_names_the_folder_as_its_evidence(
    world: World, elsewhere: World, tmp_path: Path
) -> None:
    export(world, tmp_path / "team", ALL)
    index = tmp_path / "team" / "index.json"
    whole = json.loads(index.read_text())
    del whole["items"][0]["evidence"]
    index.write_text(json.dumps(whole))
    taken(elsewhere, index)
    (origin,) = [piece.origin for piece in items(elsewhere)[0].evidence]
    assert origin.startswith("import:team-")


def test_what_is_no_folder_of_knowledge_is_refused(elsewhere: World, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no "):
        taken(elsewhere, tmp_path / "nowhere")
    (tmp_path / "index.json").write_text("[]")
    with pytest.raises(UsageError, match="is no index of knowledge"):
        taken(elsewhere, tmp_path)
