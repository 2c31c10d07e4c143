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
    MAKE = "Makefile"
    JUST = "justfile"
    TASK = "Taskfile.yml"
    MISE = "mise.toml"


class ProjectCall(NamedTuple):
    """A call of something that the project defines."""

    kind: CallKind
    name: str  # the path of a file below `folder`; "" for what runs by default
    folder: str = ""  # below the repository, where the command runs
    is_only_there: bool = True  # no program that is installed can be meant


_HINT = regex(r"/|\.(?:py|sh|js|mjs|cjs|ts|rb|pl|php|bash|zsh)\b|\b(?:npm|pnpm|yarn|bun|make|gmake|just|task|mise)\b")
_UNKNOWN = regex(r"[<>‹›…\n]")
_PATH = regex(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_TASK = regex(r"[\w][\w.:+-]*")
_SCRIPT_FILE = regex(r".+\.(?:py|sh|bash|zsh|js|mjs|cjs|jsx|ts|mts|cts|tsx|rb|pl|php)")
_INTERPRETERS = MODULE_RUNNERS | SHELLS | names("node nodejs ruby perl php tsx ts-node")
_ENDS_FILES = names("-c -e -p -m -s --eval --print --command - -r --require --import --loader --test")
_OTHER_FILE = names(
    "-f --file --makefile --justfile -d --working-directory --working-dir -t --taskfile -g --global --config --root"
)
_ELSEWHERE = names("--directory --project -C -P -p --env -e --with --package --from")  # of a wrapper
_FOLDERS = names("-C --cwd --dir --directory --prefix --cd")
_RUNS = {  # words before the name; none: it comes first
    "npm": names("run run-script"), "pnpm": names("run run-script"), "yarn": names("run"), "bun": names("run"),
    "mise": names("run r"), "make": None, "gmake": None, "just": None, "task": None,
}  # fmt: skip
_KINDS = {"make": CallKind.MAKE, "gmake": CallKind.MAKE, "just": CallKind.JUST, "task": CallKind.TASK,
          "mise": CallKind.MISE}  # fmt: skip
_OPTIONS = {  # that take the next word, beyond those that are known of the program
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), names("--filter -F -w --workspace")),
    **dict.fromkeys(("make", "gmake"), names("-I -l -o -W --include-dir --old-file --what-if --max-load")),
}


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
    is_elsewhere = any(word.text.partition("=")[0] in _ELSEWHERE for word in before)
    texts = _plain_texts(words)
    if _is_file_call(program.text, command):
        yield from () if is_elsewhere else _file(program.text, folder)
    elif command.program in _INTERPRETERS:
        yield from () if is_elsewhere else _interpreter_call(texts, folder)
    elif command.program in _RUNS and not is_elsewhere:
        yield from _task(command.program, texts, folder)


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


def _task(program: str, texts: list[str], folder: str) -> Iterator[ProjectCall]:
    """A script of a package, a file that `bun` runs, a target, a recipe or a task."""
    aimed = _aim(texts, folder, SUBCOMMANDS[program].value_options | _OPTIONS.get(program, frozenset()))
    if aimed is None or "--if-present" in texts:
        return
    (operands, place), runs, kind = aimed, _RUNS[program], _KINDS.get(program, CallKind.PACKAGE)
    if program == "npm" and operands[:1] and operands[0] in ("test", "t", "tst"):
        operands = ["run", "test", *operands[1:]]
    if runs is None:
        is_default = not operands and not texts
        called = [""] if is_default else operands if kind is CallKind.MAKE else operands[:1]
    else:
        called = operands[1:2] if operands and operands[0] in runs else []
    for name in called:
        if program == "bun" and ("/" in name or _SCRIPT_FILE.fullmatch(name)):
            yield from _file(name, place)
        elif not name or (_TASK.fullmatch(name) and not (kind is CallKind.MAKE and "." in name)):
            is_only_there = kind is not CallKind.PACKAGE or program in ("npm", "pnpm") or name == "test"
            yield ProjectCall(kind, name, place, is_only_there)


def _below(folder: str, path: str) -> str | None:
    """The path below the repository, "" for its root; None where it may lie elsewhere."""
    if path.startswith(("/", "~", "$", "-")) or "\\" in path or ":" in path[:2]:
        return None
    joined = normpath(f"{folder}/{path}" if folder else path or ".")
    if joined == ".." or joined.startswith("../"):
        return None
    return "" if joined == "." else joined
