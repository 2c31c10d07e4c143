"""Which commits are fixes, by what they say and what they change. Pure.

A commit says so itself (`fix: …`, "Fix the …", "bug", "regression"), takes another one back (a revert), or closes an
issue by the word for it. What is about typing, style, documents, dependencies or a release is none, and neither is what
changes no code. The subject of a merged pull request counts, whichever way it was merged. Words of commits are foreign:
they are looked at, and never followed.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.model.text import is_test, regex
from afterwit.sources.git import Commit, CommittedChange

_CODE = frozenset(
    """astro bash c cc cjs clj cpp cs cts cxx dart ex exs erl fs go gradle groovy h hpp hrl hs java jl js jsx kt kts lua
    m mjs ml mm mts php pl pm ps1 py pyi pyx r rb rs scala sh sql svelte swift ts tsx vb vue zig zsh
    """.split()  # noqa: SIM905
)
_SIDE_FOLDERS = frozenset(
    """.cache .entire .git .gradle .idea .next .nuxt .tox .venv .vscode __pycache__
    __snapshots__ bower_components coverage dist generated node_modules site-packages third_party tmp vendor venv
    """.split()  # noqa: SIM905
)
_SIDE_ROOTS = frozenset(("build", "gen", "logs", "out", "target", "temp"))
_SIDE_NAMES = regex(
    r"""(?ix)(?: change(?:log|s)\b.* | history\.(?:md|rst) | news\.(?:md|rst) | .*\.lock | .*[-.]lock\.\w+ | .*\.lockb
    | go\.sum | npm-shrinkwrap\.json | .*\.(?:log|tmp|bak|orig|rej|map|snap|pyc|class|o|min\.\w+)
    | .*(?:\.generated|\.g|_generated|\.pb|_pb2|_pb2_grpc|\.designer)\.\w+ | zz_generated.*
    | readme(?:\.\w+)* | license(?:\.\w+)? | notice(?:\.\w+)? | authors(?:\.\w+)? | \.env(?:\..*)? | \.ds_store
    | (?:claude|agents|gemini)\.md | version )\Z""",
)
_CONVENTIONAL = regex(r"(?i)(?P<kind>[a-z]{2,12})(?:\((?P<scope>[^()]{0,60})\))?!?:")
_FIXING = frozenset(("fix", "fixes", "fixed", "bugfix", "hotfix", "bug"))
_OTHER_KINDS = frozenset(
    """build bump chore ci cleanup deps doc docs feat feature lint perf refactor release style test tests wip
    """.split()  # noqa: SIM905
)
_SIDE_SCOPES = frozenset(
    """build changelog ci dependencies deps doc docs format formatting github lint readme release style test tests typo
    typos""".split()  # noqa: SIM905
)
_REVERT = regex(r"(?i)^revert(?:ed|s)?\b|^(?:[a-z]+(?:\([^)]*\))?: )?revert\b")
_REVERTED = regex(r"(?i)\bthis reverts commit ([0-9a-f]{7,64})\b")
_WORDS = regex(r"(?i)\b(?:fix(?:es|ed|ing)?|bug ?fix(?:es)?|hot ?fix(?:es)?|bugs?|regressions?)\b")
_NOUN = regex(r"(?i)\b(?:an?|the|about|of|without|each|this|that) (?:\w{1,20} )?fix(?:es)?\b")
_LINKED = regex(r"(?i)\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?#(\d{1,9})\b")
_FIXED_ISSUE = regex(r"(?i)\bfix(?:es|ed)?:?\s+(?:[\w.-]+/[\w.-]+)?#\d")
_ASIDE = regex(
    r"(?i)"
    r"\b(?:typos?|spelling|grammar|wording|white ?space|lint(?:er|ing)?|eslint|ruff|mypy|pyright|prettier|biome|rustfmt"
    r"|gofmt|clippy|shellcheck|code ?style|type hints?|docstrings?|change ?log|readme|release notes?"
    r"|licen[cs]e headers?|dependabot|renovate|merge conflicts?|ci|github actions?|workflow file)\b"
    r"|\bfix(?:es|ed)?:? (?:the )?(?:code )?(?:formatting|imports?|comments?|tests?|flaky tests?|build"
    r"|docs?|links?)\W*$"
    r"|\b(?:various|misc(?:ellaneous)?|assorted|several) (?:\w+ )?fixes\b|\bfix(?:es)? for (?:\w+ ){0,2}tests\b"
    r"|^(?:chore: )?(?:bump|update|upgrade) \S+ (?:from|to) |^(?:release|version|v?\d+\.\d+)\b",
)
_MERGED = regex(r"(?i)^merge (?:pull request|branch|remote-tracking|tag|commit)\b")
_FIX_BRANCH = regex(r"(?i)^merge pull request #\d+ from \S*/(?:bug|hot)?fix(?:es)?[/-]")
_PULL = regex(r"\(#(\d{1,9})\)\s*$|^Merge pull request #(\d{1,9})\b")
_MOST_ISSUES = 8
_MOST_CHARS = 20_000  # of a message that are looked at


class FixSign(StrEnum):
    """By what a commit is known as a fix."""

    MESSAGE = "message"
    REVERT = "revert"
    ISSUE = "issue"
    SESSION = "session"


class FixCommit(NamedTuple):
    """A commit that fixed something."""

    id: str
    parent: str  # "" where this clone does not have it
    at_ms: int
    subject: str
    signs: tuple[FixSign, ...]
    changes: tuple[CommittedChange, ...]
    reverts: str = ""  # the commit that it takes back, as far as it is named
    issues: tuple[int, ...] = ()
    pull: int = 0  # the pull request that brought it

    @property
    def files(self) -> tuple[str, ...]:
        """The code that it changed."""
        return tuple(change.path for change in self.changes if is_code(change.path))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that came with it: added or changed."""
        return tuple(change.path for change in self.changes if change.status != "D" and is_test_code(change.path))


