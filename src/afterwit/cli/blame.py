"""`afterwit blame`: which session wrote a line, for what words of the user, and which commit brought it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command, flag
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import cut, page, print_json, talk, terminal_width, wrap
from afterwit.model.figures import human_count
from afterwit.model.times import iso_from_ms
from afterwit.recall.blame import BlamedFile, BlameQuestion, BlameRun, blame_lines
from afterwit.recall.blame_story import SessionStory, last_words, moment_of, story_of
from afterwit.sessions.attribution import How
from afterwit.sessions.edits import FileEdit
from afterwit.sessions.filters import one_line, short_id
from afterwit.sessions.originals import TranscriptSource, source_of

_LINES = re.compile(r"(?P<name>.+?):(?P<first>[1-9][0-9]{0,8})(?:-(?P<last>[1-9][0-9]{0,8}))?")
_LONGEST = 160
_LONG = 2_000
_MOST_LINES = 8  # of a session's story


@command(
    examples=(
        "afterwit blame field/ladder.py",
        "afterwit blame field/ladder.py:12-30 --full",
        "afterwit blame 4f2a91c",
        "afterwit blame --repo orchard field/ladder.py:12",
    ),
)
@click.argument("what", metavar="FILE[:LINE[-LINE]]|COMMIT")
@click.option("--repo", metavar="NAME", default="", help="Of this repository, instead of that of the present folder.")
@flag("--full", "is_full", "Show all: the user's and the agent's words, and what the session decided and rejected.")
@reporting
@timed
def blame(here: Here, what: str, repo: str, is_full: bool, is_json: bool) -> None:
    """Show which session wrote each line, and what the user had asked for.

    Told by what edits wrote and, where there is a checkout, by git's own blame, which names the commit: never by time
    alone. A line that no known session wrote says so. Of a commit, the lines that it brought are shown.
    """
    with source_of(here.world) as source:
        files = blame_lines(source, here.world, Path.cwd(), _question(what, repo))
        shown = _Shown(here, source, is_full=is_full)
        if is_json:
            print_json({"files": [shown.document(file) for file in files]})
            return
        if not any(file.runs for file in files):
            talk("There are no lines here.")
        page(line for file in files for line in shown.lines(file, is_named=len(files) > 1))


def _question(what: str, repo: str) -> BlameQuestion:
    lines = None if Path(what).exists() else _LINES.fullmatch(what)
    if lines is None:
        return BlameQuestion(what, repo)
    first = int(lines["first"])
    return BlameQuestion(lines["name"], repo, first, int(lines["last"] or first))


class _Shown:
    """Files as they are printed."""

    def __init__(self, here: Here, source: TranscriptSource, *, is_full: bool) -> None:
        self._here = here
        self._source = source
        self._is_full = is_full
        self._stories: dict[int, SessionStory] = {}

    def lines(self, file: BlamedFile, *, is_named: bool) -> Iterator[str]:
        if is_named:
            yield file.path
        width = max((len(_span(run)) for run in file.runs), default=0)
        for run in file.runs:
            yield self._run(run, width)
            if self._is_full and run.edit is not None:
                yield from self._full(run, run.edit)
        total = sum(run.lines for run in file.runs)
        sessions = {run.edit.session.id for run in file.runs if run.edit}
        if total:
            whose = human_count(len(sessions), "known session") if sessions else "known sessions"
            yield f"{file.attributed:,} of {human_count(total, 'line')} written by {whose}."

    def _run(self, run: BlameRun, width: int) -> str:
        commit = run.commit.id[:8] if run.commit else "        "
        if run.edit is None:
            subject = f" ({one_line(self._source.redactor.text(run.commit.subject), 60)})" if run.commit else ""
            return f"{_span(run):>{width}}  {commit}  {run.why}{subject}"
        edit = run.edit
        name = short_id(self._source.store.db, edit.session.native_id)
        day = self._here.calendar.day(edit.at_ms)
        asked = f"  “{one_line(run.asked, _LONGEST)}”" if run.asked else ""
        how = "" if run.how is How.WROTE else f"  ({run.how})"
        line = f"{_span(run):>{width}}  {commit}  {edit.session.agent} {name}  {day}{how}{asked}"
        return cut(line, terminal_width())

    def _full(self, run: BlameRun, edit: FileEdit) -> Iterator[str]:
        story = self._story(edit)
        at = moment_of(self._source, edit)
        facts = {
            "commit": [self._source.redactor.text(run.commit.subject)] if run.commit else ["not committed"],
            "task": [self._source.redactor.text(edit.session.task)] if edit.session.parent else [],
            "user": [run.asked],
            "agent": [last_words(self._source, edit)],
            "decided": story.decided[:_MOST_LINES],
            "rejected": story.rejected[:_MOST_LINES],
            "notes": story.notes[:_MOST_LINES],
            "see": [f"afterwit sessions show {short_id(self._source.store.db, edit.session.native_id)} --at {at}"],
        }
        for label, texts in facts.items():
            for text in filter(None, texts):
                width = terminal_width()
                for number, line in enumerate(wrap(one_line(text, _LONG), width - 15 if width else None)):
                    yield f"    {'' if number else label:<9}  {line}"
        yield ""

    def _story(self, edit: FileEdit) -> SessionStory:
        if edit.session.id not in self._stories:
            self._stories[edit.session.id] = story_of(self._source, edit.session)
        return self._stories[edit.session.id]

    def document(self, file: BlamedFile) -> dict[str, Any]:
        return {
            "repo": file.repo,
            "path": file.path,
            "lines": sum(run.lines for run in file.runs),
            "attributed": file.attributed,
            "runs": [self._run_document(run) for run in file.runs],
        }

    def _run_document(self, run: BlameRun) -> dict[str, Any]:
        commit = run.commit and {
            "id": run.commit.id,
            "committed_at": iso_from_ms(run.commit.at_ms),
            "subject": self._source.redactor.text(run.commit.subject),
        }
        edit = run.edit
        return {
            "first": run.first,
            "last": run.last,
            "commit": commit,
            "why": run.why,
            "session": None if edit is None else self._session_document(run, edit),
        }

    def _session_document(self, run: BlameRun, edit: FileEdit) -> dict[str, Any]:
        document: dict[str, Any] = {
            "agent": edit.session.agent,
            "id": edit.session.native_id,
            "parent": edit.session.parent,
            "edited_at": iso_from_ms(edit.at_ms),
            "match": moment_of(self._source, edit),
            "how": str(run.how),
            "asked": run.asked,
        }
        if self._is_full:
            said = last_words(self._source, edit)
            document |= {"said": said, **{name: list(value) for name, value in self._story(edit)._asdict().items()}}
        return document


def _span(run: BlameRun) -> str:
    return str(run.first) if run.first == run.last else f"{run.first}-{run.last}"
