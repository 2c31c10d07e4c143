"""What a command line can do that only a person may advise: reach hosts, bring in code, check less, take more rights.

An agent can be talked into a command, and that it then worked says nothing against it. So advice is judged by what it
makes possible, not by who ran it how often. `power_of` judges a line as it stands, `power_gained` what one line can do
that another cannot. What is looked for by name here only gives the reason: a line, or a change, is ordinary if each of
its parts is of a kind that is known to be harmless (`harmless`), and everything else needs a person. The answer is a
few words for people; "" where a line is ordinary.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.actions.shell.command_changes import CommandChange
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.harvest.commands import power_table as table
from afterwit.harvest.commands.harmless import unknown_parts
from afterwit.harvest.harvester import quote
from afterwit.redaction.plain_names import reads_like_a_sentence

HOST, PACKAGE, CHECKS, RIGHTS = "a new host", "code from elsewhere", "fewer checks", "more rights"
SCRIPT, ELSEWHERE, OTHER = "a script of its own", "something outside the repository", "another program"
UNKNOWN = "something that is not known to be harmless"


class Power(NamedTuple):
    """One thing that a line can do, and the words that say it."""

    kind: str
    what: str


def power_of(line: str) -> str:
    """What the line can do that only a person may advise. `<path>` stands for any path inside the repository."""
    spelled = table.PLACE.sub("x", line)
    unknown = unknown_parts(spelled, may_run_scripts=True)
    return _first(_powers(spelled)) or (UNKNOWN if unknown else "")


def is_tellable(line: str) -> bool:
    """Whether a command of a repository may be named to an agent: ordinary, and made of plain names."""
    free = " ".join(word for word in line.split() if not word.startswith("-"))
    return bool(quote(line)) and not reads_like_a_sentence(free) and not power_of(line)


def power_gained(failed: str, fixed: str) -> str:
    """The same, of what the second line can do and the first cannot: by what came to it, or fell away."""
    words = [word.text for command in parsed(failed).commands for word in command.words]
    had = {*words, *(piece for word in words for piece in table.PIECES.split(word))}
    gained = {*_powers(fixed)} - {*_powers(failed)}
    gained |= {Power(OTHER, name) for name in _programs(fixed) if name not in table.KNOWN_NAMES and name not in had}
    powers = (*gained, *_guards_lost(failed, fixed), *_commands_added(failed, fixed), *_names_added(failed, fixed))
    return _first(powers) or (UNKNOWN if unknown_parts(fixed) - unknown_parts(failed) else "")


def power_of_change(change: CommandChange) -> str:
    """The same, of a change that is applied to other lines."""
    return power_gained(_spell(change.old), _spell(change.new))


def _spell(words: Iterable[str]) -> str:
    return " ".join(word for word in words if word not in ("*", "…"))


def _first(powers: Iterable[Power]) -> str:
    return min(powers, default=Power("", "")).kind


def _powers(line: str) -> Iterator[Power]:
    tree = parsed(line)
    if line.strip() and (not tree.is_whole or not tree.commands):
        yield Power(SCRIPT, line)
    piped = {command.number + 1 for command in tree.commands if command.joint in ("|", "|&")}
    otherwise = {command.number + 1 for command in tree.commands if command.joint == "||"}
    for command in tree.commands:
        yield from _of_command(command)
        if command.number in piped and command.program in table.INTERPRETERS:
            yield Power(SCRIPT, command.program)
        if command.number in otherwise and command.program in ("true", ":", "exit"):
            yield Power(CHECKS, "|| true")


def _of_command(command: Command) -> Iterator[Power]:
    texts = [word.text for word in command.words]
    for wrapper in (*command.wrappers, command.program):
        if wrapper.rpartition("/")[2] in table.RIGHTS:
            yield Power(RIGHTS, wrapper)
    is_inline = command.program in table.INTERPRETERS and not table.INLINE.isdisjoint(command.arguments)
    if command.program in table.SCRIPTED or is_inline or any(word.expands for word in command.words):
        yield Power(SCRIPT, command.program)
    if command.program == "set" and "+e" in command.arguments:
        yield Power(CHECKS, "set +e")
    if texts and table.OUTSIDE.match(texts[0]):
        yield Power(ELSEWHERE, texts[0])
    yield from (Power(CHECKS, name) for name, value in command.assignments if not _is_setting(name, value))
    yield from _of_packages(command, texts)
    yield from _of_redirections(command)
    yield from _of_words(command, texts)


def _of_packages(command: Command, texts: list[str]) -> Iterator[Power]:
    is_fetching = not table.FETCHING_ALL.isdisjoint(command.wrappers) and "--no-install" not in texts
    called = next((text for text in texts if text.rpartition("/")[2].partition("@")[0] == command.program), "")
    if is_fetching and (called != command.program or command.program not in table.KNOWN):
        yield Power(PACKAGE, command.program)
    if command.program in table.FETCHING:
        yield Power(PACKAGE, " ".join(texts))
    steps = command.subcommand.split()
    verbs = table.INSTALLS.get(command.program, frozenset())
    if verbs.isdisjoint((*steps[:2], *command.arguments[:1])):
        return
    rest = [word for word in command.arguments if word not in steps]
    yield from (Power(PACKAGE, word) for word in _operands(rest) if not _is_own_code(word))
    if command.program in ("docker", "podman") and "compose" not in steps:
        yield Power(PACKAGE, command.program)


def _operands(words: Iterable[str]) -> Iterator[str]:
    """Words that are no flags, and not the file behind `-r`."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in ("-r", "--requirement", "--requirements"):
            yield word
        before = word


