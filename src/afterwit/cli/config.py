"""`afterwit config show`, `set`, `unset`, `exclude` and `source`: what is set, what is left out, described logs."""

import json
from pathlib import Path
from typing import Any

import click

from afterwit.agents.declared.description import Description
from afterwit.agents.registry import agents_with
from afterwit.cli.commands import CliGroup, ExitCode
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import cut, print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.file import (
    DescribedSource,
    add_description,
    read_description,
    remove_description,
    sources_folder,
    sources_in,
)
from afterwit.config.set import ConfigTarget, SettingChange, set_value, unset_value
from afterwit.config.set import exclude as run_exclude
from afterwit.config.show import SettingRow
from afterwit.config.show import show as run
from afterwit.model.figures import human_count

_LINE_CELLS = 100
_NAME = click.argument("name", metavar="NAME")
_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
_KEY = click.argument("key", metavar="KEY")
_TRY = click.option(
    "--try",
    "tried",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Show what would be read from this file; nothing is written or stored.",
)
_SOURCES = (Column("name"), Column("homes"), Column("transcripts"), Column("file"))


@click.group(cls=CliGroup)
def config() -> None:
    """What is set, and where it comes from."""


@config.command(examples=("afterwit config show", "afterwit config show --json"))
@reporting
def show(here: Here, is_json: bool) -> None:
    """Show every setting with its value and its source.

    A flag goes before the environment, the environment before the file, the file before the default. Each line can be
    put into config.toml as it is.
    """
    rows = run(here.configured)
    place = here.configured.place
    if is_json:
        settings = [{"key": row.key, "value": row.value, "source": row.source} for row in rows]
        print_json(
            {"file": str(place.config), "store": str(place.store), "profile": place.profile, "settings": settings}
        )
        return
    state = "" if place.config.exists() else " (not there; defaults apply)"
    print_line(f"# file   {place.config}{state}")
    print_line(f"# store  {place.store}")
    for row in rows:
        print_line(_line(row))


def _line(row: SettingRow) -> str:
    """As TOML has it, which for these values is as JSON has it."""
    if row.value is None:
        return f"# {row.key} is not set"
    return f"{row.key} = {json.dumps(row.value, default=_text, ensure_ascii=False)}  # {row.source}"


