"""`config exclude` changes one list of the configuration file and nothing else in it."""

import tomllib
from pathlib import Path

import pytest

from afterwit.config.file import read_config
from afterwit.config.set import exclude
from afterwit.model.errors import ConfigError, UsageError

AGENTS = ("codex", "gemini")


def put(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[recall]\npreferences = true\n",
        "# mine\n[learn]\njobs = 2  # two\n\n[recall]\npreferences = true\n",
        '[learn]\nexclude = ["agent:gemini"]  # old\njobs = 2\n',
        '[learn]\njobs = 2\nexclude = [\n  "agent:gemini",\n]\n[recall]\nbudget_tokens = 500\n',
        "[learn]",
    ],
)
def test_an_entry_is_added_and_removed_and_the_rest_stays(tmp_path: Path, text: str) -> None:
    file = put(tmp_path, text)
    before = tomllib.loads(text)
    listed = exclude(file, ["repo:work/*"], AGENTS)
    assert listed[-1] == "repo:work/*"
    after = tomllib.loads(file.read_text(encoding="utf-8"))
    assert after.pop("learn") == {**before.get("learn", {}), "exclude": listed}
    assert after == {name: table for name, table in before.items() if name != "learn"}
    assert all(line in file.read_text(encoding="utf-8") for line in text.splitlines() if line.startswith("#"))
    exclude(file, ["repo:work/*"], AGENTS, is_removed=True)
    kept = tomllib.loads(file.read_text(encoding="utf-8"))["learn"]["exclude"]
    assert kept == before.get("learn", {}).get("exclude", [])


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert exclude(file, ["folder:~/clients", "folder:~/clients"], AGENTS) == ["folder:~/clients"]
    assert read_config(file, tmp_path, AGENTS).settings.learn.exclude == ("folder:~/clients",)


def test_a_file_that_cannot_be_changed_safely_is_left_as_it_is(tmp_path: Path) -> None:
    text = 'learn = { jobs = 2, exclude = ["agent:gemini"] }\n'
    file = put(tmp_path, text)
    with pytest.raises(ConfigError, match="Write this into its table"):
        exclude(file, ["repo:work/*"], AGENTS)
    assert file.read_text(encoding="utf-8") == text


def test_taking_out_what_is_not_there_says_what_is(tmp_path: Path) -> None:
    file = put(tmp_path, '[learn]\nexclude = ["agent:gemini"]\n')
    with pytest.raises(UsageError, match="It has: agent:gemini"):
        exclude(file, ["agent:codex"], AGENTS, is_removed=True)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("work/*", 'write "repo:PATTERN"'),
        ("folder:clients", "written whole"),
        ("agent:gemni", "Did you mean agent:gemini"),
        ("agent:zzz", "There are: codex, gemini"),
    ],
)
def test_a_wrong_entry_in_the_file_is_named_with_what_to_do(tmp_path: Path, entry: str, said: str) -> None:
    file = put(tmp_path, f'[learn]\nexclude = ["{entry}"]\n')
    with pytest.raises(ConfigError) as caught:
        read_config(file, tmp_path, AGENTS)
    assert "learn.exclude" in str(caught.value)
    assert said in str(caught.value)
