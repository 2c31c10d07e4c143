"""`afterwit connect agents` (or `connect <agent>`), `connect file` and `disconnect`: plans, shows, asks, does.

A plan is summed up first: what goes into which files. Line by line it is shown where that is asked for: by `--diff` or
`--dry-run`.

Each plan stands for itself. One that cannot be made or carried out is told, and the others are done: then the exit code
says "partly done".
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.agents.descriptor import ConnectScope
from afterwit.agents.registry import installer_for
from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.terminal.options import Here, agreed, own_command, reporting
from afterwit.cli.terminal.output import ask_or_leave, has_colour, page, print_json, print_line, print_text, talk
from afterwit.config.show import StorePlace, default_root
from afterwit.connect.plan import (
    FILE,
    ConnectPlan,
    Machine,
    apply,
    connected,
    notes_of,
    plan_connection,
    plan_file,
    plan_removal,
    present,
)
from afterwit.connect.schedule import Host
from afterwit.edits.edits import Part, Surroundings
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.figures import human_count
from afterwit.redaction.hygiene import clean

_PLURALS = {Part.ENTRY: "entries", Part.BLOCK: "blocks of notes", Part.FILE: "files of its own"}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class Consent(NamedTuple):
    """What the user said besides the names."""

    is_agreed: bool
    is_dry_run: bool
    is_json: bool
    has_diff: bool = False


with_diff = flag("--diff", "has_diff", "Show the exact change of every file, line by line.")


def carry_out(machine: Machine, named: Iterable[tuple[str, Callable[[], ConnectPlan]]], how: Consent) -> None:
    """Plans, shows, asks, does."""
    faults: dict[str, str] = {}
    plans = {name: plan for name, make in named if (plan := _try(name, make, faults)) is not None}
    if not how.is_json:
        for name, plan in plans.items():
            _show(name, plan)
        if how.has_diff or how.is_dry_run:
            _show_lines(plans.values())
    pending = [name for name, plan in plans.items() if plan.needed or (plan.is_removal and not plan.is_empty)]
    has_change = any(plan.needed for plan in plans.values())
    is_applied = has_change and not how.is_dry_run
    if is_applied and not how.is_agreed:
        ask_or_leave("Do this?", "Look at it with --dry-run, and add --yes.")
    done = [name for name in pending if not how.is_dry_run and _apply(machine, name, plans[name], faults)]
    if how.is_json:
        print_json([_shape(name, plan, is_applied=name in done) for name, plan in plans.items()])
    elif not how.is_dry_run:
        for name in done:
            _tell(name, plans[name])
    for name, fault in faults.items():
        talk(f"{name}: {fault}")
    if faults:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if len(plans) > len(faults) or done else ExitCode.FAILED)


def _try(name: str, make: Callable[[], ConnectPlan], faults: dict[str, str]) -> ConnectPlan | None:
    try:
        return make()
    except UsageError:
        raise
    except AfterwitError as error:
        faults[name] = str(error)
    except OSError as error:
        faults[name] = f"{error.strerror or error}: {error.filename or 'no file named'}."
    return None


def _apply(machine: Machine, name: str, plan: ConnectPlan, faults: dict[str, str]) -> bool:
    def run() -> ConnectPlan:
        apply(machine, plan)
        return plan

    return _try(name, run, faults) is not None


def _show(name: str, plan: ConnectPlan) -> None:
    if plan.is_empty:
        print_line(f"{name}: nothing has been learned for this repository yet, so there is nothing to write.")
    elif not plan.needed:
        print_line(
            f"{name}: nothing that Afterwit wrote is there." if plan.is_removal else f"{name}: connected already."
        )
    else:
        print_text(f"{name}: {_summary(plan)}", rest="  ")
    for change in plan.needed:
        action = _file(change.file.path, change.file.content, change.wanted)["action"]
        print_line(f"    {action}  {change.file.path}")
    for line in plan.left:
        talk(line)


def _summary(plan: ConnectPlan) -> str:
    """Such as: adds 5 hooks and 1 MCP server to 2 files."""
    inside = {part: count for part, count in plan.parts.items() if part is not Part.FILE}
    own = plan.parts.get(Part.FILE, 0)
    shared = human_count(len(plan.needed) - own, "file")
    if plan.is_removal or not plan.parts:
        return f"takes what Afterwit wrote out of {human_count(len(plan.needed), 'file')}."
    verb = "brings up to date:" if plan.is_update else "adds"
    place = "in" if plan.is_update else "to"
    words = (
        [f"{_join([_count_parts(part, count) for part, count in inside.items()])} {place} {shared}"] if inside else []
    )
    return f"{verb} {', and '.join([*words, *([_count_parts(Part.FILE, own)] if own else [])])}."


def _count_parts(part: Part, count: int) -> str:
    return human_count(count, part.value, _PLURALS.get(part, f"{part}s"))


def _join(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _show_lines(plans: Iterable[ConnectPlan]) -> None:
    page(_colour(clean(line)) for plan in plans for line in plan.differences())


def _colour(line: str) -> str:
    if not has_colour():
        return line
    if line.startswith(("---", "+++")):
        return click.style(line, bold=True)
    colour = _COLOURS.get(line[:1])
    return click.style(line, fg=colour) if colour else line


def _tell(name: str, plan: ConnectPlan) -> None:
    if plan.is_removal:
        if plan.needed:
            print_line(f"{name}: disconnected.")
        return
    print_line(f"{name}: connected ({', '.join(plan.moments)}).")
    for line in plan.to_do:
        print_line(f"    {line}")


def _shape(name: str, plan: ConnectPlan, *, is_applied: bool) -> dict[str, Any]:
    return {
        "agent": plan.connection.agent,
        "name": name,
        "project": plan.connection.project,
        "action": "disconnect" if plan.is_removal else "connect",
        "may_refuse": plan.connection.may_refuse,
        "may_rewrite": plan.connection.may_rewrite,
        "files": [_file(change.file.path, change.file.content, change.wanted) for change in plan.changes],
        "diff": list(plan.differences()),
        "moments": list(plan.moments),
        "to_do": list(plan.to_do),
        "left": list(plan.left),
        "is_empty": plan.is_empty,
        "is_applied": is_applied and bool(plan.needed),
    }


def _file(path: Any, before: bytes | None, after: bytes | None) -> dict[str, str]:
    if before == after:
        action = "keep"
    elif before is None:
        action = "create"
    else:
        action = "remove" if after is None else "change"
    return {"path": str(path), "action": action}


_HOOK = "afterwit-hook"


def this_host(here: Here) -> Host:
    uid = os.getuid() if sys.platform != "win32" else 0
    return Host(here.world.environ, sys.platform, here.world.user_home, uid, own_command())


def this_machine(here: Here, *, may_refuse: bool = False, may_rewrite: bool = False) -> Machine:
    """The machine on which agents are connected, in the project that the command was called in."""
    world = here.world
    at = Surroundings(
        user_home=world.user_home,
        environ=dict(world.environ),
        platform=sys.platform,
        project=_project(Path.cwd()),
        hook=_hook_command(),
        server=(*own_command(), "mcp"),
        store=_variables(here.configured.place, world.user_home),
        exists=lambda path: Path(path).exists(),
        may_refuse=may_refuse,
        may_rewrite=may_rewrite,
    )
    return Machine(world.layout, at, notes_of(world.layout, world.user_home), world.now_ms)


def _hook_command() -> tuple[str, ...]:
    """The small program beside the interpreter, else the interpreter with the module."""
    for name in (_HOOK, f"{_HOOK}.exe"):
        program = Path(sys.executable).with_name(name)
        if program.is_file():
            return (str(program),)
    return (sys.executable, "-I", "-m", "afterwit.hook")


def _variables(place: StorePlace, user_home: Path) -> dict[str, str]:
    """What leads a hook to this store; nothing for the usual one, which it finds by itself."""
    usual = Path(default_root({"HOME": str(user_home), "USERPROFILE": str(user_home)}, sys.platform))
    if place.store == usual:
        return {}
    return {"AFTERWIT_HOME": str(place.root), "AFTERWIT_PROFILE": place.profile}


def _project(folder: Path) -> Path:
    """The checkout around a folder, else the folder."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)


