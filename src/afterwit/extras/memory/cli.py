"""`afterwit memory`: what users and agents want to be remembered."""

import json
import sys
from typing import Any

import click
import msgspec

from afterwit.cli.commands import ExitCode, LazyGroup, command
from afterwit.cli.terminal.options import Here, agreed, in_place, many, reporting
from afterwit.cli.terminal.output import ask_or_leave, print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.config.extras import Subcommand
from afterwit.extras.memory.api import Info, Memory, info
from afterwit.extras.memory.api import memory as open_memory
from afterwit.extras.memory.checks import PASSED, Evaluated
from afterwit.extras.memory.evaluate import SIZES, Evaluation, evaluate
from afterwit.extras.memory.registry import names
from afterwit.extras.memory.tool import ToolError
from afterwit.model.figures import human_count
from afterwit.model.memory_entry import MOST_HITS, PERSON, STORED_BY, Plain, is_persons

COMMANDS = {
    "store": Subcommand(".cli:store", "Remember something under a key."),
    "retrieve": Subcommand(".cli:retrieve", "Show what is remembered under a key."),
    "query": Subcommand(".cli:query", "Find what is remembered, by words."),
    "list": Subcommand(".cli:list_keys", "List the keys."),
    "delete": Subcommand(".cli:delete", "Forget what is remembered under a key."),
    "info": Subcommand(".cli:show_info", "Show which backend is in use, who sees the data, what waits."),
    "evaluate": Subcommand(".cli:evaluate_backends", "Measure the backends, and recommend one."),
    "call": Subcommand(".cli:call", "Answer one call of the tool for agents, as JSON."),
}


@click.group(cls=LazyGroup, package=__package__, entries=COMMANDS)
def memory() -> None:
    """Remember what users and agents prefer, across sessions."""


_HITS = (Column("key", most=40), Column("value", takes_rest=True))
_as_user = click.option("--user", metavar="NAME", help="Whose memory. Default: memory.user, else the login name.")
_WRITE_EXITS = {
    ExitCode.PARTLY_DONE: "The backend failed: the write is kept on this machine and delivered by a later command."
}


def _say_reason(reason: str) -> None:
    """Tells why an answer comes from this machine's own entries and writes that wait."""
    if reason:
        talk(f"{reason}\nThe answer comes from what this machine holds.")


def _end_waiting(reason: str) -> None:
    """Ends the command whose write waits."""
    talk(f"{reason}\nThe write is kept on this machine and delivered by a later `afterwit memory` command.")
    raise click.exceptions.Exit(ExitCode.PARTLY_DONE)


@command(
    examples=(
        'afterwit memory store preference.indent "two spaces in YAML"',
        'afterwit memory store testing.runner "make test" --meta repo=orchard --meta count=3',
    ),
    exits=_WRITE_EXITS,
)
@click.argument("key")
@click.argument("value")
@many("--meta", "metadata", "NAME=VALUE", "Keep this beside it: a text, number, true or false.")
@_as_user
@reporting
def store(here: Here, key: str, value: str, metadata: tuple[str, ...], user: str | None, is_json: bool) -> None:
    """Remember something under a key.

    Storing again under the same key replaces it. What an agent stored becomes yours that way: only what you stored is
    given to agents as it stands. `-` as the value reads it from standard input. It is kept as it is,
    and nothing in it is redacted: store no secrets.
    """
    text = sys.stdin.read().strip("\n") if value == "-" else value
    with open_memory(here.world, user) as mine:
        stored = mine.store(key, text, {**dict(map(_pair, metadata)), STORED_BY: PERSON})
    if is_json:
        print_json(stored)
    if stored.is_waiting:
        _end_waiting(stored.reason)
    if not is_json:
        talk(f"Stored {key}.")


def _pair(text: str) -> tuple[str, Plain]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise click.BadParameter(f"{text!r} is not like NAME=VALUE.", param_hint="--meta")
    try:
        plain = json.loads(value)
    except ValueError:
        return name, value
    return name, plain if isinstance(plain, str | int | float | bool) or plain is None else value


