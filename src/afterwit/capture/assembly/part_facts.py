"""What one file says of one session as a whole (when, where, by whom, on what task), and what each response cost.

The facts grow while the file is read. What is said first stands, except that a title which a person gave beats others.
Texts come in as the log has them and are made safe here, by the function that the caller gives; where a session ran is
judged by the path as it is. Which events are the session's own is decided before.

Logs tell the same response several times, and in pieces: rows of one response merge in any order to the same row.
Figures that mean nothing are brought into the range that sums can hold.
"""

from collections.abc import Callable

from afterwit.capture.assembly.texts import TASK_LIMIT, AssemblyContext, beginning
from afterwit.model.captured import PartFacts, SpendRow
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Spend
from afterwit.redaction.redaction import Redactor
from afterwit.repos.folders import root_name, root_of, user_of
from afterwit.repos.remotes import canonical_remote, last_part, name_key

_MOST_TOKENS = 10**12  # of one response; the sums of a session must fit a row
Safe = Callable[[str], str]
_COUNTED = {
    EventKind.PROMPT: "prompts",
    EventKind.REPLY: "replies",
    EventKind.INTERRUPT: "interrupts",
    EventKind.COMPACTION: "compactions",
    EventKind.MODEL_ERROR: "model_errors",
}


def note_time(part: PartFacts, at_ms: int | None) -> None:
    """The time of any record, copied ones included."""
    if at_ms is not None and (part.first_ms is None or at_ms < part.first_ms):
        part.first_ms = at_ms


def note_own(part: PartFacts, event: Event) -> None:
    """An event of the session's own: its time, its kind, its count."""
    kind, at_ms = event.kind, event.at_ms
    if at_ms is not None:
        if part.started_ms is None or at_ms < part.started_ms:
            part.started_ms = at_ms
        if part.ended_ms is None or at_ms > part.ended_ms:
            part.ended_ms = at_ms
    if kind is not EventKind.NOTICE:
        part.last_kind = str(kind)
        part.end = ""
    counter = _COUNTED.get(kind)
    if counter:
        setattr(part, counter, getattr(part, counter) + 1)


def note_prompt(part: PartFacts, event: Event, body: str) -> None:
    """What a person typed, redacted. The first prompt is the task."""
    if not part.first_prompt:
        part.first_prompt = part.task = beginning(body, TASK_LIMIT)
        part.first_prompt_ms = event.at_ms


def is_task(part: PartFacts, event: Event) -> bool:
    """Whether this is what a subagent was told by its parent: what clients inject begins with a tag or a heading."""
    is_subagent = part.relation == Relation.SUBAGENT
    return is_subagent and event.kind is EventKind.NOTICE and not event.text.lstrip().startswith(("<", "# AGENTS.md"))


def note_place(part: PartFacts, cwd: str, context: AssemblyContext, safe: Safe) -> None:
    """Where the session ran. Identity comes from the path as it is; what is kept of it is redacted."""
    part.cwd, part.root = safe(cwd), safe(root_of(cwd))
    part.is_placeless = part.is_placeless and not root_name(cwd)
    user = user_of(cwd)
    if user:
        names, pseudonym = context.user_names, user_pseudonym(user, context.redactor)
        part.user = names.get(user) or names.get(pseudonym, pseudonym)


def note_facts(part: PartFacts, facts: Facts, safe: Safe) -> None:
    """Everything that is said of a session but its place, which must be known before."""
    if facts.remote and not part.remote:
        _note_remote(part, facts, safe)
    version = safe(facts.version)
    if version and version not in part.versions:
        part.versions.append(version)
    if facts.title and (facts.is_title_manual or not part.is_title_manual):
        part.title, part.is_title_manual = safe(facts.title), facts.is_title_manual
        part.title_at_ms = facts.at_ms or part.title_at_ms
    if facts.branch and not part.branch:
        part.branch_at_ms = facts.at_ms
    for name in ("branch", "parent", "parent_call", "origin", "provider"):
        if not getattr(part, name):
            setattr(part, name, safe(getattr(facts, name)))
    part.is_partial = part.is_partial or facts.is_partial
    if facts.relation and not part.relation:
        part.relation = facts.relation.value
    if facts.end:
        part.end = facts.end.value
    note_time(part, facts.at_ms)


def _note_remote(part: PartFacts, facts: Facts, safe: Safe) -> None:
    """The remote of the checkout. One that the session merely links to counts if the folder has its name."""
    remote = canonical_remote(facts.remote)
    if not facts.is_remote_linked or name_key(last_part(remote)) == name_key(root_name(part.root)):
        part.remote = safe(remote)
        part.is_placeless = part.is_placeless and not part.remote


def user_pseudonym(user: str, redactor: Redactor) -> str:
    """The name under which a user is stored; accounts that belong to nobody keep theirs."""
    return redactor.path(f"/home/{user}/").strip("/").rpartition("/")[2]


def spend_row(part: int, key: int, model: str, spend: Spend) -> SpendRow:
    """The row of a response, under the redacted name of its model."""
    usage = spend.usage
    written = _credible(usage.cache_write)
    return SpendRow(
        part,
        key,
        spend.at_ms,
        model,
        _credible(usage.input),
        _credible(usage.cache_read),
        written,
        _credible(usage.output),
        _credible(usage.reasoning),
        spend.cost_usd,
        min(_credible(usage.cache_write_1h), written),
        spend.is_nested,
    )


def _credible(tokens: int) -> int:
    return tokens if 0 <= tokens <= _MOST_TOKENS else min(max(tokens, 0), _MOST_TOKENS)


def merged_spend(row: SpendRow, other: SpendRow) -> SpendRow:
    """One response read twice, or in pieces: the largest figures count. Commutative and idempotent."""
    times = [at for at in (row.at_ms, other.at_ms) if at is not None]
    costs = [cost for cost in (row.cost_usd, other.cost_usd) if cost is not None]
    return SpendRow(
        row.part,
        row.key,
        min(times, default=None),
        max(row.model, other.model),
        max(row.input, other.input),
        max(row.cache_read, other.cache_read),
        max(row.cache_write, other.cache_write),
        max(row.output, other.output),
        max(row.reasoning, other.reasoning),
        max(costs, default=None),
        max(row.cache_write_1h, other.cache_write_1h),
        row.is_nested and other.is_nested,
    )
