"""Commands as a repository's sessions run them: without what belongs to the moment, and in which folder.

`form_of` gives a command's general form: wrappers of a sandbox, chatter options and settings of one machine are
dropped, and where the command was aimed at some files or tests, they stand as `<path>` and the form is a *part*.
`runs_in` gives every run of a digest that has a purpose and of which is known where it ran, with whether the command
ran at all: tests that fail are the work, not a fault of the command, and an exit code that a pipe hides says nothing.
What the runs teach is left to the harvesters.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import NamedTuple, TypeVar

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.actions.shell.tree import Command, folder_after
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.purposes import Purpose, purpose_of
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass, Status, Step
from afterwit.model.knowledge import EXCERPT_LIMIT
from afterwit.model.text import regex
from afterwit.redaction.markers import PLACEHOLDER

Look = TypeVar("Look")
PART = "<path>"
_NAME = "<name>"
_TELLING_FLAGS = names("--fix --write -w -l -i -a -A --check --noEmit --autocorrect -race --diff")
_KEPT_WRAPPERS = (
    "uv run", "uvx", "npx", "bunx", "bun x", "pnpx", "npm exec", "pnpm dlx", "pnpm exec", "yarn dlx", "yarn exec",
    "poetry run", "pipenv run", "pdm run", "rye run", "pixi run", "hatch run", "bundle exec", "mise exec", "mise x",
    "direnv exec", "pipx run", "uv tool run", "xvfb-run",
)  # fmt: skip
_CHATTER = names(
    "-v -vv -vvv --verbose -q -qq --quiet --silent -s --pretty --no-pretty --color --colors --no-color --tb --maxfail"
    " -x --bail --timeout -timeout -count --reporter --progress --no-progress --no-header --output-format --log-level"
    " --max-warnings --stacktrace --info --console --show-error-codes --yes -y --max-diagnostics --diagnostic-level"
    " --show-stats --nocapture --failfast --no-fail-fast --cache --no-cache --no-coverage --rerun-tasks --if-present"
)
_CHATTER_VALUES = names(
    "--tb --maxfail --timeout -timeout -count --reporter --color --output-format --log-level --max-warnings --console"
    " --max-diagnostics --diagnostic-level"
)
_SELECTS = names(
    "-run -k -t -m -g --grep --testNamePattern --testPathPattern --testPathPatterns --test-name-pattern --tests"
    " --filter -F --only --test --testcase -Dtest -Dit.test -bench --example -e --plain-name --name -p --package"
    " --workspace -w --lib --bin --project -pl --config -c --focus --last-failed --lf"
)
_TASK_OPTIONS = {
    **dict.fromkeys(("gofmt", "goimports", "gofumpt", "shfmt", "prettier"), ("-w",)),
    "tox": ("-e",),
    "nox": ("-s", "-e"),
}
_PATH = regex(r".*/.+/.*\S|.*/[^/.]|.*\.\w{1,8}(?::.*)?\Z|.*::")
_GENERAL_PATH = regex(r"\.?/?\.{3}|\.{1,2}/?|(?:\./)?[\w.-]{1,30}/?(?:\.{3})?|//\.{3}|:?[\w:-]{1,40}")
_ODD = regex(r"[\s|^$*\[\]{}()<>\"'`\\;&=,]|\d{3}")
_LOCAL = regex(r"^[/~$]|/tmp\b|^file:")
_SAFE = regex(r"(?a)[\w@+=:,./~<> -]+")
_PRIVATE = regex(r"TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|USER|EMAIL|CACHE|HOME")
_ABSOLUTE = ("/", "~")
_MOVES = regex(r"(?<![\w-])(?:cd|pushd|popd)(?![\w-])")
_MOST_WORDS = 8
_LONGEST = 80


def once_per_digest(look: Callable[[Digest], Look]) -> Callable[[Digest], Look]:
    """The same function; it remembers what it gave for the last digest."""
    last: list[tuple[Digest, Look]] = []

    @wraps(look)
    def remembered(digest: Digest) -> Look:
        if not last or last[0][0] is not digest:
            last[:] = [(digest, look(digest))]
        return last[0][1]

    return remembered


class CommandForm(NamedTuple):
    text: str
    is_part: bool = False  # aimed at some files or tests


class CommandRun(NamedTuple):
    at: int
    purpose: Purpose
    form: CommandForm
    folder: str  # below the repository, "" for its root
    ran: bool | None  # None: cannot be told
    passed: bool | None  # and it had nothing to complain of
    duration_ms: int | None  # where nothing else ran in the line

    @property
    def line(self) -> str:
        """What to type at the repository's root."""
        return line_in(self.folder, self.form.text)