def _is_own_code(word: str) -> bool:
    """Whether an installer is only told to take what the repository says."""
    path = word.partition("[")[0]
    return path in (".", "...") or (path.startswith("./") and ".." not in path.removesuffix("...").split("/"))


def _of_redirections(command: Command) -> Iterator[Power]:
    for redirection in command.redirections:
        if ">" in redirection.operator and redirection.target not in table.QUIET:
            yield Power(ELSEWHERE, redirection.target)


def _of_words(command: Command, texts: list[str]) -> Iterator[Power]:
    program, step = command.program, command.subcommand.partition(" ")[0]
    is_named = program == "git" and not {"origin", "upstream"}.isdisjoint(command.arguments)
    takes_hosts = program in table.REACHING or (step in table.REMOTES.get(program, ()) and not is_named)
    before = ""
    for at, text in enumerate(texts):
        name, mark, value = text.partition("=")
        if text.startswith("-"):
            yield from _of_flag(command, step, name, value if mark else "".join(texts[at + 1 : at + 2]))
        elif (before == "-m" and program in table.PYTHONS) or (program == "gh" and before in ("--jq", "-q")):
            pass  # a module, or a question to JSON, which look like hosts
        elif at and (
            _is_host(text) or (takes_hosts and text in command.arguments and text != step and not _is_usual(text))
        ):
            yield Power(HOST, text)
        elif at and (table.OUTSIDE.match(text) or table.HOOKS.search(text) or _is_brought_along(program, text)):
            yield Power(ELSEWHERE, text)
        if before == "-c" and program == "git":
            yield Power(CHECKS, name)
        if mark and _is_host(value):
            yield Power(HOST, value)
        before = text


def _is_brought_along(program: str, word: str) -> bool:
    """Whether a program works in a folder of other people's code, or in a hidden one. To look there does nothing."""
    return program not in table.LOOKING and table.VENDORED.search(word) is not None


def _is_usual(word: str) -> bool:
    """What a remote of git is mostly called, and this machine."""
    is_named = word in ("origin", "upstream", "main", "master", "HEAD", "localhost", "add", "-v")
    return is_named or word.startswith("localhost:") or table.READS.fullmatch(word) is not None


