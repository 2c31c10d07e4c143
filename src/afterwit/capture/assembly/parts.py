"""What one file says of one session as a whole (when, where, by whom, on what task), what each response cost, and which
of its records are copies.

What is said first stands, except that a title which a person gave beats others. Logs tell the same response several
times, and in pieces: rows of one response merge in any order to the same row. A record whose key another part owns, or
that occurred before in this file, is a copy; which of several parts owns it is settled between files, elsewhere. Of
`AssemblerResume` the order of the fields is the format: bytes that an earlier run has written must be read by this one.
"""

from collections.abc import Callable, Set

import msgspec

from afterwit.capture.assembly.calls import CallOutcome, PendingCall
from afterwit.capture.assembly.texts import TASK_LIMIT, AssemblyContext, beginning
from afterwit.model.captured import PartFacts, SpendRow, key_of
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
        _note_remote_of(part, facts, safe)
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


def _note_remote_of(part: PartFacts, facts: Facts, safe: Safe) -> None:
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


def merge_spends(row: SpendRow, other: SpendRow) -> SpendRow:
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


class AssemblerResume(msgspec.Struct, array_like=True):
    parts: list[PartFacts]
    open_calls: dict[int, PendingCall]
    early: dict[int, CallOutcome]  # results that came before their calls
    owned: list[list[int]]  # per part: the keys of all records read so far
    copied: list[int]
    is_copying: list[bool]
    problems: int

    @property
    def keys(self) -> dict[str, list[int]]:
        """Those of all records that the file was found to hold, by session."""
        return {part.native_id: keys for part, keys in zip(self.parts, self.owned, strict=True)}


class CopiedHistory:
    """The keys of one file's records, and which of its parts is inside a copy. Parts are known by position."""

    def __init__(self, copied: Set[int], state: AssemblerResume) -> None:
        self.copied = copied | set(state.copied)
        self.is_copying = state.is_copying
        self.claims: list[list[int]] = [[] for _ in state.parts]  # per part: the keys that this pass found
        self._owner = {key: number for number, keys in enumerate(state.owned) for key in keys}

    def add_part(self) -> None:
        self.claims.append([])
        self.is_copying.append(False)

    def owned(self) -> list[list[int]]:
        """Per part: the keys of all records read so far."""
        owned: list[list[int]] = [[] for _ in self.claims]
        for key, number in self._owner.items():
            owned[number].append(key)
        return owned

    def is_copy(self, number: int, part: PartFacts, event: Event) -> bool:
        """Whether this record's original is elsewhere."""
        if event.kind in (EventKind.PROMPT, EventKind.CALL) or _is_own_task(part, event):
            key = key_of(event.key or _make_key(part, event))
            self.is_copying[number] = key in self._owner or key in self.copied
            self._claim(number, key)
        return self.is_copying[number]

    def is_own(self, number: int, key: int) -> bool:
        """Whether a record that may come several times counts for this part."""
        self._claim(number, key)
        return key not in self.copied and self._owner[key] == number

    def _claim(self, number: int, key: int) -> None:
        """Notes the record as one that this part holds; who owns it is settled between the parts."""
        if key not in self._owner:
            self._owner[key] = number
            self.claims[number].append(key)


def _is_own_task(part: PartFacts, event: Event) -> bool:
    """What a subagent was told by its parent: where its own history begins, behind a copy of its parent's."""
    return bool(event.key) and is_task(part, event)


def _make_key(part: PartFacts, event: Event) -> str:
    """An identity for a record whose format gives it none: good within its session, also after a rewrite."""
    part.unkeyed += 1
    content = (event.call_id, event.tool, event.arguments, event.text)
    return f"{event.session}#{part.unkeyed}:{content!r}"


def decode_resume(resume: bytes | None) -> AssemblerResume:
    """The state in these bytes, or that of a file of which nothing was read."""
    return (
        msgspec.msgpack.decode(resume, type=AssemblerResume) if resume else AssemblerResume([], {}, {}, [], [], [], 0)
    )