def _text(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(type(value).__name__)


@config.command(
    "set",
    examples=(
        "afterwit config set recall.budget_tokens 1500",
        "afterwit config set agents.gemini.enabled false",
        'afterwit config set redaction.people \'["Ada", "Grace"]\'',
    ),
)
@_KEY
@click.argument("value", metavar="VALUE")
@reporting
def set_(here: Here, key: str, value: str, is_json: bool) -> None:
    """Set one setting in config.toml. The rest of the file stays as it is.

    KEY is as `afterwit config show` has it. A list is written as in TOML, or one entry to a line. What is not allowed
    is refused, and nothing is changed then.
    """
    _say_changed(set_value(_target(here), key, value), is_json=is_json)
    if key == "reading.model" and not is_json:
        from afterwit.cli.reading_calls import check_model

        if fault := check_model(here, value):
            talk(f"It is set, but cannot read as things are: {fault}")
            raise click.exceptions.Exit(ExitCode.PARTLY_DONE)
        talk("`afterwit read --plan` shows what it could read, and what that takes.")


@config.command(examples=("afterwit config unset recall.budget_tokens",))
@_KEY
@reporting
def unset(here: Here, key: str, is_json: bool) -> None:
    """Give a setting its default back, by taking it out of config.toml."""
    _say_changed(unset_value(_target(here), key), is_json=is_json)


def _target(here: Here) -> ConfigTarget:
    agents = [agent.name for agent in agents_with(here.world.declared)]
    return ConfigTarget(here.configured.place.config, here.world.user_home, agents)


def _say_changed(change: SettingChange, *, is_json: bool) -> None:
    if is_json:
        print_json({"file": str(change.file), "key": change.key, "before": change.before, "after": change.after})
        return
    state = "is not set any more" if change.after is None else f"= {json.dumps(change.after, ensure_ascii=False)}"
    print_line(f"{change.key} {state}")
    talk(f"`{change.way_back}` takes it back. The next `afterwit learn` keeps to it.")


@config.command(
    examples=(
        "afterwit config exclude 'repo:work/*'",
        "afterwit config exclude 'folder:~/clients' agent:gemini",
        "afterwit config exclude 'repo:work/*' --remove",
        "afterwit config exclude",
    )
)
@click.argument("entries", nargs=-1, metavar="[ENTRY]...")
@click.option("--remove", "is_removed", is_flag=True, help="Take these out again: the next `learn` reads them.")
@reporting
def exclude(here: Here, entries: tuple[str, ...], is_removed: bool, is_json: bool) -> None:
    """Leave out repositories, folders or agents.

    Without an ENTRY it shows what is left out. ENTRY is repo:PATTERN, folder:PATTERN or agent:PATTERN; * and ** stand
    for any names. What is left out is never read, stored, searched, learned from or told. Written to [learn] exclude
    of config.toml. What was learned before stays until `afterwit sessions delete --excluded`.
    """
    if is_removed and not entries:
        raise click.UsageError("Say what to take out: one of the entries that `afterwit config exclude` shows.")
    file, listed = here.configured.place.config, list(here.world.settings.learn.exclude)
    stored = 0
    if entries:
        agents = [agent.name for agent in agents_with(here.world.declared)]
        listed = run_exclude(file, entries, agents, is_removed=is_removed)
        from afterwit.recall.deck.compile import tell_hooks  # with all that a run needs, as few need here

        stored = tell_hooks(here.world, listed)
    if is_json:
        print_json({"file": str(file), "exclude": listed, "stored": stored})
        return
    for entry in listed:
        print_line(entry)
    if not listed:
        talk("Nothing is left out. `afterwit config exclude --help` says how.")
    elif entries:
        talk("Hooks keep to it from now on, `afterwit learn` from its next run.")
    if stored:
        fit = f"{human_count(stored, 'stored session')} {'fits' if stored == 1 else 'fit'}"
        talk(f"{fit} and {'stays' if stored == 1 else 'stay'}: `afterwit delete --excluded` erases them.")


@config.group(cls=CliGroup)
def source() -> None:
    """Logs of programs that Afterwit does not know, described by you."""


@source.command("add", examples=("afterwit config source add tinker.toml",))
@_FILE
@click.option("--replace", "is_replacing", is_flag=True, help="Write it anew if there is one of that name.")
@reporting
def add_source(here: Here, file: Path, is_replacing: bool, is_json: bool) -> None:
    """Read the logs of this description with `learn` from now on.

    The TOML file is copied into the folder `sources` beside the configuration file; change it there as you like.
    `config source check --try` shows first what it would read.
    """
    kept = add_description(_folder(here), file, is_replacing=is_replacing)
    if is_json:
        print_json({"name": read_description(kept).name, "file": str(kept)})
    else:
        print_line(f"Wrote {kept}. `afterwit learn` reads these logs from now on.")


@source.command("list", examples=("afterwit config source list",))
@reporting
def list_sources(here: Here, is_json: bool) -> None:
    """List the logs that you have described."""
    sources = [_fields(here, kept) for kept in sources_in(_folder(here))]
    if is_json:
        print_json(sources)
    elif sources:
        print_table(_SOURCES, [tuple(map(_join, fields.values())) for fields in sources])
    else:
        talk("No log is described yet. `afterwit config source add --help` says how.")


@source.command("remove", examples=("afterwit config source remove tinker",))
@_NAME
@reporting
def remove_source(here: Here, name: str, is_json: bool) -> None:
    """Read these logs no more.

    What was read stays in the store. The description is kept under another name, because a rebuild needs it; rename it
    back to undo this.
    """
    file = remove_description(_folder(here), name)
    if is_json:
        print_json({"name": name, "file": str(file)})
    else:
        print_line(f"Removed. What was read stays; the description is kept as {file}.")


@source.command("check", examples=("afterwit config source check tinker.toml --try monday.jsonl",))
@_FILE
@_TRY
@reporting
def check_source(here: Here, file: Path, tried: Path | None, is_json: bool) -> None:
    """Check a description, and with --try show what it would read from a log."""
    description = read_description(file)
    if tried is not None:
        _try(here, description, tried, is_json=is_json)
    elif is_json:
        print_json({"name": description.name, "file": str(file)})
    else:
        print_line(f"{file} is sound. `afterwit config source add {file}` takes it into use.")


def _folder(here: Here) -> Path:
    return sources_folder(here.configured.place.config)


def _fields(here: Here, kept: DescribedSource) -> dict[str, Any]:
    homes = here.world.settings.agents[kept.description.name].homes
    return {
        "name": kept.description.name,
        "homes": [str(home) for home in homes],
        "transcripts": list(kept.description.transcripts),
        "file": str(kept.file),
    }


def _join(cell: str | list[str]) -> str:
    return cell if isinstance(cell, str) else ", ".join(cell)


def _try(here: Here, description: Description, file: Path, *, is_json: bool) -> None:
    from afterwit.capture.try_description import try_file  # with all that reads, as few need here

    tried = try_file(here.world, description, file)
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
