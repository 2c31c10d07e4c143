"""Which parts of a command line are of no kind that is known to be harmless.

A list of bad words never ends, so it is asked the other way round: programs, subcommands, flags, tasks, variables
and operands are harmless if a closed set holds their kind (`harmless_table`), and everything else is named here.
`python -m pytest` is `pytest`. Values of flags are judged as operands are. What one line has and another has not is
what a change brings. Files that are run count as the repository's own only where `may_run_scripts`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import SUBCOMMANDS
from afterwit.actions.shell.tree import PIPES, Command
from afterwit.harvest.commands import harmless_table as table
from afterwit.model.text import regex
from afterwit.redaction.plain_names import is_plain_path, reads_like_a_sentence

_OUTSIDE = regex(r"[/~$]|[A-Za-z]:\\|\.\.(?:/|\Z)|.*/\.\.(?:/|\Z)")
_HOST = regex(r".*://|[^/]*@|.*:\d+\Z|\d{5,}\Z|\d+(?:\.\d+){3}")
_WORD = regex(r"[\w.*?/:,@\[\]{}%^$|+-]*")
_NUMBER = regex(r"-?\d+[smhd%]?")
_TOKEN = regex(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_CLUSTER = regex(r"-([A-Za-z])([A-Za-z]+|\d+)")
_SED = regex(r"(?:[\d,$+]+p;?)+")
_ASSIGNED = regex(r"[A-Za-z_][\w.]*=")
_REF = regex(r"(?!-)[\w][\w/.@^~-]*(?:\.\.\.?[\w][\w/.-]*)?")
_SCRIPT = regex(r"[\w./-]+\.(?:py|sh|bash|js|mjs|cjs|ts|rb|php|pl)")
_LOADED = regex(r"(?i).*(?:\.mk|makefile|\.(?:cfg|ini|toml|ya?ml|json|so|dll|dylib|jar))\Z")
_LOADING = ("--target", "-t")  # which take a name, or a file that says how to build
_USUAL_CONFIG = regex(r"(?:[\w-]+/)*tsconfig[\w.]*\.json|.*\*.*")
_PRIVATE = regex(r"(?i)secret|credential|passw|token|\.pem\b|id_rsa|\.env\b")
_MANAGED = table.VERBS | {"makemigrations", "migrate", "showmigrations", "runserver", "collectstatic"}
_MOST_TASK_WORDS = 4
_LEAVES_HOOKS = regex(r"-[a-z]*n[a-z]*")
_SCOPED = regex(r"@[\w.-]+/[\w.-]+")  # a package of the repository's own
_CHOOSING = ("--filter", "-F", "--workspace", "-w", "--package", "-p")


def unknown_parts(line: str, *, may_run_scripts: bool = False) -> frozenset[str]:
    """The parts of a line that no closed set holds, each behind a word that says what it is."""
    tree = parsed(line)
    parts = {part for command in tree.commands for part in _of_command(command, may_run_scripts)}
    if line.strip() and not (tree.is_whole and tree.commands):
        parts.add(f"line {line}")
    for before, command in pairwise(tree.commands):
        if before.joint in PIPES and command.program in table.INTERPRETERS:
            parts.add(f"pipe | {command.program}")
        if before.joint == "||" and command.program in ("true", ":", "exit"):
            parts.add(f"hides || {command.program}")
    return frozenset(parts)


def does_harm(part: str) -> bool:
    """Whether an unknown part of what may be prose could do harm; that a name is merely unknown does not count."""
    kind, _, what = part.partition(" ")
    if kind in ("word", "program"):
        texts = (what, what.partition("=")[2])
        is_powerful = kind == "program" and (what in table.POWERFUL or what.startswith("-"))
        return is_powerful or any(
            (kind == "word" and is_host(text)) or _OUTSIDE.match(text) or table.HOOKS.search(text) for text in texts
        )
    return kind not in ("verb", "script")


def _of_command(command: Command, may_run_scripts: bool) -> Iterator[str]:
    for name, value in command.assignments:
        if not _is_setting(name, value):
            yield f"sets {name}={value}"
    yield from (f"runs {wrapper}" for wrapper in command.wrappers if wrapper not in table.RUNNERS)
    for redirection in command.redirections:
        if ">" in redirection.operator and redirection.target not in table.QUIET:
            yield f"writes {redirection.target}"
    yield from (f"expands {word.text}" for word in command.words if word.expands)
    if not table.FETCHING_ALL.isdisjoint(command.wrappers) and "--no-install" not in command.flags:
        name = next((name for word in command.words if _package_of(name := word.text) == command.program), "")
        if name != command.program or name not in table.FETCHED:
            yield f"package {name or command.program}"
    yield from _brought(command)
    yield from _of_wrapping(command)
    program, arguments = _program(command)
    if program not in table.LOOKING:
        yield from (f"word {word}" for word in command.arguments if table.VENDORED.search(word))
    if command.subcommand.startswith("-m "):
        yield from _of_arguments(
            "python", "", list(command.arguments[: command.arguments.index("-m")]), may_run_scripts
        )
    path = next((word.text for word in command.words if word.text.endswith(command.program)), "")
    is_own = "/" in path and path.rpartition("/")[0] not in table.BIN_FOLDERS
    if is_own or program not in table.PROGRAMS:
        if not (may_run_scripts and "/" in path and _is_inside(path)):
            yield f"program {path if '/' in path else program}"
        yield from _of_arguments("", "", arguments, may_run_scripts)
        return
    yield from _of_program(program, command, arguments, may_run_scripts)


def _brought(command: Command) -> Iterator[str]:
    """What an installer is told to bring, beyond what the repository says; not the file behind `-r`."""
    steps = command.subcommand.split()
    verbs = table.INSTALLS.get(command.program, frozenset[str]())
    if verbs.isdisjoint((*steps[:2], *command.arguments[:1])):
        return
    if command.program in ("docker", "podman") and "compose" not in steps:
        yield f"brings {command.program}"
    before = ""
    for word in command.arguments:
        is_file = before in ("-r", "--requirement", "--requirements")
        if not (word.startswith("-") or word in steps or is_file or is_own_code(word)):
            yield f"brings {word}"
        before = word


def _of_program(program: str, command: Command, arguments: list[str], may_run_scripts: bool) -> Iterator[str]:
    if program in ("python", "node", "tsx", "ts-node", "ruby", "php", "deno", "bun") and arguments:
        script = next((at for at, word in enumerate(arguments) if _SCRIPT.fullmatch(word)), -1)
        if script >= 0:
            if not (may_run_scripts and _is_inside(arguments[script])):
                yield f"script {arguments[script]}"
            rest = arguments[script + 1 :]
            if arguments[script].endswith("manage.py") and rest[:1] and rest[0] in _MANAGED:
                rest = rest[1:]
            yield from _of_arguments(program, "", [*arguments[:script], *rest], may_run_scripts)
            return
    verb = command.subcommand if program == command.program or command.program in SUBCOMMANDS else ""
    if command.program == "docker-compose":
        verb = f"compose {verb}"
    words = [] if verb.startswith("-") else verb.split()
    if not words and program in table.FIRST_WORD_IS_VERB:
        words = [word for word in arguments if not word.startswith("-")][:1]
    if program == "git" and words[:1] == ["commit"] and any(_LEAVES_HOOKS.fullmatch(word) for word in arguments):
        yield "flag --no-verify"
    if program == "git" and not table.REMOTES.isdisjoint(words[:1]) and {"origin", "upstream"}.isdisjoint(arguments):
        named = (word for word in arguments if word != words[0] and not table.USUAL_REMOTE.fullmatch(word))
        yield from (f"remote {word}" for word in named)
    if program == "set":
        yield from (f"word {word}" for word in arguments if word.startswith("+"))
    if not _only_looks(program, words, arguments):
        yield from (f"verb {program} {word}" for word in _unknown_verbs(program, words))
    rest = list(arguments)
    for word in words:
        if word in rest:
            rest.remove(word)
    if program == "docker" and words[:1] == ["compose"] and rest[:1] and rest[0] in table.VERBS:
        rest = rest[1:]
    yield from _of_arguments(program, " ".join(words), rest, may_run_scripts)


def _only_looks(program: str, words: list[str], arguments: list[str]) -> bool:
    """Whether flags or operands make an otherwise powerful subcommand do nothing: files stay, and nothing is sent."""
    if (program, *words) == ("gh", "api"):
        return any(map(table.READS.fullmatch, arguments)) and "-f" not in arguments
    return (program, *words) == ("git", "rm") and "--cached" in arguments


def _program(command: Command) -> tuple[str, list[str]]:
    """The program by its usual name, and its arguments. A module that is run is the program."""
    arguments = list(command.arguments)
    if command.subcommand.startswith("-m "):
        return command.subcommand[3:], arguments[arguments.index("-m") + 2 :]
    return table.SAME_PROGRAM.get(command.program, command.program), arguments


def _of_wrapping(command: Command) -> Iterator[str]:
    """Flags and words before the program."""
    before = [word.text for word in command.words][: max(0, len(command.words) - len(command.arguments) - 1)]
    wrappers = {word for wrapper in command.wrappers for word in wrapper.split()}
    for at, word in enumerate(before):
        name, mark, value = word.partition("=")
        if word in wrappers or _NUMBER.fullmatch(word) or word == "--":
            continue
        if name.startswith("-"):
            if name not in table.FLAGS or (mark and not _is_value(name, value)):
                yield f"flag {word}"
        elif not (at and before[at - 1] in table.VALUED and _is_value(before[at - 1], word)):
            yield f"before {word}"


def _unknown_verbs(program: str, words: list[str]) -> Iterator[str]:
    if not words:
        return
    first, nested = words[0], SUBCOMMANDS.get(program)
    if program in table.TASK_RUNNERS:
        task = words[-1]
        is_run = len(words) > 1 and first in ("run", "run-script", "task", "tasks")
        if is_run or first not in table.VERBS or program not in SUBCOMMANDS or program in ("make", "just", "task"):
            if not _is_task(task):
                yield task
            return
    group = first if nested and first in nested.nested and len(words) > 1 else ""
    if group and group not in table.VERB_GROUPS:
        yield group
    for word in words[1:] if group else words[:1]:
        whole = f"{group} {word}".strip()
        if word not in table.VERBS or not table.NO_VERBS.get(program, frozenset()).isdisjoint((word, whole)):
            yield whole


def _is_task(name: str) -> bool:
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    return (
        bool(_WORD.fullmatch(name))
        and 0 < len(tokens) <= _MOST_TASK_WORDS
        and not table.TASK_WORDS.isdisjoint(tokens)
        and table.NO_TASK_WORDS.isdisjoint(tokens)
        and not reads_like_a_sentence(name)
        and not is_host(name)
    )


def _of_arguments(program: str, verb: str, words: list[str], may_run_scripts: bool) -> Iterator[str]:
    short = frozenset(table.SHORT_FLAGS.get(program, "").split())
    before = ""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("-") and not _NUMBER.fullmatch(word) and word not in ("-", "--"):
            name, mark, value = word.partition("=")
            loads = _loads(program, name, value if mark else following)
            is_known = loads is False or _is_flag(program, name, short)
            if loads or not is_known or (mark and not _is_value(name, value)):
                yield f"flag {word}"
        elif program == "pytest" and before == "-p":
            if word not in table.PLUGINS_OFF:
                yield f"flag -p {word}"
        elif before in table.VALUED:
            is_own = before in _CHOOSING and _SCOPED.fullmatch(word)
            if not is_own and not (_is_value(before, word) and _is_operand(program, verb, word, is_value=True)):
                yield f"word {word}"
        elif not _is_operand(program, verb, word) and not (may_run_scripts and not program and _is_inside(word)):
            yield f"word {word}"
        before = word


def _loads(program: str, name: str, value: str) -> bool | None:
    """Whether a flag puts instructions or code in the place of the project's own; None: it is no such flag."""
    own = name if name.startswith("--") else f"{program}{name}"
    if own in table.PLACING:
        return table.USUAL_PLACE.fullmatch(value) is None
    worded = table.WORDED.get(own)
    return worded.fullmatch(value) is None if worded else None


