"""What people decide about notes: `afterwit knowledge add`, `edit`, `approve`, `reject`, `pin`, `unpin`, `retire`,
`forget` and `undo`.

`add` and `edit` take the same options. What is not given is None; an edit leaves that as it is.
"""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec

from afterwit.cli.commands import CliCommand, ExitCode, command
from afterwit.cli.knowledge.list import EXITS
from afterwit.cli.terminal.options import COUNT, Here, added, agreed, many, refuse_unknown, reporting, timed
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.calendar import Calendar
from afterwit.engine.curation import curate
from afterwit.engine.curation.curate import Judged, Words
from afterwit.engine.curation.undo import ForgetRequest, Forgetting, Past, past
from afterwit.engine.curation.undo import forget as run_forget
from afterwit.engine.curation.undo import undo as run_undo
from afterwit.knowledge.documents import trigger_from
from afterwit.knowledge.door.list import shown
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count
from afterwit.model.knowledge import EVERYWHERE, Category, ItemStatus, Scope, ScopeKind, Trigger
from afterwit.sessions.filters import known_repo
from afterwit.store.decisions import DecisionKind, ItemChanges

_NONE = "none"
_EVERYWHERE = ("everywhere", str(EVERYWHERE))
_OPTIONS = (
    click.option(
        "--applies-to",
        metavar="WHERE",
        help="What it applies to: everywhere, repo:NAME or agent:NAME, as `show` prints it.",
    ),
    click.option(
        "--repo",
        metavar="NAME",
        help="The same as --applies-to repo:NAME. The last part of a name is enough.",
    ),
    click.option("--agent", metavar="AGENT", help="The same as --applies-to agent:NAME."),
    click.option(
        "--category",
        type=click.Choice([category.value for category in Category]),
        metavar="CATEGORY",
        help=f"What it is: {', '.join(Category)}.",
    ),
    click.option(
        "--use",
        "advice",
        metavar="COMMAND",
        help='The command line to use; "" for none.',
    ),
    many("--file", "files", "PATH", 'A file that it is about; "" for none. Repeat for more.'),
    many(
        *("--shown-when", "triggers", "WHEN"),
        "Show it when this comes up: command:LINE (and all lines that begin so), path:PATTERN (such as src/**/*.py),"
        " rule:NAME (of a linter or compiler), topic:WORDS (all of them, in a task), tool:NAME (of an agent); none:"
        " at the start of a session. Repeat for more.",
    ),
)


