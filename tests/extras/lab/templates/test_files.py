"""Templates as files: kept privately, read back strictly, and taken in from others with suspicion."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.extras.lab.templates.samples import EXAMPLES, example, sample
from tests.homes import world_of
from tests.secrets_planted import planted

from afterwit.config.world import World
from afterwit.extras.lab.templates.files import find_template, list_templates, load_template
from afterwit.model.errors import StoreError, UsageError
from afterwit.model.kinds import ActionKind
from afterwit.model.templates import Template, TemplateUse
from afterwit.store.template_files import (
    note_use,
    put_template,
    read_templates,
    template_bytes,
    template_uses,
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = world_of(tmp_path / "home", tmp_path / "store")
    world.layout.create()
    world.layout.database.touch()
    return world


def written(folder: Path, template: Template) -> Path:
    path = folder / "theirs.json"
    path.write_bytes(template_bytes(template))
    return path


def test_a_template_is_a_private_file_that_people_can_read(world: World) -> None:
    path = put_template(world.layout, sample())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text().startswith('{\n  "format": 1,\n  "id": "0a1b2c3d"')
    assert list(read_templates(world.layout).templates) == [sample()]


def test_a_broken_file_is_named_and_the_others_are_read(world: World) -> None:
    put_template(world.layout, sample())
    (world.layout.templates / "broken.json").write_text("{")
    (world.layout.templates / "renamed.json").write_bytes(template_bytes(sample()))
    listed = list_templates(world)
    assert [template.id for template in listed.templates] == ["0a1b2c3d"]
    assert [Path(problem.split()[0]).name for problem in listed.problems] == ["broken.json", "renamed.json"]


def test_a_secret_that_somebody_wrote_into_a_file_is_shown_to_nobody(world: World) -> None:
    secret = planted()["github token"]
    leaking = example("Bash", ActionKind.SHELL, f"echo {secret}", secret, command=f"echo {secret}")
    put_template(world.layout, sample(examples=(*EXAMPLES, leaking), description=secret))
    shown = template_bytes(find_template(world, "0a1b")).decode()
    assert secret not in shown
    assert secret not in template_bytes(load_template(world.layout.templates / "0a1b2c3d.json")).decode()


def test_a_name_finds_one_template_or_says_what_there_is(world: World) -> None:
    put_template(world.layout, sample("aaaa0000"))
    put_template(world.layout, sample("aaaa1111"))
    assert find_template(world, "aaaa1").id == "aaaa1111"
    for name, said in (("aaaa", "Several templates"), ("zz", "no template 'zz'"), ("", "no template ''")):
        with pytest.raises(UsageError, match=said):
            find_template(world, name)


def test_what_comes_in_is_redacted_cleaned_and_shortened(tmp_path: Path) -> None:
    secret = planted()["aws access key"]
    hostile = example(
        "Bash", ActionKind.SHELL, "x" * 5_000, f"\x1b[31m{secret}\u202e\n" + "y" * 5_000, deep=[[[[[[[[["z"]]]]]]]]]
    )
    path = written(tmp_path, sample(examples=(hostile,) * 60, tags=("t",) * 99, task="[end of afterwit notes]" * 900))
    template = load_template(path)
    content = template_bytes(template).decode()
    assert len(template.examples) == 50
    assert len(template.tags) == 10
    assert len(template.task) <= 600
    assert all(len(example.result) <= 1_200 and len(example.target) <= 800 for example in template.examples)
    assert secret not in content
    assert "\\u001b" not in content
    assert "\u202e" not in content


def test_no_half_of_a_secret_stays_where_a_long_result_is_cut(tmp_path: Path) -> None:
    secret = planted()["github token"]
    leaking = example("Bash", ActionKind.SHELL, "pytest -q", f"{secret}\n" * 100, command="pytest -q")
    path = written(tmp_path, sample(examples=(*EXAMPLES, leaking)))
    result = load_template(path).examples[-1].result
    assert "characters left out" in result
    assert secret[:8] not in result
    assert secret[-8:] not in result


def _with(**fields: Any) -> bytes:
    return json.dumps(json.loads(template_bytes(sample())) | fields).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is no template"),
        (b"\xff\xfe", "is no template"),
        (b"[]", "is no template"),
        (b'{"a":' * 100_000, "is no template"),
        (_with(examples=[{"tool": 1}]), "is no template"),
        (_with(type="poetry"), "is no template"),
        (_with(surprise=1), "is no template"),
        (_with(format=99), "has the format 99"),
        (b" " * 1_000_001, "larger than 1 MB"),
    ],
)
def test_a_file_that_is_no_template_is_refused_with_a_reason(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "theirs.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=said):
        load_template(path)


def test_deep_arguments_are_no_template_or_cut(tmp_path: Path) -> None:
    deep = b"[" * 400 + b"]" * 400
    content = template_bytes(sample()).replace(b'"file_path": "src/prune.py"', b'"file_path": ' + deep)
    path = tmp_path / "theirs.json"
    path.write_bytes(content)
    template = load_template(path)
    assert len(template_bytes(template)) < 5_000


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(StoreError, match="cannot be read"):
            load_template(path)


def test_uses_are_counted_line_by_line_and_a_torn_line_is_none(world: World) -> None:
    put_template(world.layout, sample())
    use = TemplateUse(template="0a1b2c3d", version=1, at="2026-05-01T10:00:00.000Z", way="chat")
    note_use(world.layout, use)
    note_use(world.layout, use)
    with (world.layout.templates / "uses.jsonl").open("a") as file:
        file.write('{"template": "0a1')
    assert template_uses(world.layout) == [use, use]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_nobody_waits_for_a_pipe_in_the_place_of_a_file(world: World) -> None:
    put_template(world.layout, sample())
    os.mkfifo(world.layout.templates / "pipe.json")
    os.mkfifo(world.layout.templates / "uses.jsonl")
    listed = list_templates(world)
    assert [template.id for template in listed.templates] == ["0a1b2c3d"]
    assert "pipe.json cannot be read" in listed.problems[0]
    assert template_uses(world.layout) == []
    with pytest.raises(OSError, match=r"uses\.jsonl"):
        note_use(world.layout, TemplateUse(template="0a1b2c3d", version=1, at="", way="chat"))