def _is_flag(program: str, name: str, short: frozenset[str]) -> bool:
    if name in table.NO_FLAGS.get(program, ()):
        return False
    if name in short or name in table.FLAGS:
        return True
    cluster = _CLUSTER.fullmatch(name)
    if cluster is None:
        return False
    letters = cluster[1] if cluster[2].isdigit() else cluster[1] + cluster[2]
    return all(f"-{letter}" in short or letter in "vq" for letter in letters)


def _is_value(flag: str, value: str) -> bool:
    """Whether a flag may be set to this."""
    if flag in ("--extra", "--group"):
        return value in table.GROUPS
    if flag in ("-r", "--requirement"):
        return bool(re.fullmatch(r"(?:[\w-]+/)*requirements[\w.-]*\.txt|(?:-r)?\w*", value))
    if table.LOWERED.fullmatch(value):
        return bool(table.MAY_BE_OFF.fullmatch(flag))
    return (
        _is_inside(value)
        and ".." not in value
        and not table.RISKY_VALUE.search(value)
        and not (flag in _LOADING and _LOADED.match(value))
    )


def _is_inside(word: str) -> bool:
    """Whether a word is a plain name, a number, a pattern or a path inside the repository, and no host."""
    return (
        _WORD.fullmatch(word) is not None
        and not _OUTSIDE.match(word)
        and not _HOST.match(word)
        and not is_host(word)
        and not table.HOOKS.search(word)
        and not reads_like_a_sentence(word)
        and (not word or "/" not in word or is_plain_path(re.sub(r"[*?:|^,]+", "x", word)))
    )


