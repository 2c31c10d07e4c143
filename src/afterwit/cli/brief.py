"""`afterwit brief`: the page that every session of a repository begins with."""

from pathlib import Path
from typing import Any

import click
import msgspec

from afterwit.cli.commands import DefaultGroup, command
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.engine.curation import brief as page_of_people
from afterwit.engine.curation.brief import BriefVersion, BriefView
from afterwit.knowledge.brief import rests_on
from afterwit.model.brief import Heading, Heard, Line
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.model.knowledge import Trigger
from afterwit.sessions.filters import Filter

_REPO = click.argument("repo", required=False)


@click.group(cls=DefaultGroup, default="show")
def brief() -> None:
    """The page that every session of a repository begins with.

    `afterwit brief` shows the one of the present folder, `afterwit brief NAME` that of another repository.
    """


@command(examples=("afterwit brief", "afterwit brief orchard", "afterwit brief orchard --on-demand --rejected"))
@_REPO
@click.option("--on-demand", "has_demand", is_flag=True, help="Show the lines, too, that wait for their moment.")
@click.option("--rejected", "is_rejected", is_flag=True, help="Show what was proposed in vain, and why.")
@reporting
def show(here: Here, repo: str | None, has_demand: bool, is_rejected: bool, is_json: bool) -> None:
    """Show the page, with how often each line was told and what it rests on."""
    view = page_of_people.look(here.world, Path.cwd(), repo)
    if is_json:
        print_json(_shape(view))
        return
    _show_page(view)
    if has_demand:
        _show_demand(view)
    if is_rejected:
        _show_rejected(view)
    if view.on_demand and not has_demand:
        talk(f"{human_count(len(view.on_demand), 'line')} more wait for their moment: --on-demand shows them.")
    if view.rejected and not is_rejected:
        talk(f"{len(view.rejected):,} proposals were refused: --rejected shows them, and why.")


def _show_page(view: BriefView) -> None:
    if not view.start:
        talk(f"No session in {view.repo} is told anything at its start.")
        talk("`afterwit read` lets a model read and compile a page; `afterwit brief edit` lets you write one.")
        return
    for heading in Heading:
        lines = [told for told in view.start if told.line.heading is heading]
        if lines:
            print_line(heading.in_words)
        for told in lines:
            seen = "seen: " if told.is_seen else ""
            times = view.told.get(told.line.id, Heard()).in_words or "not told yet"
            print_text(f"{seen}{told.line.text}", first="- ", rest="  ")
            print_text(f"{told.line.id[:8]}  {rests_on(told)}; {times}", first="  ", rest="  ")
    for told, why in view.left_out:
        print_text(f"{told.line.text} ({why})", first="left out: ", rest="  ")


def _show_demand(view: BriefView) -> None:
    print_line("On demand")
    for line in view.on_demand:
        print_text(line.text, first="- ", rest="  ")
        times = f"; {view.told[line.id].in_words}" if line.id in view.told else ""
        print_text(f"{line.id[:8]}  when {'; '.join(map(_moment_of, line.triggers))}{times}", first="  ", rest="  ")


def _moment_of(trigger: Trigger) -> str:
    """When a trigger fires, in words."""
    if trigger.topic:
        return f"a prompt says {' + '.join(trigger.topic)}"
    if trigger.path:
        return f"{trigger.path} is edited"
    if trigger.program:
        return f"`{' '.join((trigger.program, *trigger.words))}` is called"
    return f"an error says {' '.join(trigger.error)}"


def _show_rejected(view: BriefView) -> None:
    from afterwit.reader.read import refusal_in_words

    print_line("Refused in the last compilation")
    for proposal in view.rejected:
        detail = f" ({proposal.detail})" if proposal.detail else ""
        print_text(proposal.sentence, first="- ", rest="  ")
        print_text(f"{refusal_in_words(proposal.reason)}{detail}", first="  ", rest="  ")


def _shape(view: BriefView) -> dict[str, Any]:
    return {
        "repo": view.repo,
        "version": view.page.number,
        "text": view.text,
        "lines": [
            _line_shape(told.line, view) | {"is_seen": told.is_seen, "rests_on": rests_on(told)} for told in view.start
        ],
        "on_demand": [_line_shape(line, view) for line in view.on_demand],
        "left_out": [{"id": told.line.id, "text": told.line.text, "reason": why} for told, why in view.left_out],
        "rejected": [msgspec.to_builtins(proposal) for proposal in view.rejected],
    }


def _line_shape(line: Line, view: BriefView) -> dict[str, Any]:
    return {
        "id": line.id,
        "heading": str(line.heading or ""),
        "text": line.text,
        "notes": list(line.notes),
        "triggers": [msgspec.to_builtins(trigger) for trigger in line.triggers],
        "is_own": line.is_own,
        "told": view.told.get(line.id, Heard()).told,
        "asked_again": view.told.get(line.id, Heard()).again,
    }


@command(examples=("afterwit brief edit", "afterwit brief edit orchard --from page.md"))
@_REPO
@click.option(
    "--from",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take the page from a file instead of your editor.",
)
@reporting
def edit(here: Here, repo: str | None, path: Path | None, is_json: bool) -> None:
    """Open the page in your editor; what you change there is decided.

    New, changed and moved lines are yours: no compilation changes them. A line that you delete does not come back.
    `afterwit undo` takes it all back.
    """
    before = page_of_people.as_markdown(page_of_people.look(here.world, Path.cwd(), repo))
    after = path.read_text("utf-8", "replace") if path is not None else click.edit(before, extension=".md")
    if after is None or after == before:
        _tell((), (), is_json=is_json)
        return
    wanted = page_of_people.understand_markdown(after)
    if not any(wanted.values()):
        raise UsageError(
            "There is no line on this page, so nothing was changed. `afterwit brief drop` takes lines out."
        )
    made = page_of_people.edit(here.world, Path.cwd(), repo, wanted)
    _tell(made.put, made.removed, is_json=is_json)


