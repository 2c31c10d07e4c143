"""`afterwit read`: lets a model read sessions, by a call or by files, and shows what came of it."""

import math
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.reading_calls import read_with, show_plan, show_spent, tell_compiled, tell_ways
from afterwit.cli.sessions.filters import filtered
from afterwit.cli.terminal.options import COUNT, Here, agreed, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, refuse_existing, talk, whole_file
from afterwit.cli.terminal.progress import bar
from afterwit.model.errors import UsageError
from afterwit.model.figures import human_count, human_dollars, human_tokens
from afterwit.reader.calling import way_to
from afterwit.reader.compiling import PROMPT
from afterwit.reader.intake import Fate, TakenAnswers
from afterwit.reader.plan import AT_HAND, ReadingWish, plan, prompt_in_force
from afterwit.reader.read import ask, check_again, refusal_in_words, take
from afterwit.reader.requests import own_prompt
from afterwit.reader.ways.files import AnswerLines, answers_in, request_line
from afterwit.reader.ways.way import Way, nearest_way
from afterwit.sessions.filters import Filter
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.readings import proposals_rejected
from afterwit.store.store import readonly_database

_FATES = {
    Fate.REPEATED: "answered already",
    Fate.UNKNOWN: "under an id that nothing was asked under",
    Fate.FAILED: "without an answer of the model",
    Fate.NOT_UNDERSTOOD: "not understood: no JSON of the form that was asked for",
    Fate.CHANGED: "about a session that has changed, is gone or was forgotten",
}
_FAULTS = (Fate.UNKNOWN, Fate.FAILED, Fate.NOT_UNDERSTOOD, Fate.CHANGED)
_NOTES = "notes"  # stands for a session where an answer was about notes
_PROMPTS = ("read", "compile")
_FILE = click.Path(dir_okay=False, path_type=Path)


class _Mode(NamedTuple):
    """What the command is to do, of which there is one."""

    option: str
    is_asked: bool


