"""`afterwit sessions delete`: erases sessions from all that Afterwit keeps."""

from collections import Counter

import click

from afterwit.cli.commands import ExitCode, command, flag
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import Here, agreed, reporting
from afterwit.cli.terminal.output import is_confirmed, print_json, print_line, print_text, talk
from afterwit.config.extras import functions
from afterwit.connect import connections
from afterwit.engine.archive.delete import DeleteRequest, Deletion
from afterwit.engine.archive.delete import delete as run
from afterwit.model.figures import human_bytes, human_count
from afterwit.sessions.filters import Filter, one_line

_SHOWN = 20
_TITLE = 60


@command(
    examples=(
        "afterwit sessions delete 5ea50001 --dry-run",
        "afterwit sessions delete 5ea50001 0c0de001 --log-too",
        "afterwit sessions delete --repo work/secret-project --until 2026-05-01 --yes",
        "afterwit sessions delete --excluded",
    ),
    exits={
        ExitCode.FAILED: "The answer was no, nobody answered, no sessions match, or there is no store yet.",
        ExitCode.WRONG_USE: "No such session, or it cannot be taken out of a file that it shares. Nothing is deleted.",
        ExitCode.PARTLY_DONE: "Another program was reading the store: its last bytes go with the next `learn`.",
    },
)
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@flag("--excluded", "is_excluded", "All that `[learn] exclude` of config.toml leaves out.")
@flag(
    "--log-too",
    "takes_logs",
    "Delete the agent's own log files too. Agents' databases, and files with other sessions in them, stay.",
)
@flag("--dry-run", "is_dry_run", "Show what would go, and delete nothing.")
@agreed
@reporting
@filtered
def delete(
    here: Here,
    sessions: tuple[str, ...],
    wanted: Filter,
    is_excluded: bool,
    takes_logs: bool,
    is_dry_run: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Erase sessions and their subagents from all that Afterwit keeps.

    SESSION is an id or the beginning of one; the options choose more. Gone to the last byte are the archived log, the
    rows, the search index, templates, notes without other evidence, and what agents were told of those. It cannot be
    undone. `learn` does not read the session again, although the agent may still have its log: `afterwit learn
    --again ID` allows that.
    """
    if not sessions and not is_excluded and wanted == Filter():
        raise click.UsageError("Say which sessions: by id, by an option such as --repo or --until, or by --excluded.")

    def agree(planned: Deletion) -> bool:
        if not is_json:
            _show(planned)
        count = human_count(len(planned.sessions), "session")
        return is_confirmed(f"Delete {count}? This cannot be undone.", is_agreed=is_agreed, verb="delete")

    done = run(here.world, DeleteRequest(sessions, wanted, is_excluded, takes_logs), agree, is_dry_run=is_dry_run)
    if done is None:
        talk("Nothing was deleted.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if is_json:
        print_json(done)
    elif is_dry_run and done.sessions:
        _show(done)
    _report(here, done)


def _report(here: Here, done: Deletion) -> None:
    if not done.sessions:
        talk("No sessions match. `afterwit sessions list` shows what there is.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    count = human_count(len(done.sessions), "session")
    if done.is_dry_run:
        talk(f"{count} would be deleted. Nothing was changed.")
        return
    talk(f"Deleted {count}. `afterwit learn` does not read them again; `afterwit learn --again ID` would.")
    for renew in functions("after_delete"):
        for sentence in renew(here.world):
            talk(sentence)
    for agent in done.notes_files:
        talk(f"The notes that {agent} reads are empty now: `afterwit connect {agent}` writes them anew.")
    if any(made.project for made in connections.read(here.world.layout).by_place.values()):
        talk("Notes that `connect` wrote into files of projects are as they were: run the same `connect` again.")
    if not done.is_finished:
        talk(
            "Another program is reading the store, so unused pages of it could not be cleared yet. Close it, then run"
            " `afterwit learn`, which does the rest."
        )
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _show(planned: Deletion) -> None:
    for session in planned.sessions[:_SHOWN]:
        what = f"{session.agent}  {session.repo}  " + ("subagent  " if session.is_subagent else "")
        print_text(f"{session.session}  {what}{one_line(session.title, _TITLE)}", rest="  ")
    _more(len(planned.sessions))
    files = human_count(planned.archived_files, "archived file")
    print_line(f"{files}, {human_bytes(planned.archived_bytes)}")
    for note in planned.notes[:_SHOWN]:
        print_text(f"note {note.id} goes: {note.fact}", rest="  ")
    _more(len(planned.notes))
    if planned.weakened:
        print_line(f"{human_count(planned.weakened, 'more note')} with some evidence from elsewhere")
    for name in planned.templates:
        print_line(f"template {name} goes")
    if planned.backups:
        print_line(f"{human_count(planned.backups, 'older copy', 'older copies')} of the database, made by upgrades")
    going = [log for log in planned.logs if log.is_deleted]
    for log in going[:_SHOWN]:
        print_text(f"log goes: {log.path}", rest="  ")
    _more(len(going))
    for why, count in Counter(log.why_kept for log in planned.logs if not log.is_deleted).items():
        print_line(f"{human_count(count, 'log file')} of the agent stay{'s' if count == 1 else ''}: {why}")
    _warn(planned)


def _warn(planned: Deletion) -> None:
    """What stays, although somebody may think that it goes."""
    for folder in planned.set_aside:
        talk(f"{folder}, the store of before a restore, stays and may hold them: delete that folder to be rid of them.")
    if planned.copied_in:
        names = ", ".join(planned.copied_in[:5])
        talk(f"Sessions that went on from these, so that their logs may repeat them: {names}. Name them too, if so.")
    if planned.told_in:
        names = ", ".join(planned.told_in[:5])
        talk(f"Sessions that stay and were told one of these notes, so that their logs may repeat it: {names}.")


def _more(count: int) -> None:
    if count > _SHOWN:
        print_line(f"… and {human_count(count - _SHOWN)} more; --json lists all")