def is_host(word: str) -> bool:
    if table.SCHEME.match(word) or table.USER_AT.match(word) or table.HOST_PORT.match(word):
        return True
    domain = table.DOMAIN.match(word)
    if domain is None or word.startswith((".", "-", "/")) or table.TASKS.fullmatch(word):
        return False
    return bool(domain["path"]) or domain["end"].lower() not in table.FILE_ENDINGS


def is_own_code(word: str) -> bool:
    """Whether an installer is only told to take what the repository says."""
    path = word.partition("[")[0]
    return path in (".", "...") or (path.startswith("./") and ".." not in path.removesuffix("...").split("/"))


def _package_of(word: str) -> str:
    return word.rpartition("/")[2].partition("@")[0]


def _is_operand(program: str, verb: str, word: str, *, is_value: bool = False) -> bool:
    first = verb.partition(" ")[0]
    if not program or _ASSIGNED.match(word):
        name, _, value = word.partition("=")
        return _ASSIGNED.match(word) is not None and _is_setting(name, value)
    if table.LOWERED.fullmatch(word) and not is_value:
        return False
    if not word or (program == "sed" and _SED.fullmatch(word)):
        return True
    if program in ("sed", "awk", "curl", "wget", "ssh") and not is_value:
        return program == "sed" and "/" in word and _is_inside(word)
    if program == "git" and first in ("push", "checkout", "switch", "fetch", "pull", "reset", "branch", "tag"):
        return bool(_REF.fullmatch(word)) and not re.search(r"\.\w{1,4}\Z", word)
    if program in ("pip", "uv", "npm", "pnpm", "yarn", "bun", "poetry", "cargo", "go", "gem", "bundle") and first in (
        "install", "i", "ci", "pip", "sync", "lock", "add"
    ):  # fmt: skip
        return (
            is_value
            or word in (".", "./", "install", "list", "check", "show", "freeze")
            or word.startswith(("./", ".["))
        )
    is_outside = _OUTSIDE.match(word) or _PRIVATE.search(word) or reads_like_a_sentence(word)
    if program in ("grep", "rg", "ag", "ack") and not is_outside:
        return True
    takes_tasks = program in table.ONLY_TASKS or (program in table.TASK_RUNNERS and not first)
    if takes_tasks and not is_value:
        return _is_task(word)
    is_loaded = is_value and _LOADED.match(word) and not _USUAL_CONFIG.fullmatch(word)
    return _is_inside(word) and not is_loaded and not _PRIVATE.search(word)


def _is_setting(name: str, value: str) -> bool:
    """Whether a variable in front of a command is one that turns nothing off and loads nothing."""
    if name in ("PYTHONPATH", "NODE_PATH"):
        return value in table.SOURCE_FOLDERS
    values = table.SETTINGS.get(name)
    return values is not None and values.fullmatch(value) is not None
