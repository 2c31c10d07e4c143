"""Finds out what is set, and says where each setting comes from.

A flag goes before the environment, the environment before the file, the file before the default. A file named with
`--config` is part of the command line: its `[store]` goes before AFTERWIT_HOME and AFTERWIT_PROFILE. An agent's own
variable (CODEX_HOME …) is not meant for us: it moves that agent's default home, and homes in the file go before it.

The data root is `[store] home` or AFTERWIT_HOME, else the platform's data folder. The file is `--config`, else
AFTERWIT_CONFIG, else `config.toml` in the data root, which need not exist. A profile has its store in `profiles/<name>`
below the root, the default profile in the root itself.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.descriptor import Agent
from afterwit.agents.registry import agents_with, homes
from afterwit.config.file import ConfigFile, dotted, read_config, read_descriptions, resolved, sources_folder
from afterwit.model.errors import ConfigError
from afterwit.model.settings import DEFAULT_PROFILE, AgentSettings, ProfileName, Settings, StoreSettings

DEFAULT = "default"
_NAME = "afterwit"


class StorePlace(NamedTuple):
    """Where everything lies."""

    root: Path
    store: Path  # the folder of the profile's store
    config: Path  # the configuration file, whether it exists or not
    profile: str


class Configured(NamedTuple):
    settings: Settings  # as it applies: paths absolute, an entry for every agent
    place: StorePlace
    sources: dict[str, str]  # dotted key → default, file PATH, environment NAME or flag NAME
    declared: tuple[Description, ...]  # the logs that people have described


class SettingRow(NamedTuple):
    """One line of `afterwit config show`."""

    key: str
    value: Any
    source: str


class _Choice(NamedTuple):
    value: Any
    source: str


def load(
    environ: Mapping[str, str], platform: str, config: Path | None = None, profile: str | None = None
) -> Configured:
    """The settings that apply. `config` and `profile` are the flags; `platform` is as in `sys.platform`."""
    home = Path(user_home(environ, platform)).absolute()
    base = _base_root(environ, platform, home)
    file_path = _config_path(environ, home, base.value, config)
    declared = read_descriptions(sources_folder(file_path.value))
    agents_known = agents_with(declared)
    file = _read(file_path, home, agents_known)
    where = f"file {file_path.value}"
    is_flagged = config is not None

    in_file = _Choice(file.settings.store.home, where) if "store.home" in file.given else None
    root = in_file if in_file and (is_flagged or base.source == DEFAULT) else base
    chosen = _profile(environ, file, where, profile, is_flagged=is_flagged)

    agents = {agent.name: _agent(agent, file, where, home, environ, platform) for agent in agents_known}
    settings = msgspec.structs.replace(
        file.settings,
        store=StoreSettings(home=root.value, profile=chosen.value),
        agents={name: choice.value for name, choice in agents.items()},
    )
    sources = {key: where if key in file.given else DEFAULT for key, _ in _leaves(settings)}
    sources |= {"store.home": root.source, "store.profile": chosen.source}
    sources |= {dotted(f"agents.{name}", "homes"): choice.source for name, choice in agents.items()}
    store = root.value if chosen.value == DEFAULT_PROFILE else root.value / "profiles" / chosen.value
    return Configured(settings, StorePlace(root.value, store, file_path.value, chosen.value), sources, declared)


def show(configured: Configured) -> list[SettingRow]:
    """Every setting with its value and where that comes from, by key."""
    return [SettingRow(key, value, configured.sources[key]) for key, value in sorted(_leaves(configured.settings))]


def user_home(environ: Mapping[str, str], platform: str) -> PurePath:
    """The user's home folder, as the environment has it."""
    if platform == "win32":
        home = environ.get("USERPROFILE") or environ.get("HOMEDRIVE", "") + environ.get("HOMEPATH", "")
        if home:
            return PureWindowsPath(home)
    elif environ.get("HOME"):
        return PurePosixPath(environ["HOME"])
    raise ConfigError(f"The environment names no home folder. Set {'USERPROFILE' if platform == 'win32' else 'HOME'}.")


