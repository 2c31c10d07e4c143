"""The digest: one compact record of a session, enough to harvest from after its original is gone.

Everything in it is redacted. Lists are in the order in which things happened; a step is named by its position in
`steps`. The store packs it; `VERSION` says which digester made it. Identity that can change later (the repository, the
user) is not in the stored record: whoever loads one fills it in from the session's row.
"""

import msgspec

from afterwit.model.kinds import FailureClass, NoteKind, Outcome, ResolutionKind, Step, TaskType

VERSION = 6


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    at: int
    failure: FailureClass
    signature: str
    resolution: ResolutionKind = ResolutionKind.UNRESOLVED
    by: int | None = None  # the step whose success shows it
    edits_between: int = 0


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A lint or compiler rule that an output reported."""

    at: int
    id: str
    message: str


class Touched(msgspec.Struct, frozen=True, array_like=True):
    """A file of the repository, or elsewhere where the path begins with a slash."""

    path: str
    reads: int
    changes: int
    symbols: tuple[str, ...] = ()


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something said in words."""

    text: str
    at_ms: int | None = None
    is_person: bool = False


class Publication(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A commit or a pull request."""

    kind: NoteKind
    at: int
    text: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """How the session ended, as far as it can be told."""

    outcome: Outcome
    confidence: float
    reasons: tuple[str, ...] = ()


class Measures(msgspec.Struct, frozen=True, kw_only=True):
    duration_ms: int | None
    first_success_ms: int | None  # from the beginning to the first check of the work that passed
    errors: int
    early_error_rate: float | None  # share of failed actions among the first 30
    tool_diversity: int  # different tools used
    tokens: int
    cost_usd: float | None


class Digest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    agent: str
    native_id: str
    is_tracked: bool = False  # a log of it came with a checkout: nothing is learned from it
    repo: str = ""
    user: str = ""
    relation: str = ""
    parent: str = ""
    versions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    branch: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    title: str = ""
    task: str = ""
    is_partial: bool = False
    task_type: TaskType = TaskType.MIXED
    verdict: Verdict
    kinds: dict[str, int]
    steps: tuple[Step, ...] = ()
    failures: tuple[Failure, ...] = ()
    rules: tuple[Rule, ...] = ()
    files: tuple[Touched, ...] = ()
    skills: tuple[str, ...] = ()
    called: tuple[Said, ...] = ()  # skills that a person called: paths of their texts, or names
    prompts: tuple[Said, ...] = ()
    corrections: tuple[int, ...] = ()  # positions in `prompts`
    denials: tuple[int, ...] = ()  # steps
    publications: tuple[Publication, ...] = ()
    summaries: tuple[str, ...] = ()
    stated: tuple[Said, ...] = ()
    ending: str = ""  # the last reply
    replies: tuple[Said, ...] = ()  # the last one before each later prompt, both its ends
    measures: Measures

    @property
    def unresolved(self) -> tuple[Failure, ...]:
        """Failures still open at the end, without those that nobody had to mend."""
        passed = (FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER)
        is_open = ResolutionKind.UNRESOLVED
        return tuple(
            failure for failure in self.failures if failure.resolution is is_open and failure.failure not in passed
        )
