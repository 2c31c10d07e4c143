"""`afterwit recall` and `places`: what a session would be told here, and where a task's work is likely to be."""

from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, refuse_unknown, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.knowledge.brief import rests_on
from afterwit.recall.find_places import NOTHING_KNOWN, FoundPlace, FoundPlaces, find_places
from afterwit.recall.prompt_block import text_of
from afterwit.recall.recall import ToldBlocks, recalled


@command(
    examples=(
        "afterwit recall",
        'afterwit recall --task "make the importer skip empty rows"',
        "afterwit recall --repo orchard --agent codex --explain",
    ),
)
@click.option("--task", metavar="TEXT", help="Show the block for a first prompt like this, too.")
@click.option(
    "--repo",
    metavar="NAME",
    help="For this repository, instead of that of the present folder.",
)
@click.option("--agent", metavar="AGENT", default="", help="As this agent would get it.")
@click.option(
    "--budget",
    type=click.IntRange(min=100, max=2000),
    metavar="TOKENS",
    help="At most so many tokens for the block at the start. Default: what the configuration says.",
)
@click.option("--explain", "is_explained", is_flag=True, help="Say why each note is in, and what was left out.")
@reporting
def recall(
    here: Here,
    task: str | None,
    repo: str | None,
    agent: str,
    budget: int | None,
    is_explained: bool,
    is_json: bool,
) -> None:
    """Show what a session would be told here.

    The block for its start and, with a task, the one for its first prompt. This is all that could be said: nothing is
    skipped here to compare. Agents get it between markers.
    """
    refuse_unknown(filter(None, [agent]), here.world.declared, "--agent")
    blocks = recalled(here.world, Path.cwd(), repo, agent, task or "", budget)
    if is_json:
        print_json(_shape(blocks))
        return
    prompt = text_of(blocks.prompt)
    if not blocks.start.text and not prompt:
        talk(f"Nothing to say {_where(blocks)}. `afterwit knowledge list --all` shows all notes.")
    for text in filter(None, (blocks.start.text, prompt)):
        print_text(text)
        print_line("")
    if is_explained:
        _explain(blocks)


def _where(blocks: ToldBlocks) -> str:
    return f"in {blocks.repo}" if blocks.repo else "here, where no session was seen yet"


def _explain(blocks: ToldBlocks) -> None:
    for told in blocks.start.lines:
        print_text(f"{told.line.id}  {rests_on(told)}", first="in   ", rest="     ")
    for section in blocks.prompt:
        for line in section.lines:
            print_line(f"in   {line.item}  fits the task")
    for told, why in blocks.start.left_out:
        print_text(f"{told.line.id}  {why}: {told.line.text}", first="out  ", rest="     ")


def _shape(blocks: ToldBlocks) -> dict[str, Any]:
    return {
        "repo": blocks.repo,
        "agent": blocks.agent,
        "start": {
            "text": blocks.start.text,
            "lines": [{"id": told.line.id, "notes": list(told.line.notes)} for told in blocks.start.lines],
            "left_out": [{"id": told.line.id, "reason": why} for told, why in blocks.start.left_out],
        },
        "prompt": {
            "text": text_of(blocks.prompt),
            "items": [line.item for section in blocks.prompt for line in section.lines],
        },
    }


@command(
    examples=(
        'afterwit places "make the importer skip empty rows"',
        'afterwit places --repo orchard --limit 10 "the frost warning comes too late"',
    ),
)
@click.argument("task")
@click.option(
    "--repo",
    metavar="NAME",
    help="In this repository, instead of that of the present folder.",
)
@click.option(
    "--limit", type=click.IntRange(min=1, max=50), default=5, show_default=True, help="At most so many files."
)
@reporting
def places(here: Here, task: str, repo: str | None, limit: int, is_json: bool) -> None:
    """Guess the files where the work of a task is, with reasons.

    From what earlier sessions changed, from commits, and from the words of the files themselves, of the checkout in
    which you stand. If no session was seen there yet, git alone answers. Files that the task's own words name come
    first. It is a guess: the figure is the chance that such work changes the file.
    """
    answer = find_places(here.world, Path.cwd(), repo, task, limit)
    if answer.lacks:
        talk(answer.lacks)
    if is_json:
        print_json(_places_shape(answer))
        return
    if not answer.places and answer.lacks != NOTHING_KNOWN:
        talk("No file stands out for this task. More words may help: names, errors, parts of a path.")
    if answer.places:
        talk("A guess. The figure is the chance that such work changes the file.")
    for place in answer.places:
        _show_place(place)


def _show_place(likely: FoundPlace) -> None:
    path, chance, test = likely.place
    print_text(f"{path}{f' (tests: {test})' if test else ''}", first=f"{chance:.2f}  ", rest="      ")
    if likely.reasons:
        print_text("; ".join(likely.reasons), first="      ", rest="      ")


def _places_shape(answer: FoundPlaces) -> dict[str, Any]:
    return {
        "repo": answer.repo,
        "places": [
            {
                "path": path,
                "chance": round(chance, 3),
                "test": test or None,
                "reasons": list(reasons),
            }
            for (path, chance, test), reasons in answer.places
        ],
    }