@command(
    examples=("afterwit memory retrieve preference.indent", "afterwit memory retrieve preference.indent --json"),
    exits={ExitCode.FAILED: "Nothing is remembered under that key."},
)
@click.argument("key")
@_as_user
@reporting
def retrieve(here: Here, key: str, user: str | None, is_json: bool) -> None:
    """Show what is remembered under a key."""
    with open_memory(here.world, user) as mine:
        answer = mine.retrieve(key)
    if is_json:
        print_json(answer)
    elif answer.entry:
        print_line(answer.entry.value)
    if answer.entry and not is_persons(answer.entry.metadata):
        talk(f"No person stored this. `afterwit memory store {key} VALUE` makes it yours; agents get it quoted.")
    _say_reason(answer.reason)
    if answer.entry is None:
        talk(f"Nothing is remembered under {key}. `afterwit memory list` shows the keys.")
        raise click.exceptions.Exit(ExitCode.FAILED)


@command(examples=("afterwit memory query running tests", "afterwit memory query indent --limit 3 --json"))
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, MOST_HITS), default=10, show_default=True, help="At most so many.")
@_as_user
@reporting
def query(here: Here, words: tuple[str, ...], limit: int, user: str | None, is_json: bool) -> None:
    """Find what is remembered, by words.

    In any form and order; what fits best comes first.
    """
    with open_memory(here.world, user) as mine:
        answer = mine.query(" ".join(words), limit)
    if is_json:
        print_json(answer)
    elif answer.hits:
        print_table(_HITS, [(hit.entry.key, " ".join(hit.entry.value.split())) for hit in answer.hits])
    else:
        talk("Nothing that is remembered has any of these words.")
    _say_reason(answer.reason)


@command("list", examples=("afterwit memory list", "afterwit memory list --prefix preference."))
@click.option("--prefix", default="", metavar="TEXT", help="Only keys that begin so.")
@_as_user
@reporting
def list_keys(here: Here, prefix: str, user: str | None, is_json: bool) -> None:
    """List the keys."""
    with open_memory(here.world, user) as mine:
        answer = mine.keys(prefix)
    if is_json:
        print_json(answer)
    else:
        for key in answer.keys:
            print_line(key)
        if not answer.keys:
            talk("Nothing is remembered yet. `afterwit memory store KEY VALUE` remembers something.")
    _say_reason(answer.reason)


@command(
    examples=("afterwit memory delete preference.indent", "afterwit memory delete preference.indent --yes"),
    exits={**_WRITE_EXITS, ExitCode.FAILED: "Nothing is remembered under that key, or the answer was no."},
)
@click.argument("key")
@agreed
@_as_user
@reporting
def delete(here: Here, key: str, is_agreed: bool, user: str | None, is_json: bool) -> None:
    """Forget what is remembered under a key.

    Shows it first, and asks. Storing it again brings it back.
    """
    with open_memory(here.world, user) as mine:
        if not is_agreed:
            _ask(mine, key)
        deleted = mine.delete(key)
    if is_json:
        print_json(deleted)
    if deleted.is_waiting:
        _end_waiting(deleted.reason)
    if not deleted.is_deleted:
        talk(f"Nothing is remembered under {key}. `afterwit memory list` shows the keys.")
        raise click.exceptions.Exit(ExitCode.FAILED)
    if not is_json:
        talk(f"Forgot {key}.")


def _ask(mine: Memory, key: str) -> None:
    entry = mine.retrieve(key).entry if sys.stdin.isatty() else None
    if entry:
        talk(f"{key}: {entry.value}")
    ask_or_leave("Forget this?", "Add --yes.")


@command("info", examples=("afterwit memory info", "afterwit memory info --json"))
@_as_user
@reporting
def show_info(here: Here, user: str | None, is_json: bool) -> None:
    """Show which backend is in use, who sees the data, what waits.

    Tries to deliver what waits.
    """
    about = info(here.world, user)
    if is_json:
        print_json(about)
    else:
        _show_info(about)


def _show_info(about: Info) -> None:
    state = "available" if about.is_available else "not available"
    print_line(f"backend  {about.backend} ({about.source}), {state}")
    print_line(f"user     {about.user}")
    print_line(f"privacy  {'Data leave this machine. ' if about.leaves_machine else ''}{about.privacy}")
    for operation, why in about.unsupported.items():
        print_line(f"cannot   {operation}: {why}")
    for backend, count in about.waiting.items():
        print_line(f"waiting  {human_count(count, 'write')} for {backend}")
    for write in about.set_aside:
        print_line(f"refused  {write.key} of {write.user}: {write.reason}")
    if about.reason:
        talk(about.reason)


