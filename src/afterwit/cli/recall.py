"""`afterwit recall`: what a session would be told here."""

from pathlib import Path
from typing import Any

import click

from afterwit.cli.commands import Command
from afterwit.cli.terminal.agent_names import AgentName, refuse_unknown
from afterwit.cli.terminal.options import Here, as_json, in_place
from afterwit.cli.terminal.output import print_json, print_line, print_text, talk
from afterwit.recall.recall import ToldBlocks, recalled


@click.command(
    cls=Command,
    examples=(
        "afterwit recall",
        'afterwit recall --task "make the importer skip empty rows"',
        "afterwit recall --repo orchard --agent codex --explain",
    ),
)
@click.option("--task", metavar="TEXT", help="Show the block for a first prompt like this, too.")
@click.option("--repo", metavar="NAME", help="For this repository, instead of that of the present folder.")
@click.option("--agent", type=AgentName(), metavar="AGENT", default="", help="As this agent would get it.")
@click.option(
    "--budget",
    type=click.IntRange(min=100, max=2000),
    metavar="TOKENS",
    help="So many tokens for the start block. Default: what the configuration says.",
)
@click.option("--explain", "is_explained", is_flag=True, help="Say why each item is in, and what was left out.")
@as_json
@in_place
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

    The block for its start and, with a task, that for its first prompt. Nothing is held out here: this is all that
    could be said. Agents get it between markers.
    """
    refuse_unknown(filter(None, [agent]), here.world.declared, "--agent")
    found = recalled(here.world, Path.cwd(), repo, agent, task or "", budget)
    if is_json:
        print_json(_shape(found))
        return
    if not found.start.text and not found.prompt.text:
        talk(f"Nothing to say {_where(found)}. `afterwit knowledge list --all` shows what is known anywhere.")
    for text in filter(None, (found.start.text, found.prompt.text)):
        print_text(text)
        print_line("")
    if is_explained:
        _explain(found)


def _where(found: ToldBlocks) -> str:
    return f"in {found.repo}" if found.repo else "here, where no session was seen yet"


def _explain(found: ToldBlocks) -> None:
    for item in found.start.items:
        believed, spared = f"confidence {item.confidence:.2f}", f"{found.worth[item.id]:.2f} actions"
        print_text(f"{item.id}  {item.reason}, {believed}, expected to spare {spared}", first="in   ", rest="     ")
    for name in found.prompt.items:
        print_line(f"in   {name}  fits the task")
    for item, why in found.start.left_out:
        print_text(f"{item.id}  {why}: {item.sentence}", first="out  ", rest="     ")


def _shape(found: ToldBlocks) -> dict[str, Any]:
    return {
        "repo": found.repo,
        "agent": found.agent,
        "start": {
            "text": found.start.text,
            "items": [
                {"id": item.id, "confidence": item.confidence, "expected_saving": round(found.worth[item.id], 3)}
                for item in found.start.items
            ],
            "left_out": [{"id": item.id, "reason": why} for item, why in found.start.left_out],
        },
        "prompt": {
            "text": found.prompt.text,
            "items": list(found.prompt.items),
            "files": list(found.prompt.files),
        },
    }