@command(
    examples=(
        "afterwit connect claude-code codex",
        "afterwit connect agents --all --dry-run",
        "afterwit connect claude-code --refuse --rewrite --yes",
    ),
)
@click.argument("names", metavar="[AGENT]...", nargs=-1)
@flag("--all", "is_all", "Every agent that is found on this machine.")
@flag("--refuse", "may_refuse", "Refuse a command once that is known to fail here.")
@flag("--rewrite", "may_rewrite", "Rewrite a command into the proven one.")
@agreed
@flag("--dry-run", "is_dry_run", "Show what would be changed, and change nothing.")
@with_diff
@reporting
def agents(
    here: Here,
    names: tuple[str, ...],
    is_all: bool,
    may_refuse: bool,
    may_rewrite: bool,
    is_agreed: bool,
    is_dry_run: bool,
    has_diff: bool,
    is_json: bool,
) -> None:
    """Let agents hear from Afterwit.

    Puts hooks, a plugin or an extension into the agent's own settings, and the MCP server beside them. Says what goes
    into which files (--diff shows the exact change), asks, and keeps what others put there. `afterwit disconnect`
    leaves every file as it was before.
    Running it again brings up to date what is outdated; --refuse and --rewrite are off unless they are given.
    """
    if bool(names) == is_all:
        raise click.UsageError("Name the agents to connect, or say --all.")
    machine = this_machine(here, may_refuse=may_refuse, may_rewrite=may_rewrite)
    chosen = present(machine, lambda program: shutil.which(program) is not None) if is_all else dict.fromkeys(names)
    if not chosen:
        talk("No agent is found that can be connected. Name one: `afterwit connect claude-code`.")
    plans = [(name, lambda name=name: plan_connection(machine, name)) for name in chosen]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))


