"""`afterwit config source`: logs that people have described, so that they are read like those of the agents."""

from pathlib import Path
from typing import Any

import click

from afterwit.agents.declared.shorthand import table_of
from afterwit.agents.declared.writing import toml_of
from afterwit.capture.try_description import TriedFile, try_file
from afterwit.cli.commands import Group
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import human_count, print_json, print_line, print_table, talk
from afterwit.cli.terminal.wrapping import cut
from afterwit.config import descriptions as declared

_LINE_CELLS = 100
_NAME = click.argument("name", metavar="NAME")
_TRY = click.option(
    "--try",
    "tried",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Show what would be read from this file; nothing is written or stored.",
)


@click.group(cls=Group)
def source() -> None:
    """Logs of programs that Afterwit does not know, described by you."""


@source.command(
    "add",
    examples=(
        "afterwit config source add tinker --home ~/.tinker --glob 'logs/*.jsonl' --sniff type=hello \\\n"
        "      --map session=sid --map time=ts --map 'prompt type==user text=message' \\\n"
        "      --map 'call type==tool id=id tool=name arguments=input' \\\n"
        "      --map 'result type==done id=id text=output exit_code=code' --try ~/.tinker/logs/monday.jsonl",
    ),
)
@_NAME
@click.option("--glob", "globs", multiple=True, required=True, metavar="PATTERN", help="Files below a home; repeat.")
@click.option(
    "--home", "homes", multiple=True, metavar="FOLDER", help="Where the logs are; repeat. Without: --sessions-dir only."
)
@click.option(
    "--sniff",
    "sniffs",
    multiple=True,
    required=True,
    metavar="FIELD[=VALUE]",
    help="What tells these logs from others: a field of one of the first records; repeat, all must fit.",
)
@click.option(
    "--map",
    "maps",
    multiple=True,
    required=True,
    metavar="RULE",
    help="What a record becomes, such as 'prompt type==user text=message'; or session=FIELD, time=FIELD; repeat.",
)
@_TRY
@click.option("--replace", "is_replacing", is_flag=True, help="Write it anew if there is one of that name.")
@as_json
@in_place
def add_source(
    here: Here,
    name: str,
    globs: tuple[str, ...],
    homes: tuple[str, ...],
    sniffs: tuple[str, ...],
    maps: tuple[str, ...],
    tried: Path | None,
    is_replacing: bool,
    is_json: bool,
) -> None:
    """Describe a log of JSON lines, to be read by `learn` from now on.

    Writes one TOML file into the folder `sources` beside the configuration file; change it there as you like. With
    --try nothing is written: the description and what it would read from the file are shown.
    """
    table = table_of(name, globs, [_written(home) for home in homes], sniffs, maps)
    if tried is not None:
        description = declared.checked(table)
        if not is_json:
            print_line(toml_of(table))
        _show(try_file(here.world, description, tried), is_json=is_json)
        return
    file = declared.add(_folder(here), table, is_replacing=is_replacing)
    if is_json:
        print_json({"name": name, "file": str(file)})
    else:
        print_line(f"Wrote {file}. `afterwit learn` reads these logs from now on.")


@source.command("list", examples=("afterwit config source list",))
@as_json
@in_place
def list_sources(here: Here, is_json: bool) -> None:
    """List the logs that you have described."""
    kept = declared.kept_in(_folder(here))
    if is_json:
        print_json([_fields(here, one) for one in kept])
    elif kept:
        rows = [tuple(_fields(here, one).values()) for one in kept]
        columns = ("name", "homes", "transcripts", "file")
        print_table(columns, [tuple(_joined(cell) for cell in row) for row in rows])
    else:
        talk("No log is described yet. `afterwit config source add --help` says how.")


@source.command("remove", examples=("afterwit config source remove tinker",))
@_NAME
@as_json
@in_place
def remove_source(here: Here, name: str, is_json: bool) -> None:
    """Read these logs no more.

    What was read stays in the store. The description is kept under another name, because a rebuild needs it; rename it
    back to undo this.
    """
    file = declared.remove(_folder(here), name)
    if is_json:
        print_json({"name": name, "file": str(file)})
    else:
        print_line(f"Removed. What was read stays; the description is kept as {file}.")


@source.command("check", examples=("afterwit config source check tinker.toml --try monday.jsonl",))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@_TRY
@as_json
@in_place
def check_source(here: Here, file: Path, tried: Path | None, is_json: bool) -> None:
    """Check a description, and with --try show what it would read from a log."""
    description = declared.read_description(file)
    if tried is not None:
        _show(try_file(here.world, description, tried), is_json=is_json)
    elif is_json:
        print_json({"name": description.name, "file": str(file)})
    else:
        print_line(f"{file} is sound. Put it into {_folder(here)} to use it.")


def _folder(here: Here) -> Path:
    return declared.folder_beside(here.configured.place.config)


def _written(home: str) -> str:
    """A folder given on the command line is relative to where the command runs; in the file, to the home folder."""
    return home if home.startswith("~") else str(Path(home).absolute())


def _fields(here: Here, one: declared.Kept) -> dict[str, Any]:
    homes = here.world.settings.agents[one.description.name].homes
    return {
        "name": one.description.name,
        "homes": [str(home) for home in homes],
        "transcripts": list(one.description.transcripts),
        "file": str(one.file),
    }


def _joined(cell: str | list[str]) -> str:
    return cell if isinstance(cell, str) else ", ".join(cell)


def _show(tried: TriedFile, *, is_json: bool) -> None:
    if is_json:
        print_json(tried)
        return
    if not tried.is_found:
        talk("No pattern fits the path of this file, so `learn` would not find it where it is.")
    if not tried.is_recognised:
        talk("None of the first records fits `sniff`, so `learn --sessions-dir` would not recognise it.")
    events = ", ".join(human_count(count, kind) for kind, count in tried.events.items()) or "no events"
    print_line(f"{human_count(len(tried.sessions), 'session')}: {events}")
    for session in tried.sessions:
        print_line(f"  {session.id}: {_short(session.first_prompt) or '(no prompt)'}")
    statuses = ", ".join(f"{count:,} {status}" for status, count in tried.statuses.items()) or "none"
    print_line(f"actions: {statuses}")
    for action in tried.actions:
        print_line(f"  {action.tool} ({action.kind}), {action.status}: {_short(action.target)}")
    print_line(f"model responses with tokens or cost: {tried.responses:,}")
    print_line(f"unknown records: {_counts(tried.unknown) or 'none'}")
    print_line(f"problems: {tried.problem_count or 'none'}")
    for problem in tried.problems:
        print_line(f"  {problem}")


def _counts(types: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in types.items())


def _short(text: str) -> str:
    return cut(" ".join(text.split()), _LINE_CELLS)
