"""Which class a failed action belongs to: who has to change what before it works.

Three things decide, in this order: how the call ended (denied, cancelled), whose tool it was (an agent's own tool
breaks a contract), and for commands what the message says together with what the program is for. A report about the
code outranks everything that its text quotes: a test that prints "connection reset" is work. What the message complains
of is the command's fault if the command names it, and the project's otherwise.
"""

import re

from afterwit.actions.activities import is_checking
from afterwit.actions.failures import messages as says
from afterwit.actions.failures.excerpt import below_headlines
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import names
from afterwit.actions.shell.tree import Command
from afterwit.model.kinds import ActionKind, FailureClass, Status, Step
from afterwit.model.text import regex

_OWN = regex(
    r"^(?:go run|cargo run|bun \S*[./]|node \S*[./]|deno run|uv run|python3? \S+\.py|ruby \S+\.rb|php \S+\.php"
    r"|perl \S+\.p[lm]|lua \S+\.lua|Rscript \S+|dotnet run|swift run|dart run"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:start|dev|serve|preview)\b|(?:ba|z)?sh \S*[./])"
)
_INLINE = regex(
    r"\b(?:python3?|node|bun|ruby|perl|deno|php|lua|julia|Rscript)\s+(?:-\S+\s+)*(?:-c|-e|-p|-r|--eval|eval|-)(?:\s|$)"
)
_PROGRAM_FAULT = regex(r"\b[A-Z]\w*(?:Error|Exception)\b|\bTraceback\b|<string>|<stdin>|\[eval\]|^-e:\d+")
_SEARCHES = names("grep rg egrep fgrep ag ack diff cmp test [ [[ which type command find fd ls pgrep lsof")
_LOOKERS = names("sed cat head tail ls rg grep find awk wc cp mv rm stat file tree nl less sort cut diff jq touch date")
_SILENCED = regex(r"2>\s?/dev/null|&>\s?/dev/null")
_SELF_SPEAKING = regex(r"^(?:/\S*/)?(?P<program>[\w.+-]{1,30}): ")
_MISSING = regex(
    r"(?i)(?:not found|no such file or directory|does not exist|can't (?:read|open) file"
    r"|cannot open): ?['\"`‘]?(?P<after>[^\s'\"`’]+)"
    r"|(?<![^\s'\"`‘’:])(?P<before>[^\s'\"`‘’:]++)['\"`’]?: (?:Cannot open: )?(?:no such file|is a directory"
    r"|not a directory|directory not)",
)
_NOTHING_TO_REMOVE = regex(
    r"(?i)"
    r"(?:rm|unlink|rmdir)\b.{0,300}No such file|(?:bash: |zsh: )?(?:line \d+: )?p?kill(?:all)?\b.{0,60}No such process",
)
_VERSION = regex(r"(?<=.)[@=<>~^].*$")
_SHORTEST_NAME = 2
_LONGEST_LINE = 4_000
_LONGEST_REPORT = 40_000
_INTERRUPTED = 130  # 128 + SIGINT
_OUT_OF_TIME = 124  # of `timeout`
_CANNOT_RUN = (126, 127)  # of a shell: not executable, not found
_KILLED = 137  # 128 + SIGKILL, mostly for want of memory


def classify(step: Step, command: str = "", rules: bool = False) -> FailureClass:
    """The class of a failed step. `command` is the line behind it, `rules` whether its output reported rule ids."""
    if step.status is Status.DENIED:
        return FailureClass.DENIED
    if step.status is Status.CANCELLED:
        return FailureClass.CANCELLED
    if step.kind is not ActionKind.SHELL:
        return FailureClass.TRANSIENT if _is_passing_fault(step) else FailureClass.TOOL_CONTRACT
    if says.CONTRACT.are_in(step.error):
        return FailureClass.TOOL_CONTRACT
    if step.exit_code == _INTERRUPTED:
        return FailureClass.CANCELLED
    line = command or step.target
    main = parsed(line).main
    if step.exit_code == _KILLED and not says.TESTS.are_in(step.error):
        return FailureClass.ENVIRONMENT
    failure = _of_command(line, main, below_headlines(step.error), rules)
    if failure is FailureClass.UNCLEAR:
        failure = _of_command(line, main, step.error, rules)
    return failure if failure is not FailureClass.UNCLEAR else _by_exit(step.exit_code)


def _is_passing_fault(step: Step) -> bool:
    if step.kind not in (ActionKind.WEB, ActionKind.MCP, ActionKind.DELEGATE):
        return False
    return says.TRANSIENT.are_in(step.error) or says.WAITED.are_in(step.error)


def _of_command(line: str, main: Command | None, error: str, rules: bool) -> FailureClass:
    is_check = main is not None and is_checking(main)
    if _is_probe(line, main, error):
        return FailureClass.ANSWER
    if _is_blamed(line, error, is_check=is_check):
        return FailureClass.INVOCATION
    if (is_check and _is_blocked(error)) or says.BLOCKED.are_in(error):
        return FailureClass.TRANSIENT if says.RATE.are_in(error) else FailureClass.ENVIRONMENT
    if says.TESTS.are_in(error) or (is_check and _is_report(error, rules)):
        return FailureClass.WORK
    if _is_spoken_by_looker(error):
        return FailureClass.ENVIRONMENT if says.ENVIRONMENT.are_in(error) else FailureClass.INVOCATION
    return _by_message(line, main, error, is_work=is_check or rules)


