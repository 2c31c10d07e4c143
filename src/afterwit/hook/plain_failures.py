"""Recognises a known failure without loading what computes signatures, where that is safe.

A plain failure is a plain command line that certainly failed, with one line of output that blames the call. It has a
signature if the signature's program is the one that failed and its template is that line, value for value
(`plain_templates`). What is not recognised here is not unknown yet: then the exact question is asked (`firing`). Tests
compare both over many failures.
"""

from afterwit.actions.check_table import reports_on_code
from afterwit.actions.failures.unanswered_words import may_go_unanswered
from afterwit.actions.shell.plain_lines import PlainCommand, main_of, plain_commands
from afterwit.actions.shell.program_table import names
from afterwit.actions.shell_tools import runs_commands
from afterwit.agents.moments import Moment
from afterwit.hook.plain_templates import fits, missing_program, without_severity

_OTHER_ENDINGS = (124, 130, 137, 141)  # out of time, interrupted, killed, broken pipe
_FRAMES = ("Chunk ID: ", "Wall time: ", "Process exited with code ", "Original token count: ", "Total output lines: ")
_ODD_BEGINNINGS = (
    *(
        "[",
        "<",
        "!",
        "#",
        "$",
        "...",
        "---",
        "===",
        "___",
        "***",
        "~~~",
        "command: ",
        "remote: ",
        "go: ",
        "using cached",
    ),
    *("download", "resolv", "fetching", "installing", "compiling", "checking", "building", "collecting", "receiving"),
    *("unpacking", "progress", "added "),
)
_LONGEST_LINE = 300
_SHELL_NAMES = names("bash zsh dash ksh sh")
_LONGEST_PROGRAM = 30
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")
_VERSION = frozenset("0123456789.")
_NO_SUBCOMMAND = frozenset("0123456789./")
_LOOKERS = names("sed cat head tail ls rg grep find awk wc cp mv stat file tree nl less sort cut diff jq touch date")
_REMOVERS = ("rm", "unlink", "rmdir", "kill", "pkill", "killall")
_ANSWERING = names(
    "grep egrep fgrep zgrep rg ag ack findstr diff cmp colordiff zdiff delta test [ expr let which type hash whence"
    " where whereis pgrep pidof pkill killall lsof fuser printenv command ps jq gofmt getent nc systemctl tmux git"
)
_ANSWERS = (1, 2, 3, 4, 123, 127)  # exit codes with which they answer
_TWO = 2
_ANSWERING_TWO = ("getent", "git")
_PATCHERS = ("apply_patch", "applypatch")
_RUN_OWN = names("go cargo deno uv dotnet swift dart")
_RUN_SCRIPTS = names("npm pnpm yarn bun")
_SERVES = ("start", "dev", "serve", "preview")
_INTERPRETERS = names("python python2 python3 node ruby perl deno php lua julia Rscript")
_WRONG_USE = (
    *("unknown option", "unknown flag", "unknown switch", "unknown command", "unknown subcommand", "unknown argument"),
    *("unrecognized option", "unrecognized flag", "unrecognized command", "unrecognized subcommand"),
    *("unrecognized argument", "unexpected argument", "invalid option", "invalid argument", "illegal option"),
)


def plain_signature(signatures: list[str], moment: Moment, output: str) -> str:
    """Which of these signatures the failure plainly has; "" where that has to be asked exactly."""
    line = _only_line(output) if _has_plainly_failed(moment) else ""
    commands = plain_commands(moment.command) if line else None
    if not commands or "/dev/null" in moment.command or any(_is_odd(one, moment.exit_code) for one in commands):
        return ""
    command, said = _spoken(commands, _without_shell(line))
    if command is None or not _blames_the_call(commands, command, said):
        return ""
    head = _name(command)
    for signature in dict.fromkeys(signatures):
        program, _, template = signature.partition(": ")
        if program == head and fits(template, said):
            return signature
    return ""


def _has_plainly_failed(moment: Moment) -> bool:
    has_failed = bool(moment.is_error or moment.exit_code) and moment.exit_code not in _OTHER_ENDINGS
    return has_failed and runs_commands(moment.tool)


