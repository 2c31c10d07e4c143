from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from afterwit.config.show import Configured, default_root, load, show, user_home
from afterwit.model.errors import ConfigError
from afterwit.model.settings import Rates

FULL = """
[store]
profile = "work"

[learn]
jobs = 3
wait_seconds = 1

[agents.codex]
homes = ["~/other/.codex", "logs"]

[agents.claude-code]
enabled = false

[aliases.repos]
gitsync = "github.com/acme/git-sync"

[aliases.tools]
run_command = "Bash"

[aliases.users]
kimberly = "kim"

[domains]
infra = ["*/ops-*", "terraform"]

[prices."gpt-*"]
input = 1
output = 2.5

[redaction]
people = ["Kim Example"]
strings = ["Project Heron"]
allow = ["heron-[0-9]+"]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def in_default_place(home: Path, text: str) -> Path:
    return write(home / ".local/share/afterwit/config.toml", text)


def loaded(home: Path, *, config: Path | None = None, profile: str | None = None, **environ: str) -> Configured:
    return load({"HOME": str(home), **environ}, "linux", config, profile)


def test_without_a_file_everything_is_default(home: Path) -> None:
    found = loaded(home)
    root = home / ".local/share/afterwit"
    assert found.place == (root, root, root / "config.toml", "default")
    assert found.settings.agents["codex"].homes == (home / ".codex",)
    assert found.settings.learn.jobs == 0
    assert set(found.sources.values()) == {"default"}


def test_a_full_file_is_read(home: Path) -> None:
    path = in_default_place(home, FULL)
    settings = loaded(home).settings
    assert settings.learn.jobs == 3
    assert settings.learn.wait_seconds == 1.0
    assert settings.agents["codex"].homes == (home / "other/.codex", path.parent / "logs")
    assert settings.agents["codex"].enabled
    assert not settings.agents["claude-code"].enabled
    assert settings.agents["claude-code"].homes == (home / ".claude",)
    assert settings.aliases.repos == {"gitsync": "github.com/acme/git-sync"}
    assert settings.aliases.tools == {"run_command": "Bash"}
    assert settings.aliases.users == {"kimberly": "kim"}
    assert settings.domains == {"infra": ("*/ops-*", "terraform")}
    assert settings.prices == {"gpt-*": Rates(1.0, 2.5)}
    assert settings.redaction.people == ("Kim Example",)
    assert settings.redaction.allow == ("heron-[0-9]+",)


def test_every_setting_says_where_it_comes_from(home: Path) -> None:
    path = in_default_place(home, FULL)
    found = loaded(home, profile="play", CLAUDE_CONFIG_DIR="/c", CODEX_HOME="/d", AFTERWIT_HOME=str(path.parent))
    shown = {row.key: row for row in show(found)}
    file = f"file {path}"
    assert shown["store.home"].source == "environment AFTERWIT_HOME"
    assert shown["store.profile"] == ("store.profile", "play", "flag --profile")
    assert shown["learn.jobs"] == ("learn.jobs", 3, file)
    assert shown["redaction.strings"].source == file
    assert shown['prices."gpt-*".input'].source == file
    assert shown['prices."gpt-*".cache_read'].source == "default"
    assert shown["aliases.repos.gitsync"].source == file
    assert shown["agents.codex.homes"].source == file
    assert shown["agents.claude-code.enabled"].source == file
    assert shown["agents.claude-code.homes"].source == "environment CLAUDE_CONFIG_DIR"
    assert shown["agents.claude-code.homes"].value == (Path("/c"),)
    assert shown["agents.hermes.homes"].source == "default"
    assert set(shown) == set(found.sources)


def test_the_environment_goes_before_the_file_that_was_found(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "env/config.toml", f'[store]\nhome = "{tmp_path}/file"\nprofile = "work"')
    found = loaded(home, AFTERWIT_HOME=str(tmp_path / "env"), AFTERWIT_PROFILE="play")
    assert found.place.root == tmp_path / "env"
    assert found.place.profile == "play"


def test_a_file_that_was_found_can_move_the_data(home: Path, tmp_path: Path) -> None:
    path = in_default_place(home, '[store]\nhome = "~/data"')
    found = loaded(home)
    assert found.place.root == home / "data"
    assert found.place.config == path
    assert found.settings.store.home == home / "data"
    assert found.sources["store.home"] == f"file {path}"
    other = write(tmp_path / "other.toml", '[store]\nhome = "here"')
    assert loaded(home, AFTERWIT_CONFIG=str(other)).place.root == tmp_path / "here"


def test_a_file_named_on_the_command_line_goes_before_the_environment(home: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "mine.toml", '[store]\nhome = "data"\nprofile = "work"')
    environ = {"AFTERWIT_HOME": "/elsewhere", "AFTERWIT_PROFILE": "play", "AFTERWIT_CONFIG": "/nowhere.toml"}
    found = loaded(home, config=path, **environ)
    assert found.place == (tmp_path / "data", tmp_path / "data/profiles/work", path, "work")
    assert loaded(home, config=path, profile="default", **environ).place.store == tmp_path / "data"


def test_a_file_named_on_the_command_line_that_sets_no_place_leaves_it_to_the_environment(
    home: Path, tmp_path: Path
) -> None:
    path = write(tmp_path / "mine.toml", "[learn]\njobs = 1")
    found = loaded(home, config=path, AFTERWIT_HOME="/elsewhere", AFTERWIT_PROFILE="play")
    assert found.place == (Path("/elsewhere"), Path("/elsewhere/profiles/play"), path, "play")


def test_relative_paths_are_made_absolute(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.parent)
    found = load({"HOME": "home", "AFTERWIT_HOME": "data"}, "linux")
    assert found.place.root == home.parent / "data"
    assert found.settings.agents["codex"].homes == (home / ".codex",)
    assert load({"HOME": "home"}, "linux").place.root == home / ".local/share/afterwit"
    assert load({"HOME": "home", "AFTERWIT_HOME": "~/d"}, "linux").place.root == home / "d"
    write(home.parent / "c.toml", "")
    assert load({"HOME": "home"}, "linux", Path("c.toml")).place.config == home.parent / "c.toml"


def test_an_empty_variable_counts_as_unset(home: Path) -> None:
    found = loaded(home, AFTERWIT_HOME="", AFTERWIT_PROFILE="", AFTERWIT_CONFIG="", CODEX_HOME="", XDG_DATA_HOME="")
    assert found.place == loaded(home).place
    assert set(found.sources.values()) == {"default"}


@pytest.mark.parametrize("name", ["", "Work", "../x", "a/b", "-x", ".", "a" * 65, "a\n", "ä", "a b", "con:"])
def test_a_profile_that_cannot_be_a_folder_is_refused(home: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="--profile"):
        loaded(home, profile=name)
    if name:
        with pytest.raises(ConfigError, match="AFTERWIT_PROFILE"):
            loaded(home, AFTERWIT_PROFILE=name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[learn]\njosb = 1", r"learn\.josb: there is no such setting\. Did you mean learn\.jobs\?$"),
        ("[lern]\njobs = 1", r"lern: there is no such setting\. Did you mean learn\?$"),
        ("[zzz]", r"zzz: there is no such setting\. Known here: agents, aliases, .*store\.$"),
        ("[agents.codx]\nenabled = true", r"agents\.codx: .*Did you mean agents\.codex\?$"),
        ("[agents.codex]\nhome = ['x']", r"agents\.codex\.home: .*Did you mean agents\.codex\.homes\?$"),
        ("[learn]\njobs = '3'", r"learn\.jobs: Expected `int`, got `str`\. Correct it"),
        ("[learn]\njobs = true", r"learn\.jobs: Expected `int`"),
        ("[learn]\njobs = -1", r"learn\.jobs: Expected `int` >= 0"),
        ("[learn]\nwait_seconds = nan", r"learn\.wait_seconds: "),
        ("learn = 3", r"learn: a table is expected here: write \[learn\]"),
        ("[agents.codex]\nhomes = '~/x'", r"agents\.codex\.homes: Expected `array`"),
        ("[agents.codex]\nhomes = [1]", r"agents\.codex\.homes: Expected a path"),
        ("[agents.codex]\nhomes = ['']", r"agents\.codex\.homes: a path must not be empty"),
        ("[store]\nhome = '~lee/x'", r"store\.home: only ~ itself"),
        ("[store]\nprofile = '../x'", r"store\.profile: Expected `str` matching"),
        ("[prices.'gpt-*']\ninput = 1", r'prices\."gpt-\*"\.output: is missing'),
        ("[prices.'gpt-*']\ninput = -1\noutput = 1", r'prices\."gpt-\*"\.input: Expected `float` >= 0'),
        ("[aliases.repos]\nx = 1", r"aliases\.repos\.x: Expected `str`"),
        ("[aliases.repo]\nx = 'y'", r"aliases\.repo: .*Did you mean aliases\.repos\?"),
        ("[domains]\ninfra = 'x'", r"domains\.infra: Expected `array`"),
        ("learn = \n", r"is not valid TOML: .*line 1"),
    ],
)
def test_what_is_wrong_is_said_with_file_key_and_remedy(home: Path, text: str, message: str) -> None:
    path = in_default_place(home, text)
    with pytest.raises(ConfigError, match=message) as raised:
        loaded(home)
    assert str(path) in str(raised.value)


def test_a_file_that_was_asked_for_must_be_there(home: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Cannot read .*gone\.toml: No such file"):
        loaded(home, config=tmp_path / "gone.toml")
    with pytest.raises(ConfigError, match=r"gone\.toml"):
        loaded(home, AFTERWIT_CONFIG=str(tmp_path / "gone.toml"))


def test_a_file_that_cannot_be_read_is_named(home: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Cannot read"):
        loaded(home, config=tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'[redaction]\npeople = ["\xe9"]')
    with pytest.raises(ConfigError, match="not UTF-8"):
        loaded(home, config=tmp_path / "latin.toml")


def test_a_file_with_a_byte_order_mark_is_read(home: Path) -> None:
    in_default_place(home, "\ufeff[learn]\njobs = 2\n")
    assert loaded(home).settings.learn.jobs == 2


@pytest.mark.parametrize(
    ("platform", "environ", "root"),
    [
        ("linux", {"HOME": "/home/kim"}, PurePosixPath("/home/kim/.local/share/afterwit")),
        ("linux", {"HOME": "/home/kim", "XDG_DATA_HOME": "/d"}, PurePosixPath("/d/afterwit")),
        ("linux", {"HOME": "/home/kim", "XDG_DATA_HOME": "d"}, PurePosixPath("/home/kim/.local/share/afterwit")),
        ("darwin", {"HOME": "/Users/kim"}, PurePosixPath("/Users/kim/Library/Application Support/afterwit")),
        ("win32", {"LOCALAPPDATA": "C:\\L"}, PureWindowsPath("C:\\L\\afterwit")),
        ("win32", {"USERPROFILE": "C:\\Users\\kim"}, PureWindowsPath("C:\\Users\\kim\\AppData\\Local\\afterwit")),
    ],
)
def test_the_data_lie_where_the_platform_wants_them(
    platform: str, environ: dict[str, str], root: PurePosixPath | PureWindowsPath
) -> None:
    assert default_root(environ, platform) == root


def test_the_home_folder_is_the_platforms() -> None:
    assert user_home({"HOMEDRIVE": "C:", "HOMEPATH": "\\Users\\kim"}, "win32") == PureWindowsPath("C:\\Users\\kim")
    with pytest.raises(ConfigError, match="USERPROFILE"):
        user_home({"HOME": "/home/kim"}, "win32")
    with pytest.raises(ConfigError, match="HOME"):
        user_home({}, "linux")


def test_a_working_folder_that_is_gone_matters_to_a_relative_path_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert loaded(home, AFTERWIT_HOME=str(tmp_path / "data")).place.root == tmp_path / "data"
    assert loaded(home, AFTERWIT_HOME="~/data").place.root == home / "data"
    with pytest.raises(ConfigError, match="AFTERWIT_HOME"):
        loaded(home, AFTERWIT_HOME="data")
