"""Takes wrappers such as `sudo`, `timeout 10s` or `uv run` off a command, down to the program that matters.

Only wrappers in the table are taken off: an unknown program is never assumed to be one. A wrapper that is called
for itself (`env`, `command -v x`, `xargs` alone) stays the program. Shells that are given a script are found here and
unwrapped by the parser.
"""

from collections.abc import Sequence
from typing import NamedTuple

from afterwit.actions.shell.lexer import Redirection, Word
from afterwit.actions.shell.programs import SHELLS, SUBCOMMANDS, names, operand_at
from afterwit.model.text import regex


class Assignment(NamedTuple):
    """`NAME=value` before a command, or given to export and env."""

    name: str
    value: str


class Wrapper(NamedTuple):
    """How to get past a wrapper."""

    value_options: frozenset[str] = frozenset()
    operands: int = 0  # words of its own before the command
    until_dashes: bool = False  # the command comes after `--`
    is_query_with: frozenset[str] = frozenset()  # with these it runs nothing
    names_package: bool = False  # the command may carry a version: prettier@3
    runs_modules: bool = False  # `-m name` runs a Python module


class Unwrapped(NamedTuple):
    """What is left of a command's words."""

    program: str
    start: int  # index of the first argument
    wrappers: tuple[str, ...]
    assignments: tuple[Assignment, ...]


class Script(NamedTuple):
    """The text that a shell was given, and its options."""

    text: str
    options: tuple[str, ...]


_PLAIN = Wrapper()
_AFTER_DASHES = Wrapper(until_dashes=True)
_PYTHON_RUN = Wrapper(names("-C --directory -P --project -p -e --env"))
_PACKAGE_RUN = Wrapper(names("-p --package -w --workspace --registry"), names_package=True)
_UV_TOOL = Wrapper(names("--from --with --with-editable --python -p --index --index-url"), names_package=True)

WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(
        names("nohup setsid unbuffer chronic arch winpty builtin noglob nocorrect coproc cross-env"), _PLAIN
    ),
    **dict.fromkeys(("pnpm exec", "yarn exec", "bundle exec", "dotenv run"), _PLAIN),
    **dict.fromkeys(("mise exec", "mise x", "doppler run", "op run", "infisical run"), _AFTER_DASHES),
    **dict.fromkeys(("bunx", "bun x", "pnpx", "npm exec", "pnpm dlx", "yarn dlx"), _PACKAGE_RUN),
    **dict.fromkeys(("poetry run", "pipenv run", "pdm run", "rye run", "pixi run", "hatch run"), _PYTHON_RUN),
    **dict.fromkeys(("conda run", "micromamba run"), Wrapper(names("-n --name -p --prefix --cwd"))),
    **dict.fromkeys(("timeout", "gtimeout"), Wrapper(names("-s -k --signal --kill-after"), operands=1)),
    **dict.fromkeys(("uvx", "uv tool run"), _UV_TOOL),
    "sudo": Wrapper(
        names("-u -g -h -p -C -D -R -r -t -T -U --user --group --host --prompt --chdir"),
        is_query_with=names("-l -v -k -K --list --validate"),
    ),
    "doas": Wrapper(names("-u -C")),
    "env": Wrapper(names("-u -C --unset --chdir")),
    "time": Wrapper(names("-f -o --format --output")),
    "nice": Wrapper(names("-n --adjustment")),
    "ionice": Wrapper(names("-c -n --class --classdata")),
    "stdbuf": Wrapper(names("-i -o -e --input --output --error")),
    "caffeinate": Wrapper(names("-t -w")),
    "xargs": Wrapper(
        names("-I -n -P -L -s -d -a -E -J -R --max-args --max-procs --max-lines --delimiter --arg-file --replace")
    ),
    "flock": Wrapper(names("-w --timeout -E"), operands=1),
    "xvfb-run": Wrapper(names("-s -n -e -f --server-args")),
    "command": Wrapper(is_query_with=names("-v -V")),
    "exec": Wrapper(names("-a")),
    "corepack": Wrapper(is_query_with=names("enable disable prepare use up install")),
    "npx": Wrapper(_PACKAGE_RUN.value_options, is_query_with=names("-c --call"), names_package=True),
    "pipx run": Wrapper(names("--spec --python --pip-args"), names_package=True),
    "uv run": Wrapper(
        names(
            "--with --with-editable --with-requirements --python -p --directory --project --extra --group --only-group"
            " --no-group --env-file --package --index --index-url --refresh-package --upgrade-package"
        ),
        runs_modules=True,
    ),
    "direnv exec": Wrapper(operands=1),
}
_FIRST_WORDS = frozenset(name.partition(" ")[0] for name in WRAPPERS if " " in name)
_ASSIGNMENT = regex(r"(?s)([A-Za-z_]\w*)\+?=(.*)")
_VERSION = regex(r"(?<=.)@[^/]*\Z")
_MOST_WRAPPERS = 12


