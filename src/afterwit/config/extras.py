"""Which extras there are, and what each brings: the one table by which the core finds what it does not import.

An extra is described by an `Extra`. All code in it is named as "module:name" and loaded when it is needed, so that a
description costs little. Packages of others bring theirs by an entry point of the group `afterwit.extras`, which gives
an `Extra`; one that cannot be loaded is left out, and `doctor` says why. The core works with any of them missing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "afterwit.extras"
OWN = {
    name: f"afterwit.extras.descriptors:{name.upper()}"
    for name in ("team", "backup", "memory", "patterns", "skills", "templates", "sample", "fixes", "demo")
}
Point = Literal["after_learn", "after_delete", "findings", "backup_state", "preferences", "worked_examples"]


class Subcommand(NamedTuple):
    """Where a subcommand is (`module:name`), and the line that the overview shows of it without loading it."""

    place: str
    line: str


class PageLink(NamedTuple):
    """A page that the web page *More* leads to."""

    path: str  # below /more
    title: str
    words: str


class Extra(NamedTuple):
    """What an extra brings. What a `Point` is named after is called by the core: (with these) → what it gives."""

    commands: Mapping[str, Subcommand] = {}  # by the words after `afterwit`: "share", "store backup"
    pages: tuple[str, ...] = ()  # modules with ROUTES, each with its templates in the folder `html` beside it
    links: tuple[PageLink, ...] = ()
    tools: Mapping[str, str] = {}  # of the MCP server: name → the module with TOOLS
    tools_file: Path | None = None  # the list of these tools, as clients get it
    harvesters: tuple[str, ...] = ()  # classes like `harvest.harvester.Harvester`
    looks: tuple[str, ...] = ()  # classes like `harvest.harvester.SessionLook`: what they see is kept for the extra
    executors: Mapping[str, str] = {}  # what stands before `://` → a function from the address to an executor
    after_learn: str = ""  # (world, options, progress, is_json) → lines for the end of the report
    after_delete: str = ""  # (world), after sessions were erased → what was done elsewhere, in sentences
    findings: str = ""  # (world) → findings for `doctor` and `status`
    backup_state: str = ""  # (world) → a `BackupState`, or None
    preferences: str = ""  # (world, user, prefix, most) → entries of the user's memory
    worked_examples: str = ""  # (world) → ids of templates for an experiment


class BrokenExtra(NamedTuple):
    name: str
    why: str


def extras() -> tuple[Extra, ...]:
    """Those that can be used: ours, then those of other packages, by name."""
    return tuple(extra for extra in _found().values() if isinstance(extra, Extra))


def broken_extras() -> list[BrokenExtra]:
    return [extra for extra in _found().values() if isinstance(extra, BrokenExtra)]


def functions(point: Point) -> Iterator[Callable[..., Any]]:
    """What extras want to be called there."""
    yield from (load(code) for extra in extras() if (code := getattr(extra, point)))


def commands_below(group: str) -> dict[str, Subcommand]:
    """The commands that extras put below a group ("" is the top), by their last words."""
    named = {words: command for extra in extras() for words, command in extra.commands.items()}
    parts = ((words.rpartition(" "), command) for words, command in named.items())
    return {name: command for (place, _, name), command in parts if place == group}


def load(code: str) -> Any:
    """What is named as "module:name"."""
    module, _, name = code.partition(":")
    return getattr(import_module(module), name)


def entry_points(group: str) -> "Iterable[EntryPoint]":
    """What other packages bring under this name."""
    from importlib import metadata  # takes as long as all else of a short command

    return metadata.entry_points(group=group)


@cache
def _found() -> dict[str, Extra | BrokenExtra]:
    by_name: dict[str, Extra | BrokenExtra] = {name: load(code) for name, code in OWN.items()}
    for point in sorted(entry_points(GROUP), key=lambda point: point.name):
        try:
            extra = point.load()
            if not isinstance(extra, Extra):
                raise TypeError(f"{point.value} is no Extra")
        except Exception as error:  # noqa: BLE001 - what others bring may fail in any way
            extra = BrokenExtra(point.name, f"{type(error).__name__}: {error}")
        by_name.setdefault(point.name, extra)
    return by_name