def default_root(environ: Mapping[str, str], platform: str) -> PurePath:
    """The platform's folder for our data."""
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (PureWindowsPath(local) if local else user_home(environ, platform) / "AppData" / "Local") / _NAME
    if platform == "darwin":
        return user_home(environ, platform) / "Library" / "Application Support" / _NAME
    data = PurePosixPath(environ.get("XDG_DATA_HOME", ""))
    return (data if data.is_absolute() else user_home(environ, platform) / ".local" / "share") / _NAME


def _base_root(environ: Mapping[str, str], platform: str, home: Path) -> _Choice:
    """The data root as long as no file says otherwise."""
    if environ.get("AFTERWIT_HOME"):
        return _Choice(_from_environment(environ, "AFTERWIT_HOME", home), "environment AFTERWIT_HOME")
    return _Choice(Path(default_root(environ, platform)).absolute(), DEFAULT)


def _config_path(environ: Mapping[str, str], home: Path, root: Path, flag: Path | None) -> _Choice:
    if flag is not None:
        return _Choice(_path(str(flag), home, "--config"), "flag --config")
    if environ.get("AFTERWIT_CONFIG"):
        return _Choice(_from_environment(environ, "AFTERWIT_CONFIG", home), "environment AFTERWIT_CONFIG")
    return _Choice(root / "config.toml", DEFAULT)


def _read(path: _Choice, home: Path, agents: tuple[Agent, ...]) -> ConfigFile:
    if path.source == DEFAULT and not path.value.exists():
        return ConfigFile(Settings(), frozenset())
    return read_config(path.value, home, [agent.name for agent in agents])


def _profile(
    environ: Mapping[str, str], file: ConfigFile, where: str, flag: str | None, *, is_flagged: bool
) -> _Choice:
    variable = environ.get("AFTERWIT_PROFILE")
    in_file = file.settings.store.profile if "store.profile" in file.given else None
    if flag is not None:
        return _Choice(_profile_name(flag, "--profile"), "flag --profile")
    if variable and not (is_flagged and in_file):
        return _Choice(_profile_name(variable, "AFTERWIT_PROFILE"), "environment AFTERWIT_PROFILE")
    return _Choice(in_file, where) if in_file else _Choice(DEFAULT_PROFILE, DEFAULT)


def _profile_name(text: str, name: str) -> str:
    try:
        return msgspec.convert(text, ProfileName)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{name}: {text!r} cannot be the name of a profile, because it becomes a folder."
            " Use up to 64 lower-case letters, digits, - and _, with a letter or digit first."
        ) from error


def _agent(
    agent: Agent, file: ConfigFile, where: str, home: Path, environ: Mapping[str, str], platform: str
) -> _Choice:
    """The agent's settings, and where its homes come from."""
    own = file.settings.agents.get(agent.name, AgentSettings())
    if dotted(f"agents.{agent.name}", "homes") in file.given:
        return _Choice(own, where)
    variable = next((variable.name for variable in agent.variables if environ.get(variable.name, "").strip()), None)
    folders = homes(agent, home, environ, platform)
    source = f"environment {variable}" if variable else DEFAULT
    return _Choice(msgspec.structs.replace(own, homes=folders), source)


def _from_environment(environ: Mapping[str, str], name: str, home: Path) -> Path:
    return _path(environ[name], home, name)


def _path(text: str, home: Path, name: str) -> Path:
    try:
        return resolved(text, home, Path()).absolute()  # the working folder may be gone
    except (OSError, ValueError) as error:
        raise ConfigError(f"{name}: {text!r}: {error}.") from error


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every single setting below, by its dotted key."""
    if isinstance(value, msgspec.Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if not isinstance(value, dict):
        yield key, value
        return
    for name, item in value.items():
        yield from _leaves(item, dotted(key, name))