def line_in(folder: str, command: str) -> str:
    return f"cd {folder} && {command}" if folder else command


def form_of(command: Command) -> CommandForm | None:
    """The general form; None where nothing general is left."""
    head, kept = _head(command), _general(command)
    if kept.has_path:
        words = [*command.subcommand.split(), *(word for word in kept.words if word in _TELLING_FLAGS)]
        shown = [*head, *dict.fromkeys(words), PART]
    else:
        shown = [*head, *kept.words]
    settings = [f"{name}={value}" for name, value in command.assignments if not _is_own(name, value)]
    text = " ".join((*settings[:2], *shown))
    fits = len(shown) <= _MOST_WORDS and len(text) <= _LONGEST and _SAFE.fullmatch(text)
    return CommandForm(text, kept.has_path or kept.selects) if fits else None


class _Kept(NamedTuple):
    """The arguments that are general, and what the others did."""

    words: list[str]
    has_path: bool
    selects: bool


def _general(command: Command) -> _Kept:
    words: list[str] = []
    has_path = selects = skips = False
    for word in command.arguments:
        name = word.partition("=")[0]
        if skips:
            skips = False
        elif _names_task(word, command):
            words.append(word)
        elif name in _CHATTER:
            skips = name in _CHATTER_VALUES and "=" not in word
        elif name in _SELECTS:
            selects, skips = True, "=" not in word
            words += [name, _NAME]
        elif _is_of_moment(word) and word not in command.subcommand.split():
            has_path = True
        else:
            words.append(word)
    return _Kept(words, has_path, selects)


def _head(command: Command) -> list[str]:
    """What stands before the arguments: the wrappers that belong to the project, and the program."""
    texts = [word.text for word in command.words]
    at = max(len(texts) - len(command.arguments) - 1, 0)
    wrappers = {wrapper.split()[0] for wrapper in _KEPT_WRAPPERS if wrapper in command.wrappers}
    start = next((place for place, text in enumerate(texts[:at]) if text in wrappers), at)
    program = texts[at] if texts else command.program
    return [*texts[start:at], command.program if _LOCAL.match(program) else program]


def _names_task(word: str, command: Command) -> bool:
    """Whether an option says what is run, not on which part: `-m pytest`, `tox -e lint`, `gofmt -w`."""
    is_module = word == "-m" and command.subcommand.startswith("-m ")
    return is_module or word in _TASK_OPTIONS.get(command.program, ())


def _is_of_moment(word: str) -> bool:
    """Whether a word names some files, tests or values of the task at hand."""
    if word.startswith("-"):
        name, _, value = word.partition("=")
        return bool(_ODD.search(name) or _ODD.search(value) or _LOCAL.search(value))
    if _GENERAL_PATH.fullmatch(word) and not re.search(r"\.\w{1,6}\Z", word.rstrip(".")):
        return False
    return bool(_PATH.match(word) or _ODD.search(word))


def _is_own(name: str, value: str) -> bool:
    """Whether a setting belongs to one machine or person."""
    return bool(_PRIVATE.search(name) or _LOCAL.search(value) or _ODD.search(value) or PLACEHOLDER.search(value))


@once_per_digest
def runs_in(digest: Digest) -> tuple[CommandRun, ...]:
    return tuple(_runs(digest))


def _runs(digest: Digest) -> Iterator[CommandRun]:
    roots = roots_of(digest)
    ends = {step.started_by: at for at, step in enumerate(digest.steps) if step.started_by is not None}
    has_moved = False
    for at, step in enumerate(digest.steps):
        is_start = step.kind is ActionKind.SHELL and step.started_by is None
        for meant in _purposeful_commands(step.target) if is_start else ():
            is_placed = meant.folder.startswith(_ABSOLUTE) or (not has_moved and _is_at_root(meant.folder, digest))
            folder = folder_below(meant.folder, digest.repo, roots) if is_placed else None
            if folder is not None:
                end = ends.get(at, at)
                ran, passed = _how(digest, end, meant)
                took = _duration(digest, at, end) if meant.is_alone else None
                yield CommandRun(at, meant.purpose, meant.form, folder, ran, passed, took)
        left_in = _folder_left_in(step.target) if is_start else ""
        if left_in:
            has_moved = bool(folder_below(left_in, digest.repo, roots))


def _is_at_root(folder: str, digest: Digest) -> bool:
    """Whether a folder is known to lie in the repository's root: the session may have stood elsewhere."""
    return not folder or any(file.path.startswith(f"{folder.removeprefix('./').rstrip('/')}/") for file in digest.files)


