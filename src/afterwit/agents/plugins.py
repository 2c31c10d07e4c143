"""Writes the plugins that agents install from a folder or a repository, all from one description.

    python -m afterwit.agents.plugins            writes plugins/
    python -m afterwit.agents.plugins --check    writes nothing; exits 1 and names what is stale or left over

A marketplace with a plugin for Claude Code, one for Codex, and an extension for Gemini CLI. They bring the same hooks
and the same MCP server that `afterwit connect` puts into the settings, and call afterwit where the user has installed
it: a plugin cannot know an absolute path, so a small script looks for it and stays silent where it is missing. Pure but
for `main`, which writes.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from afterwit import __version__
from afterwit.agents.claude_code import install as claude_code
from afterwit.agents.codex import install as codex
from afterwit.agents.gemini import install as gemini
from afterwit.edits.edits import Surroundings
from afterwit.edits.hooks import Reach
from afterwit.edits.ours import NAME

FOLDER = "plugins"

_ABOUT = "Hands what was learned in past sessions to the next one, at the moment when it is needed."
_AUTHOR = {"name": "Afterwit"}
_LICENSE = "Apache-2.0"
_SCRIPT = """\
#!/bin/sh
# Calls afterwit where it is installed; without it there is nothing to say, and the agent goes on.
name=$1
shift
for place in "$(command -v "$name" 2>/dev/null)" "$HOME/.local/bin/$name" "$HOME/.venvs/afterwit/bin/$name"; do
  if [ -x "$place" ]; then
    exec "$place" "$@"
  fi
done
exit 0
"""
_README = """\
# Afterwit for {agent}

{about}

Written by `make plugins`; do not edit. It needs the `afterwit` command: install it first, for example with
`uv tool install afterwit` or `pipx install afterwit`, and run `afterwit learn` once.

{install}

Use either this or `afterwit connect {name}`, not both.
"""


class Kind(NamedTuple):
    """What differs between the agents."""

    name: str
    title: str
    reach: Reach
    root: str  # how its files name the plugin's own folder
    per_second: int
    install: str

    @property
    def script(self) -> str:
        return f"{self.root}/hooks/afterwit.sh"


CLAUDE_CODE = Kind(
    "claude-code",
    "Claude Code",
    claude_code.REACH,
    "${CLAUDE_PLUGIN_ROOT}",
    1,
    "```\nclaude plugin marketplace add PATH/plugins/claude-code\nclaude plugin install afterwit@afterwit\n```",
)
CODEX = Kind(
    "codex",
    "Codex",
    codex.REACH,
    "${PLUGIN_ROOT}",
    1,
    "```\ncodex plugin marketplace add PATH/plugins/codex\ncodex plugin add afterwit@afterwit\n```\n\n"
    "Codex runs hooks only after you have trusted them: it says so when you start it.",
)
GEMINI = Kind(
    "gemini",
    "Gemini CLI",
    gemini.REACH,
    "${extensionPath}",
    1000,
    "```\ngemini extensions install PATH/plugins/gemini/afterwit\n```",
)


def files(version: str = __version__) -> dict[PurePath, str]:
    """All files of all plugins, by their path below the folder."""
    found: dict[PurePath, str] = {}
    for path, content in (*_claude_code(version), *_codex(version), *_gemini(version)):
        found[PurePath(path)] = content if isinstance(content, str) else json.dumps(content, indent=2) + "\n"
    return found


def _claude_code(version: str) -> Iterator[tuple[str, Any]]:
    place = "claude-code/plugins/afterwit"
    market = {"name": NAME, "owner": _AUTHOR, "metadata": {"description": _ABOUT}}
    entry = {"name": NAME, "source": "./plugins/afterwit", "description": _ABOUT, "version": version}
    yield "claude-code/.claude-plugin/marketplace.json", {**market, "plugins": [entry]}
    yield f"{place}/.claude-plugin/plugin.json", _manifest(version)
    yield f"{place}/.mcp.json", {"mcpServers": {NAME: _server(CLAUDE_CODE)}}
    yield from _shared(CLAUDE_CODE, place)


def _codex(version: str) -> Iterator[tuple[str, Any]]:
    place = "codex/plugins/afterwit"
    entry = {
        "name": NAME,
        "source": {"source": "local", "path": "./plugins/afterwit"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    parts = {"hooks": "./hooks/hooks.json", "mcpServers": "./.mcp.json"}
    yield "codex/.agents/plugins/marketplace.json", {"name": NAME, "plugins": [entry]}
    yield f"{place}/.codex-plugin/plugin.json", {**_manifest(version), **parts}
    yield f"{place}/.mcp.json", {"mcpServers": {NAME: _server_anywhere()}}
    yield from _shared(CODEX, place)


def _gemini(version: str) -> Iterator[tuple[str, Any]]:
    place = "gemini/afterwit"
    manifest = {"name": NAME, "version": version, "description": _ABOUT, "mcpServers": {NAME: _server(GEMINI)}}
    yield f"{place}/gemini-extension.json", manifest
    yield from _shared(GEMINI, place)


def _shared(kind: Kind, place: str) -> Iterator[tuple[str, Any]]:
    yield f"{place}/hooks/hooks.json", {"hooks": _hooks(kind)}
    yield f"{place}/hooks/afterwit.sh", _SCRIPT
    yield f"{place}/README.md", _README.format(agent=kind.title, about=_ABOUT, install=kind.install, name=kind.name)


def _manifest(version: str) -> Mapping[str, Any]:
    return {"name": NAME, "version": version, "description": _ABOUT, "author": _AUTHOR, "license": _LICENSE}


def _server(kind: Kind) -> Mapping[str, Any]:
    return {"command": "sh", "args": [kind.script, "afterwit", "mcp"]}


def _server_anywhere() -> Mapping[str, Any]:
    """With the script itself in the place of its path. Codex has no word for the plugin's folder here: to find the
    script, the server would have to run in that folder, and then it would not know the project's."""
    return {"command": "sh", "args": ["-c", _SCRIPT, "sh", "afterwit", "mcp"]}


def _hooks(kind: Kind) -> Mapping[str, Any]:
    """The hooks as `connect` writes them, with our script in the place of the program."""
    program = "\0"
    nowhere = PurePath()
    at = Surroundings(nowhere, {}, "linux", nowhere, hook=(program,), server=())
    groups = kind.reach.groups(at, per_second=kind.per_second)
    called = f'sh "{kind.script}" afterwit-hook'
    text = json.dumps(groups).replace(json.dumps(f"'{program}'")[1:-1], json.dumps(called)[1:-1])
    found: Mapping[str, Any] = json.loads(text)
    return found


def main(arguments: list[str], root: Path) -> int:
    """Writes or checks everything below `root`."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m afterwit.agents.plugins [--check]\n")
        return 2
    wanted = {root / FOLDER / path: text for path, text in files().items()}
    left = [path for path in sorted((root / FOLDER).rglob("*")) if path.is_file() and path not in wanted]
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if arguments:
        sys.stderr.writelines(f"{path} is stale or left over. Run `make plugins`.\n" for path in (*left, *stale))
        return 1 if left or stale else 0
    for path in left:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path.cwd()))
