"""`afterwit blame`: which session wrote a line, for what words of the user, and which commit brought it."""

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command, flag
from afterwit.cli.terminal.options import Here, reporting, timed
from afterwit.cli.terminal.output import cut, page, print_json, terminal_width, wrap
from afterwit.model.figures import human_count
from afterwit.model.times import iso_from_ms
from afterwit.recall.blame import BlamedFile, BlameRun, blame_lines, last_words, moment_of, story_of
from afterwit.sessions.edits import FileEdit
from afterwit.sessions.filters import one_line, short_id
from afterwit.sessions.originals import TranscriptSource, source_of

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
    """Show which session wrote each line, and what you had asked for.

    Told by what edits wrote and, where there is a checkout, by git's own blame, which names the commit: never by time
    alone. A line that no known session wrote says so. Of a commit, the lines that it brought are shown.
    """
    with source_of(here.world) as source:
        files = blame_lines(source, here.world, Path.cwd(), what, repo)
        shown = _Shown(here, source, is_full=is_full)
        if is_json:
            print_json({"files": [shown.document(file) for file in files]})
            return
        page(line for file in files for line in shown.lines(file))


class _Shown:
    """Files as they are printed."""

    def __init__(self, here: Here, source: TranscriptSource, *, is_full: bool) -> None:
        self._calendar = here.calendar
        self._source = source
        self._is_full = is_full
        self._story = cache(partial(story_of, source))

    def lines(self, file: BlamedFile) -> Iterator[str]:
        yield file.path
        width = max((len(_span(run)) for run in file.runs), default=0)
        for run in file.runs:
            yield cut(f"{_span(run):>{width}}  {self._line(run)}", terminal_width())
            if self._is_full and run.edit is not None:
                yield from self._full(run, run.edit)
        sessions = {run.edit.session.id for run in file.runs if run.edit}
        whose = human_count(len(sessions), "known session") if sessions else "known sessions"
        total = human_count(sum(run.lines for run in file.runs), "line")
        yield f"{file.attributed:,} of {total} written by {whose}."

    def _line(self, run: BlameRun) -> str:
        commit = run.commit.id[:8] if run.commit else f"{'':8}"
        if run.edit is None:
            return f"{commit}  {run.why}" + (f" ({one_line(self._subject(run), 60)})" if run.commit else "")
        how = "  (laid out anew)" if run.is_laid_out else ""
        asked = f"  “{one_line(run.asked, _LONGEST)}”" if run.asked else ""
        day = self._calendar.day(run.edit.at_ms)
        return f"{commit}  {run.edit.session.agent} {self._name(run.edit)}  {day}{how}{asked}"

    def _full(self, run: BlameRun, edit: FileEdit) -> Iterator[str]:
        facts = {
            "commit": [self._subject(run) or "not committed"],
            "task": [self._source.redactor.text(edit.session.task)] if edit.session.parent else [],
            "user": [run.asked],
            "agent": [last_words(self._source, edit)],
            **{name: texts[:_MOST_LINES] for name, texts in self._story(edit.session)._asdict().items()},
            "see": [f"afterwit sessions show {self._name(edit)} --at {moment_of(self._source, edit)}"],
        }
        width = terminal_width()
        for label, texts in facts.items():
            for text in filter(None, texts):
                for number, line in enumerate(wrap(one_line(text, _LONG), width - 15 if width else None)):
                    yield f"    {'' if number else label:<9}  {line}"
        yield ""

    def _name(self, edit: FileEdit) -> str:
        return short_id(self._source.store.db, edit.session.native_id)

    def _subject(self, run: BlameRun) -> str:
        return self._source.redactor.text(run.commit.subject) if run.commit else ""

    def document(self, file: BlamedFile) -> dict[str, Any]:
        runs = [
            {
                "first": run.first,
                "last": run.last,
                "commit": run.commit
                and {"id": run.commit.id, "committed_at": iso_from_ms(run.commit.at_ms), "subject": self._subject(run)},
                "why": run.why,
                "session": run.edit and self._session(run, run.edit),
            }
            for run in file.runs
        ]
        total = sum(run.lines for run in file.runs)
        return {"repo": file.repo, "path": file.path, "lines": total, "attributed": file.attributed, "runs": runs}

    def _session(self, run: BlameRun, edit: FileEdit) -> dict[str, Any]:
        session = edit.session
        more = {"said": last_words(self._source, edit), **self._story(session)._asdict()} if self._is_full else {}
        return {
            "agent": session.agent,
            "id": session.native_id,
            "parent": session.parent,
            "edited_at": iso_from_ms(edit.at_ms),
            "match": moment_of(self._source, edit),
            "is_laid_out": run.is_laid_out,
            "asked": run.asked,
            **more,
        }


def _span(run: BlameRun) -> str:
    return str(run.first) if run.first == run.last else f"{run.first}-{run.last}"