def described(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and passes what they mean as `changes`. Goes below `in_place`, which brings the store."""

    @functools.wraps(command)
    def wrapped(
        *args: Any,
        here: Here,
        applies_to: str | None,
        repo: str | None,
        agent: str | None,
        category: str | None,
        advice: str | None,
        files: Sequence[str],
        triggers: Sequence[str],
        **options: Any,
    ) -> Any:
        changes = ItemChanges(
            category=Category(category) if category is not None else None,
            scope=_scope(here, applies_to, repo, agent),
            triggers=_triggers(triggers) if triggers else None,
            advice=advice,
            files=tuple(filter(None, files)) if files else None,
        )
        return command(*args, here=here, changes=changes, **options)

    return added(_OPTIONS, wrapped)


def _scope(here: Here, applies_to: str | None, repo: str | None, agent: str | None) -> Scope | None:
    if sum(option is not None for option in (applies_to, repo, agent)) > 1:
        raise click.UsageError("Give only one of --applies-to, --repo and --agent.")
    if repo is not None:
        return Scope(ScopeKind.REPO, known_repo(here.world, repo))
    if agent is not None:
        return _of_agent(here, agent, "--agent")
    if applies_to is None:
        return None
    kind, _, name = (part.strip() for part in applies_to.partition(":"))
    if kind == ScopeKind.REPO and name:
        return Scope(ScopeKind.REPO, known_repo(here.world, name))
    if kind == ScopeKind.AGENT and name:
        return _of_agent(here, name, "--applies-to")
    if applies_to.strip() in _EVERYWHERE:
        return EVERYWHERE
    raise click.BadParameter(
        f"{applies_to!r} is none of everywhere, repo:NAME and agent:NAME.", param_hint="'--applies-to'"
    )


def _of_agent(here: Here, agent: str, option: str) -> Scope:
    refuse_unknown([agent], here.world.declared, option)
    return Scope(ScopeKind.AGENT, agent)


def _triggers(texts: Sequence[str]) -> tuple[Trigger, ...]:
    if _NONE in texts:
        if len(texts) > 1:
            raise _unfit("`none` cannot be combined with others.")
        return ()
    return tuple(map(_trigger, texts))


def _trigger(text: str) -> Trigger:
    try:
        return trigger_from(text)
    except UsageError as error:
        raise _unfit(str(error)) from error


def _unfit(what: str) -> click.BadParameter:
    return click.BadParameter(what, param_hint="'--shown-when'")


UNDO = "`afterwit knowledge undo` takes it back."


def _judge_command(name: str, help_text: str, examples: str = "3fa9c1") -> CliCommand:
    """A command that decides the same about several notes."""

    @command(name, help=help_text, examples=(f"afterwit knowledge {name} {examples}",), exits=EXITS)
    @click.argument("items", nargs=-1, required=True, metavar="NOTE...")
    @reporting
    def judge_notes(here: Here, items: tuple[str, ...], is_json: bool) -> None:
        done = curate.judge(here.world, DecisionKind[name.upper()], items)
        if is_json:
            print_json(done)
            return
        for judged in done:
            talk(_verdict_line(judged))
        if any(judged.has_changed for judged in done):
            talk(UNDO)

    return judge_notes


approve = _judge_command(
    "approve",
    """Let notes be used, however little stands behind them.

    What waits or needs your approval is in use then. NOTE is an id or the beginning of one.
    """,
    "3fa9c1 0b7d22",
)
reject = _judge_command(
    "reject",
    """Take out notes that should never have been made. They do not come back.

    NOTE is an id or the beginning of one.
    """,
)
pin = _judge_command(
    "pin",
    """Keep notes in use, however old they get and whatever contradicts them.

    A note that was rejected or retired comes back. NOTE is an id or the beginning of one.
    """,
)
unpin = _judge_command("unpin", "Let notes grow old again. NOTE is an id or the beginning of one.")
retire = _judge_command(
    "retire", "Take out notes that were true once and no longer are. NOTE is an id or the beginning of one."
)


def _verdict_line(judged: Judged) -> str:
    """What became of a note, in a line."""
    if not judged.status:
        return f"{judged.id} is gone: {judged.fact}"
    before = ItemStatus(judged.before).in_words if judged.before and judged.before != judged.status else ""
    was = f" (before: {before})" if before else ""
    reason = f", {judged.reason}" if judged.reason else ""
    unchanged = "" if judged.has_changed else "Nothing to change: "
    return f"{unchanged}{judged.id}: {ItemStatus(judged.status).in_words}{was}{reason}: {judged.fact}"


@command(
    examples=(
        'afterwit knowledge add "Prune in March, never after the first blossom." --repo orchard',
        'afterwit knowledge add "`make count` needs the tree index: run `make index` first."'
        ' --shown-when "command:make count" --use "make index"',
    ),
    exits=EXITS,
)
@click.argument("sentence")
@reporting
@described
def add(here: Here, sentence: str, changes: ItemChanges, is_json: bool) -> None:
    """Write a note yourself: one sentence of at most 320 characters that says when and what to do.

    It is in use at once. Unless you say otherwise, its category is fact and it applies everywhere.
    """
    words = Words(
        sentence=sentence,
        category=changes.category or Category.FACT,
        scope=changes.scope or EVERYWHERE,
        advice=changes.advice or "",
        files=changes.files or (),
        triggers=changes.triggers or (),
    )
    done = curate.add(here.world, words)
    if is_json:
        print_json(done)
    else:
        talk(_verdict_line(done))
        if done.has_changed:
            talk(UNDO)


@command(
    examples=(
        "afterwit knowledge edit 3fa9c1",
        'afterwit knowledge edit 3fa9c1 "Run the tests with `make trees`; `make count` is gone."',
        "afterwit knowledge edit 3fa9c1 --applies-to everywhere --category pitfall",
        'afterwit knowledge edit 3fa9c1 --shown-when "command:make count" --shown-when rule:E501',
    ),
    exits=EXITS,
)
@click.argument("item", metavar="NOTE")
@click.argument("sentence", required=False)
@reporting
@described
def edit(here: Here, item: str, sentence: str | None, changes: ItemChanges, is_json: bool) -> None:
    """Change what a note says, what it applies to or when it is shown, and approve it with that.

    What is not named stays. Files and --shown-when replace all that were set before. With nothing but NOTE, your editor
    opens with the present words. NOTE is an id or the beginning of one.
    """
    if sentence is None and not changes.named:
        sentence = _edit_words(shown(here.world, item).sentence)
    done = curate.edit(here.world, item, msgspec.structs.replace(changes, sentence=sentence))
    if is_json:
        print_json(done)
    elif done.has_changed:
        talk(_verdict_line(done))
        if changes.named:
            talk(f"Changed: {changes.in_words}.")
        talk(UNDO)
    else:
        talk("It is so already. Nothing was changed.")


def _edit_words(present: str) -> str:
    if not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to open an editor on. Give the sentence, or what else to change.")
    words = click.edit(present)
    if words is None:
        talk("Nothing was changed.")
        raise click.exceptions.Exit(ExitCode.FINE)
    return words


_SHOWN = 20


@command(
    examples=(
        "afterwit knowledge forget --session 5ea50001 --dry-run",
        "afterwit knowledge forget --repo orchard --yes",
        "afterwit knowledge forget --origin import:team",
    ),
    exits={**EXITS, ExitCode.FAILED: "The answer was no, nobody answered, or there is no store yet."},
)
@click.option(
    "--origin",
    default="",
    metavar="NAME",
    help="A source that `why` names, such as a page or import:FOLDER; a channel, such as web; a user; an agent.",
)
@click.option("--session", default="", metavar="SESSION", help="A session, with its subagents.")
@click.option(
    "--repo",
    default="",
    metavar="NAME",
    help="A repository: its name, or the last part of it.",
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would be lost, and forget nothing.")
@agreed
@reporting
def forget(here: Here, origin: str, session: str, repo: str, is_dry_run: bool, is_agreed: bool, is_json: bool) -> None:
    """Take back all that was learned from a session, a repository or another origin.

    Evidence from there counts no longer, now and in future, and notes with no other evidence are gone. Sessions and the
    archive stay. `afterwit knowledge undo` takes it back.
    """
    wanted = ForgetRequest(origin=origin, session=session, repo=repo)
    if sum(map(bool, wanted)) != 1:
        raise click.UsageError("Say what to forget: one of --origin, --session and --repo.")

    def agree(planned: Forgetting) -> bool:
        if not is_json:
            _show(planned)
        return is_confirmed(f"Forget what was learned from {planned.name}?", is_agreed=is_agreed)

    done = run_forget(here.world, wanted, agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was forgotten.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    elif is_dry_run:
        _show(done)
    else:
        talk(f"Forgot what was learned from {done.name}. `afterwit knowledge undo` takes it back.")


def _show(planned: Forgetting) -> None:
    for loss in planned.losses[:_SHOWN]:
        left = f"{loss.left} of {human_count(loss.evidence, 'piece')} of evidence left" if loss.left else "gone"
        print_text(f"{loss.id}  {left}: {loss.fact}", rest="  ")
    if len(planned.losses) > _SHOWN:
        print_line(f"… and {human_count(len(planned.losses) - _SHOWN)} more; --json lists all")
    if not planned.losses:
        print_line(f"No note has evidence from {planned.what} {planned.name}.")


_COLUMNS = (
    Column("number", is_number=True),
    Column("when"),
    Column("undone", gives_way=1),
    Column("decision", takes_rest=True),
)


@command(
    examples=("afterwit knowledge undo", "afterwit knowledge undo --list", "afterwit knowledge undo 17"),
    exits=EXITS,
)
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option("--list", "is_listed", is_flag=True, help="Show what was decided, the latest first, and undo nothing.")
@click.option("--limit", type=COUNT, metavar="N", default=20, show_default=True, help="0 lists all.")
@reporting
@timed
def undo(here: Here, number: int | None, is_listed: bool, limit: int, is_json: bool) -> None:
    """Take the latest decision about notes back, or an earlier one by its number.

    All that one command decided goes together. Undoing is a decision, too: `undo NUMBER` with the number of an undo
    brings back what it took.
    """
    decisions = past(here.world, limit) if is_listed else run_undo(here.world, number)
    if is_json:
        print_json(decisions)
    elif is_listed:
        _show_past(here.calendar, decisions)
    else:
        for decision in decisions:
            talk(f"Undone: {decision.what}")


def _show_past(calendar: Calendar, decisions: list[Past]) -> None:
    if not decisions:
        talk("Nothing was decided yet.")
        return
    rows = [
        (str(decision.number), calendar.moment(decision.at_ms), "undone" if decision.is_undone else "", decision.what)
        for decision in decisions
    ]
    print_table(_COLUMNS, rows)