def _positive(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise click.BadParameter(f"{value} is no amount of money.")
    return value


@command(
    examples=(
        "afterwit read --plan --with claude-code",
        "afterwit read --with claude-code --repo orchard --limit 5",
        "afterwit read --to requests.jsonl --with gpt-5-mini --repo orchard --limit 20",
        "afterwit read --from answers.jsonl",
        "afterwit read --rejected",
    ),
    exits={
        ExitCode.FAILED: "There is no store yet, it cannot be used, or the model cannot be reached.",
        ExitCode.PARTLY_DONE: "Some calls failed, or Ctrl-C stopped them; with --from, some lines are no answers, or"
        " could not be used. The others are kept.",
    },
)
@click.option("--plan", "is_planned", is_flag=True, help="Only say what would be read and what it would cost.")
@click.option("--to", "to", type=_FILE, metavar="FILE", help="Write the requests to this file, in batch form.")
@click.option("--from", "from_", type=_FILE, metavar="FILE", help="Take the answers in this file.")
@click.option(
    "--prompt",
    "prompt",
    is_flag=False,
    flag_value=_PROMPTS[0],
    type=click.Choice(_PROMPTS),
    metavar="[NAME]",
    help="Print the prompt that a model gets to read sessions; `--prompt compile`: to make the brief.",
)
@click.option("--rejected", "is_rejected", is_flag=True, help="Show what models proposed and the checks refused.")
@click.option(
    "--check-again",
    "is_checked",
    is_flag=True,
    help="Judge the answers of earlier checks by the present ones, for free; with --again all answers.",
)
@click.option("--spent", "is_spent", is_flag=True, help="Show what reading took, by day, model and repository.")
@click.option(
    "--with",
    "model",
    default="",
    metavar="MODEL",
    help="The model that is to read: a way to one (claude-code, codex, gemini, llm), alone or as WAY:MODEL; by files"
    " any other name. Default: reading.model.",
)
@click.option("--limit", type=COUNT, default=0, metavar="N", help="At most so many sessions; 0 means all.")
@click.option("--budget", type=float, callback=_positive, metavar="USD", help="At most so many US dollars in this run.")
@click.option("--again", "is_again", is_flag=True, help="Also what was read, asked or answered before.")
@click.option("--force", "is_forced", is_flag=True, help="With --to: replace FILE if it is there.")
@agreed
@reporting
@filtered
def read(
    here: Here,
    wanted: Filter,
    is_planned: bool,
    to: Path | None,
    from_: Path | None,
    prompt: str | None,
    is_rejected: bool,
    is_spent: bool,
    is_checked: bool,
    model: str,
    limit: int,
    budget: float | None,
    is_again: bool,
    is_forced: bool,
    is_agreed: bool,
    is_json: bool,
) -> None:
    """Let a model read sessions, and keep what the checks let pass.

    Nothing is sent unless you name a model: with --with, or as reading.model. It is called, after a plan and a question
    the first time; or --to writes requests that you hand to it, and --from takes the answers. The most promising
    sessions come first, within the caps of `[reading]`. Every word of an answer is checked against the session, and who
    spoke the cited lines decides how far it is trusted. After every few new notes of a repository one more request
    compiles what sessions are told (`afterwit brief`). docs/how-to/let-a-model-read.md shows the way.
    """
    modes = (
        _Mode("--plan", is_planned),
        _Mode("--to", to is not None),
        _Mode("--from", from_ is not None),
        _Mode("--prompt", prompt is not None),
        _Mode("--rejected", is_rejected),
        _Mode("--spent", is_spent),
        _Mode("--check-again", is_checked),
    )
    if len(given := [mode.option for mode in modes if mode.is_asked]) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other. Choose one.")
    wish = ReadingWish(wanted, model or here.world.settings.reading.model or "", limit, budget, is_again)
    if prompt is not None:
        _show_prompt(here, prompt, is_json=is_json)
    elif is_rejected:
        _show_rejected(here, is_json=is_json)
    elif is_spent:
        show_spent(here, is_json=is_json)
    elif is_checked:
        _check_again(here, is_all=is_again, is_json=is_json)
    elif from_ is not None:
        _take(here, from_, is_again=is_again, is_json=is_json)
    elif to is not None:
        _write(here, wish, to, is_forced=is_forced, is_json=is_json)
    elif (way := way_to(wish.model, here.world)) is not None and not is_planned:
        read_with(here, wish, way, is_agreed=is_agreed, is_json=is_json)
    else:
        _plan(here, wish, way, is_json=is_json)


def _plan(here: Here, wish: ReadingWish, way: Way | None, *, is_json: bool) -> None:
    with bar("planning", "sessions") as progress:
        made = plan(here.world, wish, progress)
    way = way or way_to(made.model, here.world)
    show_plan(here, made, wish.filter, way, is_json=is_json)
    if is_json:
        return
    if way is not None and (refusal := way.refusal()):
        talk(f"As things are, {wish.model} cannot read: {refusal}")
    elif not wish.model:
        tell_ways(here)
    elif wish.model == AT_HAND:
        talk('Your agent reads these when you ask it to, once `model = "agent-at-hand"` stands under `[reading]`.')
    elif way is None and made.requests:
        hint = f" {meant}" if (meant := nearest_way(wish.model)) else ""
        talk(f"Only files reach {wish.model}: `afterwit read --to FILE --with {wish.model}` writes the requests.{hint}")


def _write(here: Here, wish: ReadingWish, to: Path, *, is_forced: bool, is_json: bool) -> None:
    if not wish.model:
        raise UsageError("No model is chosen. Name the one that the file is for: --with MODEL, or reading.model.")
    refuse_existing(to, is_forced=is_forced)
    with whole_file(to) as file, bar("planning", "sessions") as progress:
        made = ask(here.world, wish, lambda request, model: file.write(request_line(request, model)), progress)
    show_plan(here, made, wish.filter, None, is_json=is_json)
    talk(f"{human_count(len(made.estimates), 'request')} written to {to}.")
    if made.requests:
        talk(f"Nothing was sent. Hand the file to {made.model}; `afterwit read --from ANSWERS` takes what comes back.")


def _take(here: Here, path: Path, *, is_again: bool, is_json: bool) -> None:
    try:
        given = answers_in(read_regular(path).splitlines())
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}. Name the file that the model's answers are in.") from None
    with bar("checking", "answers") as progress:
        taken = take(here.world, given.answers, progress, is_again=is_again)
    if is_json:
        print_json(_answers_shape(taken, given))
    else:
        _show_taken(taken, given)
    if given.garbage or any(taken.fates[fate] for fate in _FAULTS):
        raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