def fix_of(commit: Commit, by_sessions: frozenset[str] = frozenset()) -> FixCommit | None:
    """The fix that a commit is, or None. `by_sessions` are subjects of commits in which sessions ended well that began
    with something broken."""
    subject = subject_of_commit(commit)
    signs = tuple(_signs(subject, commit.message[:_MOST_CHARS], by_sessions))
    if not signs and _FIX_BRANCH.match(commit.subject) and not _ASIDE.search(subject):
        signs = (FixSign.MESSAGE,)
    if not signs or not any(is_code(change.path) for change in commit.changes):
        return None
    message = commit.message[:_MOST_CHARS]
    reverted = _REVERTED.search(message)
    pull = _PULL.search(commit.subject)
    return FixCommit(
        id=commit.id,
        parent=commit.parents[0] if commit.parents else "",
        at_ms=commit.at_ms,
        subject=subject,
        signs=signs,
        changes=commit.changes,
        reverts=reverted[1] if reverted else "",
        issues=tuple(dict.fromkeys(int(number) for number in _LINKED.findall(message)))[:_MOST_ISSUES],
        pull=int(pull[1] or pull[2]) if pull else 0,
    )


def fixes_in(commits: Iterable[Commit], by_sessions: frozenset[str] = frozenset()) -> Iterable[FixCommit]:
    return (fix for commit in commits if (fix := fix_of(commit, by_sessions)) is not None)


def subject_of_commit(commit: Commit) -> str:
    """What a commit is about: its first line, or of a merged pull request the line that names it."""
    lines = [line.strip() for line in commit.message[:_MOST_CHARS].splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].lower().startswith("merge pull request"):
        return lines[1]
    return lines[0] if lines else ""


def subject_key(subject: str) -> str:
    """The same for a subject as it was committed in a session, and as it came into the history: without the number of
    the pull request."""
    return " ".join(_PULL.sub("", subject).casefold().split())


def is_code(path: str) -> bool:
    """Whether a file holds code that is no test."""
    return _suffix(path) in _CODE and not is_test(path) and not is_aside(path)


def is_test_code(path: str) -> bool:
    """Whether a file holds code of tests."""
    return _suffix(path) in _CODE and is_test(path) and not path.startswith("node_modules/")


def is_fixing(subject: str) -> bool:
    """Whether a subject alone says that something is fixed."""
    return bool(_signs(subject, subject, frozenset()))


def _signs(subject: str, message: str, by_sessions: frozenset[str]) -> Sequence[FixSign]:
    if not subject or _MERGED.match(subject):
        return ()
    signs: list[FixSign] = []
    conventional = _CONVENTIONAL.match(subject)
    kind, scope = (conventional["kind"].lower(), (conventional["scope"] or "").lower()) if conventional else ("", "")
    is_revert = bool(_REVERT.match(subject))
    if is_revert and not _is_side(subject):
        signs.append(FixSign.REVERT)
    if kind in _FIXING:
        if scope in _SIDE_SCOPES or _ASIDE.search(subject):
            return ()
        signs.append(FixSign.MESSAGE)
    elif (
        not is_revert
        and kind not in _OTHER_KINDS
        and _WORDS.search(_NOUN.sub("", subject))
        and not _ASIDE.search(subject)
    ):
        signs.append(FixSign.MESSAGE)
    if kind not in _OTHER_KINDS and not _ASIDE.search(subject) and _FIXED_ISSUE.search(message):
        signs.append(FixSign.ISSUE)
    if kind not in _OTHER_KINDS and subject_key(subject) in by_sessions:
        signs.append(FixSign.SESSION)
    return signs


def _is_side(subject: str) -> bool:
    """Whether a revert takes back what was no code: it names the subject of the other commit."""
    inner = subject.partition('"')[2].rstrip('"')
    conventional = _CONVENTIONAL.match(inner)
    return bool(conventional and conventional["kind"].lower() in {"docs", "ci", "style", "release"})


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_aside(path: str) -> bool:
    """Whether a file changes in passing: generated, vendored, ignored, a lock file, a change log, a README."""
    *folders, name = path.lower().split("/")
    is_beside = not _SIDE_FOLDERS.isdisjoint(folders) or (folders[:1] and folders[0] in _SIDE_ROOTS)
    return bool(is_beside or _SIDE_NAMES.match(name))
