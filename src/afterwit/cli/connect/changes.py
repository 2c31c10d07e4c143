"""What `connect` and `disconnect` share: show the plans, ask, carry them out, and say how each ended.

A plan is summed up first: what goes into which files. Line by line it is shown where that is asked for: by `--diff`, by
`--dry-run`, or at the question.

Each plan stands for itself. One that cannot be made or carried out is told, and the others are done: then the exit code
says "partly done".
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import click

from afterwit.cli.commands import ExitCode
from afterwit.cli.terminal.amounts import human_count
from afterwit.cli.terminal.output import ask_or_leave, has_colour, page, print_json, print_line, print_text, talk
from afterwit.connect.plan import ConnectPlan, Machine, apply
from afterwit.edits.edits import Part
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.redaction.hygiene import clean

_PLURALS = {Part.ENTRY: "entries", Part.BLOCK: "blocks of notes", Part.FILE: "files of its own"}
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


class Consent(NamedTuple):
    """What the user said besides the names."""

    is_agreed: bool
    is_dry_run: bool
    is_json: bool
    has_diff: bool = False


with_diff = click.option("--diff", "has_diff", is_flag=True, help="Show the exact change of every file, line by line.")


def carry_out(machine: Machine, named: Iterable[tuple[str, Callable[[], ConnectPlan]]], how: Consent) -> None:
    """Plans, shows, asks, does."""
    faults: dict[str, str] = {}
    plans = {name: plan for name, make in named if (plan := _tried(name, make, faults)) is not None}
    if not how.is_json:
        for name, plan in plans.items():
            _show(name, plan)
        if how.has_diff or how.is_dry_run:
            _show_lines(plans.values())
    pending = [name for name, plan in plans.items() if plan.needed or (plan.is_removal and not plan.is_empty)]
    has_change = any(plan.needed for plan in plans.values())
    is_applied = has_change and not how.is_dry_run
    if is_applied and not how.is_agreed:
        ask_or_leave(
            "Do this?",
            "Look at it with --dry-run, and add --yes.",
            shows={"d": ("the exact change", lambda: _show_lines(plans.values()))},
        )
    done = [name for name in pending if not how.is_dry_run and _applied(machine, name, plans[name], faults)]
    if how.is_json:
        print_json([_shape(name, plan, is_applied=name in done) for name, plan in plans.items()])
    elif not how.is_dry_run:
        for name in done:
            _tell(name, plans[name])
    for name, fault in faults.items():
        talk(f"{name}: {fault}")
    if faults:
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE if len(plans) > len(faults) or done else ExitCode.FAILED)


def _tried(name: str, make: Callable[[], ConnectPlan], faults: dict[str, str]) -> ConnectPlan | None:
    try:
        return make()
    except UsageError:
        raise
    except AfterwitError as error:
        faults[name] = str(error)
    except OSError as error:
        faults[name] = f"{error.strerror or error}: {error.filename or 'no file named'}."
    return None


def _applied(machine: Machine, name: str, plan: ConnectPlan, faults: dict[str, str]) -> bool:
    def run() -> ConnectPlan:
        apply(machine, plan)
        return plan

    return _tried(name, run, faults) is not None


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
    words = [f"{_joined([_counted(part, count) for part, count in inside.items()])} {place} {shared}"] if inside else []
    return f"{verb} {', and '.join([*words, *([_counted(Part.FILE, own)] if own else [])])}."


def _counted(part: Part, count: int) -> str:
    return human_count(count, part.value, _PLURALS.get(part, f"{part}s"))


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _show_lines(plans: Iterable[ConnectPlan]) -> None:
    page(_coloured(clean(line)) for plan in plans for line in plan.differences())


def _coloured(line: str) -> str:
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
