"""A digest as lines for people: how it ended and why, what failed and what made it good, which files, what was said.

Texts arrive redacted. Each list is bounded unless everything is asked for, and says how much more there is. Pure.
"""

from collections.abc import Iterable, Iterator, Sequence

from afterwit.cli.sessions.transcript import Look
from afterwit.cli.terminal.amounts import human_dollars, human_span, human_tokens
from afterwit.cli.terminal.output import human_count
from afterwit.cli.terminal.wrapping import cut
from afterwit.model.digest import Digest, Failure, Touched
from afterwit.model.kinds import ResolutionKind
from afterwit.sessions.filters import one_line

_MOST = 12
_LONGEST = 160
_SYMBOLS = 6


def digest_lines(digest: Digest, look: Look) -> Iterator[str]:
    """The digest, heading first."""
    yield one_line(digest.title or digest.task or "(no prompt)", _LONGEST)
    yield f"{digest.agent} {digest.native_id}"
    yield ""
    for name, value in _facts(digest):
        if value:
            yield _fitted(f"{name:<12}{value}", look)
    for heading, lines in _lists(digest):
        if lines:
            yield ""
            yield heading
            yield from _bounded(lines, look)


def _facts(digest: Digest) -> Iterator[tuple[str, str]]:
    verdict, measures = digest.verdict, digest.measures
    confidence = f" ({verdict.confidence:.2f})" if verdict.confidence else ""
    yield "outcome", f"{verdict.outcome}{confidence}: {'; '.join(verdict.reasons)}"
    yield "task type", digest.task_type
    yield "repository", digest.repo
    yield "actions", ", ".join(f"{count} {kind}" for kind, count in digest.kinds.items())
    yield "errors", f"{measures.errors}{_share(measures.early_error_rate)}"
    yield "took", human_span(measures.duration_ms)
    yield "first pass", human_span(measures.first_success_ms)
    yield "tokens", human_tokens(measures.tokens) if measures.tokens else ""
    yield "cost", human_dollars(measures.cost_usd) if measures.cost_usd else ""
    yield "skills", ", ".join(digest.skills)


def _share(rate: float | None) -> str:
    return f" ({rate:.0%} of the first 30 actions)" if rate else ""


def _lists(digest: Digest) -> Iterator[tuple[str, list[str]]]:
    yield "failures", [line for failure in digest.failures for line in _failure(digest, failure)]
    yield "rules reported", list(dict.fromkeys(f"{rule.id}  {rule.message}" for rule in digest.rules))
    yield "files", [_file(touched) for touched in digest.files]
    yield "corrections", [digest.prompts[at].text for at in digest.corrections]
    yield "denied", [f"{digest.steps[at].tool} {digest.steps[at].target}" for at in digest.denials]
    yield "stated", [f"{'person' if said.is_person else 'agent'}: {said.text}" for said in digest.stated]
    yield "published", [f"{publication.kind}: {publication.text}" for publication in digest.publications]
    yield "summaries", list(digest.summaries)


def _failure(digest: Digest, failure: Failure) -> list[str]:
    lines = [f"{failure.at:>4}  {failure.failure:<13} {failure.signature}"]
    if failure.resolution is not ResolutionKind.UNRESOLVED and failure.by is not None:
        lines.append(
            f"      → {failure.resolution} by {failure.by}: {one_line(digest.steps[failure.by].target, _LONGEST)}"
        )
    return lines


def _file(touched: Touched) -> str:
    counts = [f"{number} {name}" for number, name in ((touched.reads, "read"), (touched.changes, "changed")) if number]
    symbols = f"  {' '.join(touched.symbols[:_SYMBOLS])}" if touched.symbols else ""
    return f"{touched.path}  ({', '.join(counts)}){symbols}"


def _bounded(lines: Sequence[str], look: Look) -> Iterable[str]:
    shown = lines if look.is_full else lines[:_MOST]
    for line in shown:
        yield _fitted(f"  {line if line.startswith(' ') else one_line(line, _LONGEST)}", look)
    if len(shown) < len(lines):
        yield f"  … {human_count(len(lines) - len(shown), 'more line')}; --full shows all"


def _fitted(line: str, look: Look) -> str:
    flat = line.replace("\n", " ")
    return cut(flat, look.width) if look.width else flat
