"""`afterwit memory evaluate`: measures the backends, and recommends one."""

import click

from afterwit.cli.commands import command
from afterwit.cli.terminal.options import Here, many, reporting
from afterwit.cli.terminal.output import print_json, print_line, talk
from afterwit.cli.terminal.table import Column, print_table
from afterwit.extras.memory import evaluate as memory_evaluate
from afterwit.extras.memory.checks import PASSED, WEIGHTS, Evaluated
from afterwit.extras.memory.evaluate import SIZES, Evaluation
from afterwit.extras.memory.registry import names

_LATENCIES = (
    Column("backend"),
    Column("entries", is_number=True),
    Column("operation"),
    Column("p50 ms", is_number=True),
    Column("p95 ms", is_number=True),
)


@command(
    examples=(
        "afterwit memory evaluate",
        "afterwit memory evaluate --backend local --entries 1000 --json",
        "afterwit memory evaluate --weight privacy=60",
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
@many("--weight", "weights", "PART=NUMBER", f"Of {', '.join(WEIGHTS)}; can be repeated.")
@reporting
def evaluate(
    here: Here, backends: tuple[str, ...], sizes: tuple[int, ...], weights: tuple[str, ...], is_json: bool
) -> None:
    """Measure the backends, and recommend one.

    Latency, functionality, relevance of queries on a labelled set, privacy, what becomes of writes under faults, cost;
    a score out of 100, and in plain words whether a backend is recommended (from 80 on), acceptable (60), marginal (40)
    or not recommended. Works on entries of its own and removes them. A backend that is configured and elsewhere gets
    invented entries only.
    """
    for name in backends:
        if name not in names():
            raise click.BadParameter(f"{name!r} is none of {', '.join(names())}.", param_hint="--backend")
    result = memory_evaluate.evaluate(here.world, backends, sorted(sizes) or SIZES, _weights(weights), talk)
    if is_json:
        print_json(result)
    else:
        _show(result)


def _weights(texts: tuple[str, ...]) -> dict[str, float]:
    weights = dict(WEIGHTS)
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if name not in WEIGHTS or not 0 <= value <= 1_000:
            raise click.BadParameter(f"{text!r} is not like privacy=40.", param_hint="--weight")
        weights[name] = value
    if not sum(weights.values()):
        raise click.BadParameter("All weights are 0.", param_hint="--weight")
    return weights


def _show(result: Evaluation) -> None:
    columns = [Column("backend"), Column("score", is_number=True), Column("verdict")]
    columns += [Column(f"{name} {weight:g}", is_number=True) for name, weight in result.weights.items()]
    columns += [Column("recall@5", is_number=True, gives_way=2), Column("data leave", gives_way=1)]
    print_table(columns, [_row(backend, result) for backend in result.backends if backend.score is not None])
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


def _row(backend: Evaluated, result: Evaluation) -> tuple[str, ...]:
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
