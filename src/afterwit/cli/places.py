"""`afterwit places`: where a task's work is likely to be."""

from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.completing import repo_names
from afterwit.cli.terminal.options import Here, reporting
from afterwit.cli.terminal.output import print_json, print_text, talk
from afterwit.recall.find_places import NOTHING_KNOWN, FoundPlace, FoundPlaces, find_places


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
    shell_complete=repo_names,
)
@click.option(
    "--limit", type=click.IntRange(min=1, max=50), default=5, show_default=True, help="At most so many files."
)
@reporting
def places(here: Here, task: str, repo: str | None, limit: int, is_json: bool) -> None:
    """Guess the files where the work of a task is, with reasons.

    From what earlier sessions changed, from commits, and from the words of the files themselves, of the checkout in
    which you stand. If no session was seen there yet, git alone answers. Files that the task's own words name come
    first. The figure is the chance that such work changes the file.
    """
    answer = find_places(here.world, Path.cwd(), repo, task, limit)
    if answer.lacks:
        talk(answer.lacks)
    if is_json:
        print_json(_shape(answer))
        return
    if not answer.places and answer.lacks != NOTHING_KNOWN:
        talk("No file stands out for this task. More words may help: names, errors, parts of a path.")
    for place in answer.places:
        _show(place)


def _show(likely: FoundPlace) -> None:
    path, chance, test = likely.place
    print_text(f"{path}{f' (tests: {test})' if test else ''}", first=f"{chance:.2f}  ", rest="      ")
    if likely.reasons:
        print_text("; ".join(likely.reasons), first="      ", rest="      ")


def _shape(answer: FoundPlaces) -> dict[str, Any]:
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
