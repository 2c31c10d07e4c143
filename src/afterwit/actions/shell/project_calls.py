"""What a command line calls that its project defines: files of it, scripts of a package, targets and tasks.

Only what a line plainly says is given. Of a word that a shell would expand, a line with a branch behind `||`, and
definitions that an option names, nothing is said: nobody could tell from a checkout whether they are still there.
Whether what is called is there is up to `capture.missing`.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from posixpath import normpath
from typing import NamedTuple

from afterwit.actions.shell.command_changes import ANY, GAP, change_from
from afterwit.actions.shell.lexer import Word
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import MODULE_RUNNERS, SHELLS, SUBCOMMANDS, names, operand_at
from afterwit.actions.shell.tree import Command
from afterwit.model.text import regex


class CallKind(StrEnum):
    """What defines the thing that is called."""

    FILE = "file"  # itself
    PACKAGE = "package.json"
    COMPOSER = "composer.json"
    DENO = "deno.json"
    MAKE = "Makefile"
    JUST = "justfile"
    TASK = "Taskfile.yml"
    MISE = "mise.toml"
    RAKE = "Rakefile"
    POE = "poe"
    PDM = "pdm"
    HATCH = "hatch"
    PYTHON = "pyproject.toml"


class ProjectCall(NamedTuple):
    """A call of something that the project defines."""

    kind: CallKind
    name: str  # the path of a file below `folder`; "" for what runs by default
    folder: str = ""  # below the repository, where the command runs
    is_only_there: bool = True  # no program that is installed can be meant


_HINT = regex(
    r"/|\.(?:py|sh|js|mjs|cjs|ts|rb|pl|php|bash|zsh)\b"
    r"|\b(?:npm|pnpm|yarn|bun|make|gmake|just|task|mise|rake|composer|deno|poe|pdm|hatch|uv|poetry)\b"
)
_UNKNOWN = regex(r"[<>‹›…\n]")
_PATH = regex(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_TASK = regex(r"[\w][\w.:+-]*")
_SCRIPT_FILE = regex(r".+\.(?:py|sh|bash|zsh|js|mjs|cjs|jsx|ts|mts|cts|tsx|rb|pl|php)")
_INTERPRETERS = MODULE_RUNNERS | SHELLS | names("node nodejs ruby perl php tsx ts-node")
_ENDS_FILES = names("-c -e -p -m -s --eval --print --command - -r --require --import --loader --test")
_MAKERS = names("make gmake")
_MAKE_OPTIONS = names("-C -I -j -l -o -W --directory --jobs --include-dir --old-file --what-if --max-load")
_OTHER_FILE = names(
    "-f --file --makefile --justfile -d --working-directory --working-dir -t --taskfile -g --global --rakefile --config"
    " --root"
)
_FOLDERS = names("-C --cwd --dir --directory --prefix --cd")
_WORKSPACES = names("--filter -F -w --workspace")
_PACKAGERS = names("npm pnpm yarn bun")
_RUNS = names("run run-script")
_PYTHON_WRAPPERS = {
    "uv run": CallKind.PYTHON,
    "poetry run": CallKind.PYTHON,
    "pdm run": CallKind.PDM,
    "hatch run": CallKind.HATCH,
}
_ELSEWHERE = names("--directory --project -C -P -p --env -e --with --package --from")  # of these wrappers
_OWN_OF_NPM = {"test": "test", "t": "test", "tst": "test"}
_BUILT_IN = {
    "pnpm": names(
        "add install i update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune fetch patch"
        " patch-commit patch-remove audit list ls la ll outdated why exec dlx create init publish pack run run-script"
        " start config c get set store root bin setup env deploy server recursive multi m licenses doctor dedupe ci"
        " install-test it cat-file cat-index find-hash self-update approve-builds ignored-builds cache completion login"
        " logout whoami access owner view info search version help node x"
    ),
    "yarn": names(
        "add install i up upgrade upgrade-interactive remove link unlink import rebuild prune patch patch-commit audit"
        " autoclean list outdated why exec dlx create init publish pack run start config cache check bin dedupe node"
        " npm plugin set stage unplug workspaces workspace constraints version versions info search global"
        " help licenses login logout owner policies tag team self-update explain rebase"
    ),
    "bun": names(
        "test build add install i update remove rm link unlink pm x create init upgrade publish pack outdated patch"
        " patch-commit audit why info exec repl deploy completions help run"
    ),
    "composer": names(
        "about archive audit browse bump check-platform-reqs clear-cache completion config create-project depends"
        " diagnose dump-autoload dumpautoload exec fund global help home init install i licenses list outdated"
        " prohibits reinstall remove require r run run-script search self-update selfupdate show status suggests update"
        " u upgrade validate why why-not"
    ),
}  # fmt: skip


def project_calls(advice: str) -> tuple[ProjectCall, ...]:
    """What an advice calls: a command line, or the new words of a change, as far as they are given. More words follow
    those of a change, so that none of them runs what runs by default."""
    change = change_from(advice)
    if change is None:
        return calls_in(advice)
    return tuple(call for call in calls_in(" ".join(_given(change.new))) if call.name)


@lru_cache(maxsize=4096)
def calls_in(line: str) -> tuple[ProjectCall, ...]:
    """What a command line calls."""
    if not _HINT.search(line) or _UNKNOWN.search(line):
        return ()
    whole = parsed(line)
    if not whole.is_whole or any(command.joint == "||" for command in whole.commands):
        return ()
    return tuple(dict.fromkeys(call for command in whole.commands for call in _called(command)))


def _given(words: Sequence[str]) -> Iterator[str]:
    """The words of a change up to the first that stands for others."""
    for word in words:
        if word in (ANY, GAP):
            return
        yield word


def _called(command: Command) -> Iterator[ProjectCall]:
    folder = _below("", command.folder)
    if folder is None or "xargs" in command.wrappers:
        return
    at = len(command.words) - len(command.arguments)
    before, words = command.words[: at - 1], command.words[at:]
    program = command.words[at - 1] if at else Word("")
    if any(word.expands or word.globs for word in (*before, program)):
        return
    is_wrapped = not _PYTHON_WRAPPERS.keys().isdisjoint(command.wrappers)
    if is_wrapped and any(word.text.partition("=")[0] in _ELSEWHERE for word in before):
        return
    texts = _plain_texts(words)
    if _is_file_call(program.text, command):
        yield from _file(program.text, folder)
    elif command.program in _INTERPRETERS:
        yield from _interpreter_call(texts, folder)
    else:
        yield from _task(command, texts, folder)


def _plain_texts(words: Sequence[Word]) -> list[str]:
    """The arguments up to the first of which the shell decides what it is."""
    texts: list[str] = []
    for word in words:
        if word.expands or word.globs:
            break
        texts.append(word.text)
    return texts


def _is_file_call(text: str, command: Command) -> bool:
    is_named = bool(_SCRIPT_FILE.fullmatch(text)) and any(wrapper.endswith(" run") for wrapper in command.wrappers)
    return "/" in text or is_named


def _interpreter_call(texts: Sequence[str], folder: str) -> Iterator[ProjectCall]:
    for text in texts:
        if text in _ENDS_FILES:
            return
        if not text.startswith(("-", "+")):
            yield from _file(text, folder) if "/" in text or _SCRIPT_FILE.fullmatch(text) else ()
            return


def _file(path: str, folder: str) -> Iterator[ProjectCall]:
    below = _below("", path)
    if below and _PATH.fullmatch(below) and _below(folder, below) is not None:
        yield ProjectCall(CallKind.FILE, below, folder)


def _task(command: Command, texts: list[str], folder: str) -> Iterator[ProjectCall]:
    program = command.program
    if program in _PACKAGERS:
        yield from _package_call(program, texts, folder)
    elif program in _MAKERS:
        yield from _made(texts, folder)
    elif program in _RUNNERS:
        yield from _run(_RUNNERS[program], program, texts, folder)
    else:
        yield from _of_python(command, folder)


class _Runner(NamedTuple):
    kind: CallKind
    subcommands: frozenset[str] = frozenset()  # that come before the name; none: it comes first
    built_in: frozenset[str] | None = None  # of a runner that also takes names without a subcommand
    has_default: bool = False


_RUNNERS = {
    "just": _Runner(CallKind.JUST, has_default=True),
    "task": _Runner(CallKind.TASK, has_default=True),
    "rake": _Runner(CallKind.RAKE),
    "mise": _Runner(CallKind.MISE, names("run r")),
    "deno": _Runner(CallKind.DENO, names("task")),
    "composer": _Runner(CallKind.COMPOSER, _RUNS, _BUILT_IN["composer"]),
    "poe": _Runner(CallKind.POE),
}


def _run(runner: _Runner, program: str, texts: list[str], folder: str) -> Iterator[ProjectCall]:
    table = SUBCOMMANDS.get(program)
    aimed = _aim(texts, folder, table.value_options if table else frozenset())
    if aimed is None:
        return
    operands, place = aimed
    if runner.subcommands and operands and operands[0] in runner.subcommands:
        operands = operands[1:]
    elif runner.subcommands and (runner.built_in is None or not operands or operands[0] in runner.built_in):
        return
    if operands and _TASK.fullmatch(operands[0]):
        yield ProjectCall(runner.kind, operands[0], place)
    elif not operands and not texts and runner.has_default:
        yield ProjectCall(runner.kind, "", place)


def _made(texts: list[str], folder: str) -> Iterator[ProjectCall]:
    aimed = _aim(texts, folder, _MAKE_OPTIONS)
    if aimed is None:
        return
    targets = [word for word in aimed.operands if _TASK.fullmatch(word) and "." not in word]
    yield from (ProjectCall(CallKind.MAKE, target, aimed.folder) for target in targets)
    if not aimed.operands and not texts:
        yield ProjectCall(CallKind.MAKE, "", aimed.folder)


class _Aimed(NamedTuple):
    """The operands, and the folder that the command or its options choose."""

    operands: list[str]
    folder: str


def _aim(texts: list[str], folder: str, value_options: frozenset[str]) -> _Aimed | None:
    """None where an option names the definitions, or a folder that is not below the repository."""
    before = texts[: texts.index("--")] if "--" in texts else texts
    place: str | None = folder
    for at, text in enumerate(before):
        name, equals, value = text.partition("=")
        if name in _FOLDERS and place is not None:
            place = _below(place, value if equals else next(iter(before[at + 1 : at + 2]), "~"))
        elif name in _OTHER_FILE:
            return None
    operands: list[str] = []
    index = operand_at(before, 0, value_options)
    while index is not None:
        operands.append(before[index])
        index = operand_at(before, index + 1, value_options)
    return None if place is None else _Aimed(operands, place)


def _package_call(program: str, texts: list[str], folder: str) -> Iterator[ProjectCall]:
    """A script of a package, or a file that `bun` runs."""
    aimed = _aim(texts, folder, SUBCOMMANDS[program].value_options | _WORKSPACES)
    if aimed is None or "--if-present" in texts:
        return
    operands = aimed.operands[2:] if program == "yarn" and aimed.operands[:1] == ["workspace"] else aimed.operands
    is_run = operands[:1] in (["run"], ["run-script"])
    name = next(iter(operands[1:] if is_run else operands), "")
    if program == "bun" and ("/" in name or _SCRIPT_FILE.fullmatch(name)):
        yield from _file(name, aimed.folder)
    elif not is_run:
        name = _OWN_OF_NPM.get(name, "") if program == "npm" else "" if name in _BUILT_IN[program] else name
    if _TASK.fullmatch(name) and not (program == "bun" and not is_run):
        is_only_there = program == "npm" or (program == "pnpm" and is_run) or name == "test"
        yield ProjectCall(CallKind.PACKAGE, name, aimed.folder, is_only_there)


def _of_python(command: Command, folder: str) -> Iterator[ProjectCall]:
    """The first word behind `uv run` and the like: a script of the project, or any program."""
    kind = _PYTHON_WRAPPERS.get(command.wrappers[-1]) if command.wrappers else None
    if kind is not None and _TASK.fullmatch(command.program):
        yield ProjectCall(kind, command.program, folder, is_only_there=False)


def _below(folder: str, path: str) -> str | None:
    """The path below the repository, "" for its root; None where it may lie elsewhere."""
    if path.startswith(("/", "~", "$", "-")) or "\\" in path or ":" in path[:2]:
        return None
    joined = normpath(f"{folder}/{path}" if folder else path or ".")
    if joined == ".." or joined.startswith("../"):
        return None
    return "" if joined == "." else joined