def _check_again(here: Here, *, is_all: bool, is_json: bool) -> None:
    with bar("checking", "answers") as progress:
        result = check_again(here.world, progress, is_all=is_all)
    if is_json:
        print_json(result)
        return
    print_line(
        f"{human_count(result.judged, 'answer')} judged again, {result.changed:,} of them otherwise:"
        f" {human_count(len(result.gained), 'new note')}, {len(result.lost):,} gone."
    )
    if result.skipped:
        talk(f"{human_count(result.skipped, 'answer')} left as they are: their sessions have changed, or are gone.")
    if result.changed:
        talk("`afterwit knowledge undo` takes this back.")
    elif not result.judged:
        talk("No answer was judged by other checks than the present ones. --again judges all.")


def _show_taken(taken: TakenAnswers, given: AnswerLines) -> None:
    print_line(
        f"{human_count(taken.fates[Fate.TAKEN], 'answer')} taken: {human_count(taken.notes, 'note')},"
        f" {human_count(taken.relations, 'word')} on notes that were there, {taken.rejected:,} rejected."
    )
    tell_compiled(taken.lines, taken.replaced)
    for fate, words in _FATES.items():
        if taken.fates[fate]:
            print_line(f"{human_count(taken.fates[fate], 'answer')} {words}.")
    if given.garbage:
        print_line(f"{human_count(given.garbage, 'line')} without a custom_id, or no JSON at all.")
    if taken.tokens_in or taken.tokens_out:
        cost = human_dollars(taken.cost_usd, is_partial=bool(taken.unpriced))
        talk(f"{human_tokens(taken.tokens_in)} tokens read, {human_tokens(taken.tokens_out)} written, {cost}.")
    if not given.answers and not given.garbage:
        talk("The file holds no answers.")
    if taken.notes or taken.lines or taken.replaced:
        talk("`afterwit knowledge list` shows the notes, `afterwit knowledge undo` takes all of this back.")
    if taken.rejected:
        talk("`afterwit read --rejected` shows what was refused, and why.")


def _answers_shape(taken: TakenAnswers, given: AnswerLines) -> dict[str, Any]:
    figures = {name: getattr(taken, name) for name in taken.__struct_fields__ if name != "fates"}
    return {"answers": {str(fate): count for fate, count in taken.fates.items()}, "garbage": given.garbage, **figures}


def _show_prompt(here: Here, name: str, *, is_json: bool) -> None:
    is_set = name == _PROMPTS[0]
    prompt = prompt_in_force(here.world) if is_set else own_prompt(PROMPT)
    if is_json:
        print_json({"version": prompt.version, "tokens": prompt.tokens, "text": prompt.text})
        return
    for line in prompt.text.splitlines():
        print_line(line)
    other = " Save a changed copy and name it in reading.prompt to use another." if is_set else ""
    talk(f"Version {prompt.version}.{other}")


def _show_rejected(here: Here, *, is_json: bool) -> None:
    with readonly_database(here.world.layout) as db:
        rows = proposals_rejected(db)
    if is_json:
        print_json([row._asdict() for row in rows])
        return
    for row in rows:
        detail = f" ({row.detail})" if row.detail else ""
        print_text(f"{row.sentence}", f"{row.native_id[:8] or _NOTES:<8}  ", "          ")
        print_text(f"{refusal_in_words(row.reason)}{detail}", "          ", "          ")
    if rows:
        counts = Counter(row.reason for row in rows).most_common()
        talk(f"{len(rows):,} rejected: {', '.join(f'{reason} {count:,}' for reason, count in counts)}.")
    else:
        talk("Nothing was rejected. `afterwit read --plan` says what could be read.")
