"""`afterwit recall`: what a session would be told here."""

from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.completing import repo_names
from afterwit.cli.terminal.options import AgentName, Here, refuse_unknown, reporting
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
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
    shell_complete=repo_names,
)
@click.option("--agent", type=AgentName(), metavar="AGENT", default="", help="As this agent would get it.")
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
    if not blocks.start.text and not blocks.prompt.text:
        talk(f"Nothing to say {_where(blocks)}. `afterwit knowledge list --all` shows all notes.")
    for text in filter(None, (blocks.start.text, blocks.prompt.text)):
        print_text(text)
        print_line("")
    if is_explained:
        _explain(blocks)


def _where(blocks: ToldBlocks) -> str:
    return f"in {blocks.repo}" if blocks.repo else "here, where no session was seen yet"


def _explain(blocks: ToldBlocks) -> None:
    for item in blocks.start.items:
        sure, spared = f"confidence {item.confidence:.2f}", f"{blocks.worth[item.id]:.2f} actions"
        print_text(f"{item.id}  {item.reason}, {sure}, expected to spare {spared}", first="in   ", rest="     ")
    for name in blocks.prompt.items:
        print_line(f"in   {name}  fits the task")
    for item, why in blocks.start.left_out:
        print_text(f"{item.id}  {why}: {item.sentence}", first="out  ", rest="     ")


def _shape(blocks: ToldBlocks) -> dict[str, Any]:
    return {
        "repo": blocks.repo,
        "agent": blocks.agent,
        "start": {
            "text": blocks.start.text,
            "items": [
                {"id": item.id, "confidence": item.confidence, "expected_saving": round(blocks.worth[item.id], 3)}
                for item in blocks.start.items
            ],
            "left_out": [{"id": item.id, "reason": why} for item, why in blocks.start.left_out],
        },
        "prompt": {
            "text": blocks.prompt.text,
            "items": list(blocks.prompt.items),
            "files": list(blocks.prompt.files),
        },
    }