def _by_message(line: str, main: Command | None, error: str, *, is_work: bool) -> FailureClass:
    """What the message says, the most telling phrases first."""
    if _is_passing(error, is_work=is_work):
        return FailureClass.TRANSIENT
    if says.STATE.are_in(error):
        return FailureClass.WORK
    if says.NO_PACKAGE.are_in(error):
        return FailureClass.INVOCATION if main is not None and _operands(main) else FailureClass.WORK
    if _INLINE.search(line) and _PROGRAM_FAULT.search(error) and not says.ENVIRONMENT.are_in(error):
        return FailureClass.INVOCATION
    if says.SUGGESTS.are_in(error) and not is_work:
        return FailureClass.INVOCATION
    if says.ENVIRONMENT.are_in(error) or (says.NO_COMMAND.are_in(error) and not _class_by_name(line, error)):
        return FailureClass.ENVIRONMENT
    if says.BUILD.are_in(error):
        return FailureClass.WORK
    if says.NO_PROJECT.are_in(error) or says.USAGE.are_in(error):
        return FailureClass.INVOCATION
    is_own = main is not None and _is_own(main, line)
    if is_work or says.CODE_PLACE.match(error) or (is_own and _PROGRAM_FAULT.search(error)):
        return FailureClass.WORK
    if says.PLACE.are_in(error):
        return FailureClass.INVOCATION
    if is_own:
        return FailureClass.WORK
    if says.BLAMES.are_in(error) or _class_by_name(line, error.partition("\n")[0]):
        return FailureClass.INVOCATION
    return _without_message(main, error)


def _is_probe(line: str, main: Command | None, error: str) -> bool:
    """A question whose answer was no: help that ends with an error, a look with its complaints silenced, the removal of
    what is not there."""
    if main is None:
        return False
    if "--help" in main.flags or main.arguments[-1:] == ("help",):
        return says.ASKED_FOR.are_in(error)
    if _NOTHING_TO_REMOVE.match(error):
        return True
    return main.program in _LOOKERS and _SILENCED.search(line) is not None and not _complains(error)


def _is_blamed(line: str, error: str, *, is_check: bool) -> bool:
    """Whether the first line complains of something that the command line names: an option, a script, a path."""
    first = error.strip().partition("\n")[0][:_LONGEST_LINE]
    is_named = any(form.are_in(first) for form in (says.TESTS, says.BUILD, says.ENVIRONMENT))
    if is_named or says.CODE_PLACE.search(first):
        return False
    if is_check and says.TALLIES.are_in(first):
        return False
    if says.USAGE.are_in(first) and _class_by_name(line, first):
        return True
    missing = _MISSING.search(first) if is_check else None
    if missing is None:
        return False
    name = (missing["after"] or missing["before"]).strip("/:")
    return any(name == word or name.endswith(f"/{word}") for word in _words(line))


def _class_by_name(line: str, error: str) -> bool:
    """Whether the message speaks of a word of the command line."""
    said = "\n".join(error.splitlines()[:3])
    words = (word for word in _words(line) if len(word) > _SHORTEST_NAME and word in said)
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?!\w)", said) for word in words)


def _operands(main: Command) -> list[str]:
    """What a command was given beyond its subcommand and its options."""
    arguments = main.arguments[len(main.subcommand.split()) :]
    return [word for word in arguments if not word.startswith("-")]


def _words(line: str) -> frozenset[str]:
    """What the commands of a line were given, without versions: names of things, options, paths."""
    arguments = (word for command in parsed(line).commands for word in command.arguments)
    return frozenset(_VERSION.sub("", word.partition("=")[0]).strip("'\"/") or word for word in arguments)


def _is_blocked(error: str) -> bool:
    """A check that could not run: the first line of its report is about the machine."""
    first = error.partition("\n")[0][:_LONGEST_LINE]
    is_report = says.TESTS.are_in(first) or says.TALLIES.are_in(first) or says.CODE_PLACE.match(first)
    return says.ENVIRONMENT.are_in(first) and not is_report


def _is_report(error: str, rules: bool) -> bool:
    is_told = says.TALLIES.are_in(error) or says.LINT.are_in(error) or says.CODE_PLACE.match(error)
    return rules or bool(is_told)


def _is_passing(error: str, *, is_work: bool) -> bool:
    if says.TRANSIENT.are_in(error):
        return True
    waited = next((line for line in error.splitlines() if says.WAITED.are_in(line)), None)
    return waited is not None and (not is_work or says.OVER_THE_NETWORK.are_in(waited))


def _is_spoken_by_looker(error: str) -> bool:
    """A program that only looks at files complains about what it was given."""
    spoken = _SELF_SPEAKING.match(error)
    return spoken is not None and spoken["program"] in _LOOKERS and _complains(error)


def _complains(error: str) -> bool:
    error = error[:_LONGEST_REPORT]
    return says.PLACE.are_in(error) or says.USAGE.are_in(error) or says.ENVIRONMENT.are_in(error)


def _is_own(main: Command, line: str) -> bool:
    """Whether the line runs a program of the project itself."""
    words = " ".join(word.text for word in main.words[:3])
    return words.startswith(("./", "bin/", "scripts/", "dist/")) or bool(_OWN.match(words)) or bool(_OWN.match(line))


def _without_message(main: Command | None, error: str) -> FailureClass:
    if main is None:
        return FailureClass.UNCLEAR
    if main.program in _SEARCHES:
        return FailureClass.INVOCATION if error else FailureClass.ANSWER
    if main.program == "git" and (error or main.subcommand == "commit"):
        return FailureClass.WORK
    return FailureClass.UNCLEAR


def _by_exit(code: int | None) -> FailureClass:
    if code == _OUT_OF_TIME:
        return FailureClass.TRANSIENT
    return FailureClass.ENVIRONMENT if code in _CANNOT_RUN else FailureClass.UNCLEAR