@command(examples=("afterwit connect file AGENTS.md", "afterwit connect file CLAUDE.md --dry-run"))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@agreed
@flag("--dry-run", "is_dry_run", "Show what would be changed, and change nothing.")
@with_diff
@reporting
def file(here: Here, paths: tuple[Path, ...], is_agreed: bool, is_dry_run: bool, has_diff: bool, is_json: bool) -> None:
    """Write a marked block into a file such as AGENTS.md.

    The block holds what was learned for the repository around the file. Running it again brings it up to date; the rest
    of the file is never touched. Where nothing was learned yet, nothing is written. `afterwit disconnect file
    AGENTS.md` takes it out.
    """
    machine = this_machine(here)
    plans = [(str(path), lambda path=path: plan_file(machine, path.absolute())) for path in paths]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))


@command(
    examples=(
        "afterwit disconnect codex",
        "afterwit disconnect --all --yes",
        "afterwit disconnect file AGENTS.md",
    ),
)
@click.argument("names", metavar="[AGENT]... | file PATH...", nargs=-1)
@flag("--all", "is_all", "Everything that is connected, in all projects.")
@agreed
@flag("--dry-run", "is_dry_run", "Show what would be changed, and change nothing.")
@with_diff
@reporting
def disconnect(
    here: Here, names: tuple[str, ...], is_all: bool, is_agreed: bool, is_dry_run: bool, has_diff: bool, is_json: bool
) -> None:
    """Take out of agents' files what `connect` has put in.

    A file that nobody has changed since is byte for byte what it was before; from any other only what Afterwit wrote is
    taken out.
    """
    if bool(names) == is_all:
        raise click.UsageError("Name what to disconnect, or say --all.")
    machine = this_machine(here)
    chosen = connected(machine) if is_all else _named(machine, names)
    if not chosen and not is_json:
        talk("Nothing is connected.")
    plans = [(_name(*key), lambda key=key: plan_removal(machine, *key)) for key in chosen]
    carry_out(machine, plans, Consent(is_agreed, is_dry_run, is_json, has_diff))


def _named(machine: Machine, names: tuple[str, ...]) -> list[tuple[str, str]]:
    if names[0] == FILE:
        if len(names) == 1:
            raise click.UsageError("Name the file, such as: afterwit disconnect file AGENTS.md")
        return [(FILE, str(Path(name).absolute())) for name in names[1:]]
    installers = [installer_for(name) for name in dict.fromkeys(names)]
    return [(own.agent, str(machine.at.project) if own.scope is ConnectScope.PROJECT else "") for own in installers]


def _name(agent: str, project: str) -> str:
    return project if agent == FILE else f"{agent} in {project}" if project else agent