@command(
    examples=("""echo '{"action": "query", "text": "indent"}' | afterwit memory call""",),
)
@in_place
def call(here: Here) -> None:
    """Answer one call of the memory tool, for a plugin of an agent.

    Reads the arguments as a JSON object on standard input, and prints a JSON object whose `text` is for the model. The
    same tool as the MCP server's. An error is told on standard error, in words for the model.
    """
    from afterwit.extras.memory.tool import answer

    print_json({"text": answer(here.world, _arguments(), "hermes")})


def _arguments() -> dict[str, Any]:
    try:
        return msgspec.json.decode(sys.stdin.buffer.read(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise ToolError(
            f'The arguments must be a JSON object on standard input, such as {{"action": "list"}}; {error}.'
        ) from error


_LATENCIES = (
    Column("backend"),
    Column("entries", is_number=True),
    Column("operation"),
    Column("p50 ms", is_number=True),
    Column("p95 ms", is_number=True),
)


@command(
    "evaluate",
    examples=(
        "afterwit memory evaluate",
        "afterwit memory evaluate --backend local --entries 1000 --json",
    ),
)
@many("--backend", "backends", "NAME", "Only this one; can be repeated.")
@click.option(
    "--entries",
    "sizes",
    multiple=True,
    type=click.IntRange(10, 1_000_000),
    help="Measure latency with so many entries; can be repeated. Default: 1,000 and 100,000.",
)
@reporting
def evaluate_backends(here: Here, backends: tuple[str, ...], sizes: tuple[int, ...], is_json: bool) -> None:
    """Measure the backends, and recommend one.

    Latency, functionality, relevance of queries on a labelled set, privacy, what becomes of writes under faults, cost;
    a score out of 100, and in plain words whether a backend is recommended (from 80 on), acceptable (60), marginal (40)
    or not recommended. Works on entries of its own and removes them. A backend that is configured and elsewhere gets
    invented entries only.
    """
    for name in backends:
        if name not in names():
            raise click.BadParameter(f"{name!r} is none of {', '.join(names())}.", param_hint="--backend")
    result = evaluate(here.world, backends, sorted(sizes) or SIZES, talk)
    if is_json:
        print_json(result)
    else:
        _show_evaluation(result)


def _show_evaluation(result: Evaluation) -> None:
    columns = [Column("backend"), Column("score", is_number=True), Column("verdict")]
    columns += [Column(f"{name} {weight:g}", is_number=True) for name, weight in result.weights.items()]
    columns += [Column("recall@5", is_number=True, gives_way=2), Column("data leave", gives_way=1)]
    print_table(columns, [_evaluation_row(backend, result) for backend in result.backends if backend.score is not None])
    latencies = [
        (backend.backend, f"{row.entries:,}", row.operation, f"{row.p50_ms:.2f}", f"{row.p95_ms:.2f}")
        for backend in result.backends
        for row in backend.latencies
    ]
    if latencies:
        print_line("")
        print_table(_LATENCIES, latencies)
    print_line("")
    for backend in result.backends:
        for line in _remarks(backend):
            print_line(f"{backend.backend}: {line}")
    print_line("")
    print_line(result.recommendation)


def _evaluation_row(backend: Evaluated, result: Evaluation) -> tuple[str, ...]:
    parts = tuple(f"{weight * backend.parts[name]:.1f}" for name, weight in result.weights.items())
    recall = f"{backend.relevance.recall_at_5:.2f}" if backend.relevance else ""
    return (
        backend.backend,
        f"{backend.score:.0f}",
        backend.verdict,
        *parts,
        recall,
        "yes" if backend.leaves_machine else "no",
    )


def _remarks(backend: Evaluated) -> list[str]:
    if not backend.is_configured:
        return [f"not configured. {backend.reason}"]
    remarks = [backend.reason] if backend.reason else []
    remarks += [
        f"{name}: {outcome}"
        for name, outcome in {**backend.functionality, **backend.faults}.items()
        if outcome != PASSED
    ]
    if backend.functionality:
        good = sum(outcome == PASSED for outcome in backend.functionality.values())
        remarks.append(f"{good} of {len(backend.functionality)} checks of functionality passed.")
        survived = sum(outcome == PASSED for outcome in backend.faults.values())
        remarks.append(f"{survived} of {len(backend.faults)} faults survived without a loss.")
    return [*remarks, *([backend.cost] if backend.cost else [])]