def program_name(word: Word) -> str:
    """The name of the program that a word calls: no folder, no `.exe`. Every `(( … ))` is called `((`."""
    text = word.text
    if text.isalnum():
        return text
    if text.startswith("(("):
        return "(("
    if word.expands and ("$(" in text or "`" in text):
        return text
    name = text.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or text
    return name[:-4].lower() if name.lower().endswith(".exe") else name


def assignment_of(word: Word) -> Assignment | None:
    """`NAME=value`, if the word is that."""
    match = _ASSIGNMENT.match(word.text) if "=" in word.text else None
    return Assignment(match[1], match[2]) if match else None


def unwrap(words: Sequence[Word]) -> Unwrapped:
    """The program that matters in a command of at least one word."""
    at, wrappers, assignments = 0, [], []
    names_package = False
    for _ in range(_MOST_WRAPPERS):
        wrapper_name = _wrapper_at(words, at)
        if wrapper_name is None:
            break
        name, start = wrapper_name
        wrapper = WRAPPERS[name]
        wrapped = _past(words, start, wrapper)
        if wrapped.at is None:
            break
        wrappers.append(name)
        assignments += wrapped.assignments
        at, names_package = wrapped.at, wrapper.names_package
        if wrapped.is_module:
            return Unwrapped("python", at, tuple(wrappers), tuple(assignments))
    program = program_name(words[at])
    if names_package:
        program = program_name(Word(_VERSION.sub("", words[at].text)))
    return Unwrapped(program, at + 1, tuple(wrappers), tuple(assignments))


def script_of(program: str, arguments: Sequence[Word], redirections: Sequence[Redirection]) -> Script | None:
    """The script that a shell is given by `-c` or as a here-document."""
    if program not in SHELLS:
        return None
    options: list[str] = []
    at, has_command = 0, False
    while at < len(arguments) and arguments[at].text[:1] in ("-", "+") and len(arguments[at].text) > 1:
        option = arguments[at].text
        at += 1
        options.append(option)
        has_command = has_command or (not option.startswith("--") and "c" in option)
        if option in ("-o", "+o") or (option.endswith("o") and not option.startswith("--")):
            options += [word.text for word in arguments[at : at + 1]]
            at += 1
    if has_command:
        return Script(arguments[at].text, tuple(options)) if at < len(arguments) else None
    if at < len(arguments) and arguments[at].text != "-":
        return None
    body = next(
        (
            redirection.body
            for redirection in redirections
            if redirection.operator in ("<<", "<<-") and redirection.body
        ),
        None,
    )
    return Script(body, tuple(options)) if body else None


def _wrapper_at(words: Sequence[Word], at: int) -> tuple[str, int] | None:
    """The wrapper that begins here and the index after its name."""
    if at >= len(words):
        return None
    name = program_name(words[at])
    if name in WRAPPERS:
        return name, at + 1
    if name not in _FIRST_WORDS:
        return None
    subcommands = SUBCOMMANDS.get(name)
    texts = [word.text for word in words]
    index = operand_at(texts, at + 1, subcommands.value_options if subcommands else frozenset())
    for _ in range(2):
        if index is None:
            return None
        name = f"{name} {texts[index]}"
        index += 1
        if name in WRAPPERS:
            return name, index
        index = index if index < len(words) else None
    return None


class _Wrapped(NamedTuple):
    """Where the wrapped command begins, None if there is none, and the assignments on the way."""

    at: int | None
    assignments: list[Assignment]
    is_module: bool = False


def _past(words: Sequence[Word], at: int, wrapper: Wrapper) -> _Wrapped:
    assignments: list[Assignment] = []
    operands = wrapper.operands
    while at < len(words):
        text = words[at].text
        assignment = assignment_of(words[at])
        if text in wrapper.is_query_with:
            break
        if wrapper.runs_modules and text in ("-m", "--module"):
            return _Wrapped(at, assignments, is_module=True)
        if text == "--":
            return _Wrapped(at + 1 if at + 1 < len(words) else None, assignments)
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in wrapper.value_options else 1
        elif assignment:
            assignments.append(assignment)
            at += 1
        elif operands or wrapper.until_dashes:
            operands -= 1
            at += 1
        else:
            return _Wrapped(at, assignments)
    return _Wrapped(None, assignments)