class _Meant(NamedTuple):
    """A command of a line, and what it is run for."""

    purpose: Purpose
    form: CommandForm
    folder: str
    is_alone: bool  # nothing else in the line does any work
    is_reported: bool  # it cannot fail without the line failing


@lru_cache(maxsize=1024)
def _purposeful_commands(target: str) -> tuple[_Meant, ...]:
    """The commands of a line that have a purpose. Several harvesters ask for the same lines, one after the other."""
    line = parsed(target)
    is_alone = sum(command.weight is Weight.WORKS for command in line.commands) <= 1
    meant = ((purpose, form_of(command), command) for command in line.commands if (purpose := purpose_of(command)))
    return tuple(
        _Meant(purpose, form, command.folder, is_alone, command.number in line.reporting)
        for purpose, form, command in meant
        if form
    )


@lru_cache(maxsize=1024)
def _folder_left_in(target: str) -> str:
    """The folder in which a line leaves its shell; "" where it stays. The shells of some agents stay there, those of
    others begin anew, so nothing is known of where the next line runs."""
    if not _MOVES.search(target):
        return ""
    stages = [pipeline.stages[0] for pipeline in parsed(target).body if len(pipeline.stages) == 1]
    last = next((stage for stage in reversed(stages) if isinstance(stage, Command)), None)
    return folder_after(last, is_stage=False) if last else ""


def _duration(digest: Digest, at: int, end: int) -> int | None:
    """How long a command took that began at one step and was seen to end at another."""
    first, last = digest.steps[at], digest.steps[end]
    if end == at:
        return first.duration_ms
    if first.at_s is None or last.at_s is None:
        return None
    return (last.at_s - first.at_s) * 1000 + (last.duration_ms or 0)


def _how(digest: Digest, at: int, meant: _Meant) -> tuple[bool | None, bool | None]:
    """Whether a command ran and passed. A hidden exit code says nothing, unless the output shows that it could not."""
    step = digest.steps[at]
    if step.status is Status.SUCCEEDED:
        return (True, True) if meant.is_reported else (None, None)
    if not step.has_failed:
        return None, None
    failure = _class_of(digest, at)
    if failure is FailureClass.WORK and step.status is Status.FAILED:
        return True, False if meant.is_alone else None
    if failure in (FailureClass.INVOCATION, FailureClass.ENVIRONMENT) and meant.is_alone:
        return False, False
    return None, None


def _class_of(digest: Digest, at: int) -> FailureClass:
    named = next((failure.failure for failure in digest.failures if failure.at == at), None)
    if named is not None:
        return named
    step = digest.steps[at]
    whole = Step(step.kind, step.tool, step.target, Status.FAILED, None, step.exit_code, error=step.error)
    return classify(whole, command_of(digest.steps, at), rules=any(rule.at == at for rule in digest.rules))


@once_per_digest
def roots_of(digest: Digest) -> frozenset[str]:
    """Folders in which the session had the repository: where a changed file's path, taken off its whole path, ends."""
    return frozenset(
        step.target.removesuffix(step.files[0]).rstrip("/")
        for step in digest.steps
        if step.kind in CHANGES and len(step.files) == 1 and step.target.endswith(f"/{step.files[0]}")
    )


def folder_below(folder: str, repo: str, roots: frozenset[str]) -> str | None:
    """A folder as a path below the repository; None where it lies elsewhere or cannot be told."""
    folder = folder.rstrip("/").removeprefix("./")
    if folder in ("", "."):
        return ""
    if not folder.startswith(_ABSOLUTE):
        return folder if _SAFE.fullmatch(folder) and not folder.startswith("..") else None
    for root in sorted(roots, key=len, reverse=True):
        if folder == root or folder.startswith(f"{root}/"):
            return _safe(folder[len(root) :])
    name = repo.rpartition("/")[2]
    _, is_inside, after = f"{folder}/".rpartition(f"/{name}/")
    return _safe(after) if name and is_inside else None


def _safe(folder: str) -> str | None:
    folder = folder.strip("/")
    return folder if not folder or _SAFE.fullmatch(folder) else None


def work_of(line: str) -> str:
    """The program that does the work of a line, with its subcommand; "" where it only looks or prepares."""
    main = parsed(line).main
    return f"{main.program} {main.subcommand}".strip() if main and main.weight is Weight.WORKS else ""


def excerpt_of(step: Step) -> str:
    """What was called and what came of it, as evidence shows it."""
    return f"{step.target[: EXCERPT_LIMIT // 2]} → {step.error}"[:EXCERPT_LIMIT]