@command(examples=("afterwit brief keep 3fa9c1d2",))
@click.argument("ids", nargs=-1, required=True)
@click.option("--repo", metavar="NAME", help="Of this repository.")
@reporting
def keep(here: Here, ids: tuple[str, ...], repo: str | None, is_json: bool) -> None:
    """Make lines your own: they stay as they are, where they are."""
    made = page_of_people.keep(here.world, Path.cwd(), repo, ids)
    _tell(made.put, made.removed, is_json=is_json)


@command(examples=("afterwit brief drop 3fa9c1d2",))
@click.argument("ids", nargs=-1, required=True)
@click.option("--repo", metavar="NAME", help="Of this repository.")
@reporting
def drop(here: Here, ids: tuple[str, ...], repo: str | None, is_json: bool) -> None:
    """Take lines out for good, from the page or from what waits for its moment."""
    made = page_of_people.drop(here.world, Path.cwd(), repo, ids)
    _tell(made.put, made.removed, is_json=is_json)


@command(examples=("afterwit brief check 3fa9c1d2",))
@click.argument("line")
@click.option("--repo", metavar="NAME", help="Of this repository.")
@reporting
def check(here: Here, line: str, repo: str | None, is_json: bool) -> None:
    """Make a check of a line, where it plainly has the form of one. It is off until you turn it on."""
    from afterwit.cli.checks import tell_added
    from afterwit.engine.curation.checks import add_line

    tell_added(add_line(here.world, Path.cwd(), repo, line), is_json=is_json)


def _tell(put: tuple[Line, ...], removed: tuple[Line, ...], *, is_json: bool) -> None:
    if is_json:
        print_json({"put": [line.text for line in put], "removed": [line.text for line in removed]})
        return
    for mark, lines in (("+", put), ("-", removed)):
        for line in lines:
            print_text(line.text, first=f"{mark} ", rest="  ")
    talk("`afterwit undo` takes this back." if put or removed else "Nothing was changed.")


@command(name="compile", examples=("afterwit brief compile --with claude-code", "afterwit brief compile orchard"))
@_REPO
@click.option("--with", "model", metavar="MODEL", help="The model that compiles. Default: reading.model.")
@agreed
@reporting
def compile_(here: Here, repo: str | None, model: str | None, is_agreed: bool, is_json: bool) -> None:
    """Let a model compile the page anew, from all notes of the repository.

    It happens by itself after a few new notes. Every line of the answer is checked against the notes that it cites, and
    every trigger is tried on past sessions. Your own lines stay.
    """
    from afterwit.cli.reading_calls import read_with
    from afterwit.reader.calling import way_to
    from afterwit.reader.plan import ReadingWish

    name = page_of_people.look(here.world, Path.cwd(), repo).repo
    wanted = model or here.world.settings.reading.model or ""
    way = way_to(wanted, here.world)
    if way is None:
        raise UsageError(
            "No model is chosen that can be called. Name one: --with MODEL; `afterwit read --plan` lists them."
        )
    wish = ReadingWish(Filter(repos=(name,)), wanted, is_brief=True)
    read_with(here, wish, way, is_agreed=is_agreed, is_json=is_json)


@command(examples=("afterwit brief log",))
@_REPO
@reporting
def log(here: Here, repo: str | None, is_json: bool) -> None:
    """List the versions of the page, the latest first."""
    versions = page_of_people.versions(here.world, Path.cwd(), repo)
    if is_json:
        print_json([_version_shape(version) for version in versions])
        return
    for version in reversed(versions):
        by = f"compiled by {version.by}" if version.by else "edited by a person"
        counts = f"{len(version.added)} in, {len(version.removed)} out, {human_count(len(version.page.lines), 'line')}"
        print_line(f"{version.number:>4}  {here.calendar.moment(version.at_ms)}  {by}: {counts}")
    if not versions:
        talk("The page was never compiled or edited.")


@command(examples=("afterwit brief diff", "afterwit brief diff orchard --version 3"))
@_REPO
@click.option(
    "--version",
    "number",
    type=click.IntRange(min=1),
    metavar="N",
    help="The change to this version. Default: the last.",
)
@reporting
def diff(here: Here, repo: str | None, number: int | None, is_json: bool) -> None:
    """Show what a version changed."""
    versions = page_of_people.versions(here.world, Path.cwd(), repo)
    version = next((version for version in reversed(versions) if number in (None, version.number)), None)
    if version is None:
        raise UsageError("There is no such version. `afterwit brief log` lists them.")
    if is_json:
        print_json(_version_shape(version))
        return
    for mark, lines in (("-", version.removed), ("+", version.added)):
        for line in lines:
            print_text(f"{line.text} ({line.heading or 'on demand'})", first=f"{mark} ", rest="  ")


def _version_shape(version: BriefVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "at_ms": version.at_ms,
        "by": version.by,
        "added": [line.text for line in version.added],
        "removed": [line.text for line in version.removed],
        "lines": len(version.page.lines),
    }


for _command in (show, edit, keep, drop, check, compile_, log, diff):
    brief.add_command(_command)