def _only_line(output: str) -> str:
    """The one line that is not about the call itself; "" where there are more, or it is not plain."""
    lines = [line for line in output.split("\n") if line.strip() and not _is_frame(line.strip())]
    line = lines[0].strip() if len(lines) == 1 else ""
    is_plain = line.isascii() and line.isprintable() and len(line) <= _LONGEST_LINE and " ".join(line.split()) == line
    is_odd = line.lower().startswith(_ODD_BEGINNINGS) or line[:4].isdigit() or "%" in line
    return line if is_plain and not is_odd else ""


def _is_frame(line: str) -> bool:
    if line.lower().startswith("exit code"):
        return line[len("exit code") :].lstrip(": ").lstrip("-").isdigit()
    return line.startswith(_FRAMES) or line == "Output:"


def _is_odd(command: PlainCommand, exit_code: int | None) -> bool:
    """Whether something else than the message decides: help was asked for, or the exit code may be an answer."""
    program, arguments = command.program, command.arguments
    if "--help" in arguments or arguments[-1:] == ["help"] or program in _PATCHERS:
        return True
    if exit_code not in _ANSWERS or (exit_code == _TWO and program not in _ANSWERING_TWO):
        return False
    return program in _ANSWERING


def _without_shell(line: str) -> str:
    """The line without the shell that says it: `bash: line 1: `, `zsh:1: `."""
    said, colon, rest = line.partition(": ")
    shell, _, number = said.partition(":")
    name = shell.rpartition("/")[2]
    is_shell = shell == "(eval)" or (name in _SHELL_NAMES and shell[0] in ("/", name[0]) and " " not in shell)
    if not colon or not is_shell or (number and not number.isdigit()):
        return line
    where, colon, after = rest.partition(": ")
    is_place = bool(colon) and not number and where.removeprefix("line ").isdigit()
    return after if is_place else rest


def _spoken(commands: list[PlainCommand], line: str) -> tuple[PlainCommand | None, str]:
    """The command that failed, and what it says. None where that is not plain to see."""
    main = main_of(commands)
    name, colon, rest = line.partition(": ")
    is_name = bool(colon) and len(name) <= _LONGEST_PROGRAM and _NAME.issuperset(name) and not missing_program(line)
    speaker = next((command for command in commands if is_name and command.program == name), None)
    if speaker is not None:
        return (speaker if speaker is main or name in _LOOKERS else None), rest
    return (main if all(command is main for command in commands if _is_check(command)) else None), line


def _blames_the_call(commands: list[PlainCommand], command: PlainCommand, said: str) -> bool:
    """Whether what is said is certainly about how the program was called, or about the machine."""
    message = without_severity(said)
    is_removal = command.program in _REMOVERS or said.lower().startswith(_REMOVERS)
    if is_removal or may_go_unanswered(message) or "sage: " in message:
        return False
    main = main_of(commands) or command
    is_about_code = _is_check(main) or main.program == "git" or any(_is_own(one.words) for one in commands)
    return not is_about_code or "command not found" in message or _is_wrong_use(message)


def _is_wrong_use(message: str) -> bool:
    lowered = f" {message.lower()} "
    return any(f" {phrase}{end}" in lowered for phrase in _WRONG_USE for end in (" ", ":", "s "))


def _is_check(command: PlainCommand) -> bool:
    return reports_on_code(command.program, command.subcommand, command.arguments, command.flags)


def _is_own(words: list[str]) -> bool:
    """Whether a command runs a program of the project itself, or may do so."""
    first, second, third = [*words, "", "", ""][:3]
    if "/" in first or (first in _RUN_OWN and second == "run"):
        return True
    if first in _RUN_SCRIPTS and (second.startswith(_SERVES) or (second == "run" and third.startswith(_SERVES))):
        return True
    if first == "bun":
        return bool({".", "/"} & set(second))
    return first in _INTERPRETERS


def _name(command: PlainCommand) -> str:
    """The program and its subcommand, as signatures begin."""
    subcommand = command.subcommand if _NO_SUBCOMMAND.isdisjoint(command.subcommand) else ""
    program = command.program
    for known in ("python", "pip"):
        version = program.removeprefix(known)
        if version != program and version[:1].isdigit() and _VERSION.issuperset(version):
            program = known
    return f"{program} {subcommand}".strip()