def _of_flag(command: Command, step: str, name: str, value: str) -> Iterator[Power]:
    denied = table.NO.fullmatch(name)
    letters = table.LETTERS.get(command.program, {}).get(step, "k" if command.program in table.REACHING else "")
    is_fetching = not table.FETCHING.isdisjoint(command.wrappers)
    if name in table.BRINGS or (name == "-p" and is_fetching):
        yield Power(PACKAGE, value or name)
    elif _instructs(command.program, name, value):
        yield Power(SCRIPT, value or name)
    elif table.LEADS.fullmatch(name):
        yield Power(HOST, value or name)
    elif table.CREDENTIALS.fullmatch(name):
        yield Power(RIGHTS, name)
    elif (
        table.LOWERS.fullmatch(name)
        or (denied and denied[1] not in table.HARMLESS_NO)
        or (len(name) > 1 and name[1] != "-" and any(letter in letters for letter in name[1:]))
        or (name == "-y" and is_fetching)
        or table.RISKY_VALUE.search(value)
    ):
        yield Power(CHECKS, name)


def _instructs(program: str, name: str, value: str) -> bool:
    """Whether a flag names a file of instructions or code to load. `-p no:…` of pytest loads nothing."""
    worded = table.WORDED.get(name) or table.WORDED.get(f"{program} {name}")
    if worded is not None:
        return worded.fullmatch(value) is None
    if name in table.INSTRUCTS_ANY:
        return table.USUAL_PLACE.fullmatch(value) is None
    if name not in table.INSTRUCTS.get(program, ()) or table.USUAL_PLACE.fullmatch(value):
        return False
    return not (program == "pytest" and value.startswith("no:"))


def _is_host(word: str) -> bool:
    if table.SCHEME.match(word) or table.USER_AT.match(word) or table.HOST_PORT.match(word):
        return True
    domain = table.DOMAIN.match(word)
    if domain is None or word.startswith((".", "-", "/")) or table.TASKS.fullmatch(word):
        return False
    return bool(domain["path"]) or domain["end"].lower() not in table.FILE_ENDINGS


def _is_setting(name: str, value: str) -> bool:
    """Whether a variable in front of a command is one that turns nothing off."""
    return (
        name in table.SETTINGS
        and bool(table.LOCAL_VALUE.fullmatch(value))
        and not table.OUTSIDE.match(value)
        and ".." not in value
    )


def _programs(line: str) -> Iterator[str]:
    """What is run in the end, and what runs it."""
    for command in parsed(line).commands:
        yield from command.wrappers
        path = command.words[0].text if command.words else ""
        if "/" not in path or not path.endswith(command.program):
            yield command.program
        if command.program in table.PYTHONS and "-m" in command.arguments[:-1]:
            yield command.arguments[command.arguments.index("-m") + 1].partition(".")[0]


def _guards_lost(failed: str, fixed: str) -> Iterator[Power]:
    """Flags and sandboxes that fell away and that had kept something from happening."""
    kept = {word.text.partition("=")[0] for command in parsed(fixed).commands for word in command.words}
    for command in parsed(failed).commands:
        for word in command.words:
            name = word.text.partition("=")[0]
            if name not in kept and (table.GUARDS.fullmatch(name) or name in table.SANDBOXES):
                yield Power(CHECKS, name)


def _commands_added(failed: str, fixed: str) -> Iterator[Power]:
    """Commands that came to the line."""
    before, after = parsed(failed).commands, parsed(fixed).commands
    if len(after) > max(1, len(before)):
        old = {"cd", "pushd", *(command.program for command in before)}
        yield from (Power(OTHER, command.program) for command in after if command.program not in old)


def _names_added(failed: str, fixed: str) -> Iterator[Power]:
    """Names that were given to programs which nobody knows: what they mean cannot be told."""
    strange = [command for command in parsed(fixed).commands if command.program not in table.KNOWN_NAMES]
    before, after = (
        [word for command in commands for word in command.arguments if not word.startswith("-")]
        for commands in (parsed(failed).commands, strange)
    )
    if len(after) > len(before):
        yield from (Power(OTHER, word) for word in after if word not in before and not _is_own_code(word))
