"""What an agent does with an action, as far as the first one of the kind in a session is a moment to say something: an
edit, a run of tests or linters, a build, an installation, a commit, a push, a word on a pull request or an issue; and
which commands report on the code: tests, linters, type checks, builds, and the state of a continuous integration.

One command line can be several. Known by names: of programs, and of tasks that call them. A hook asks
`quick_look.may_be` first, which never names too few, because this module loads the parser of command lines.
"""

from afterwit.actions.quick_look import (
    BUILD_TASKS,
    BUILDS,
    FORGES,
    INSTALLERS,
    INSTALLS,
    LINT_FAMILIES,
    LINT_TASKS,
    LINTS,
    PROXIES,
    RUNNERS,
    TEST_TASKS,
    TESTS,
    may_be,
)
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import MODULE_RUNNERS
from afterwit.actions.shell.tree import Command
from afterwit.model.kinds import CHANGES, ActionKind, Activity
from afterwit.model.text import regex

_CHECKS = TESTS | LINTS | BUILDS
_TASKS = (*TEST_TASKS, *BUILD_TASKS, *LINT_TASKS)
_CI = frozenset(("pr checks", "run watch", "ci status"))
_CI_TASK = regex(r"ci(?!\w)")


def is_checking(command: Command) -> bool:
    """Whether this command reports on the code."""
    program, subcommand, arguments = command.program, command.subcommand, command.arguments
    if is_check(program):
        return True
    if program in RUNNERS:
        return is_task(subcommand) or is_task(" ".join(arguments[:2]))
    if program in MODULE_RUNNERS:
        return _is_checking_script(subcommand, arguments[:2])
    if program == "php":
        return "-l" in command.flags or arguments[:2] == ("artisan", "test")
    if program == "git":
        return subcommand == "diff" and "--check" in command.flags
    return program in ("gh", "glab") and subcommand in _CI


def is_check(program: str) -> bool:
    """Whether a program does nothing but report on the code."""
    return program in _CHECKS or (program.startswith(LINT_FAMILIES) and len(program.split()) == 1)


def is_task(text: str) -> bool:
    """Whether the name of a task promises a report."""
    lowered = text.lower()
    return any(word in lowered for word in _TASKS) or _CI_TASK.search(lowered) is not None


def _is_checking_script(subcommand: str, arguments: tuple[str, ...]) -> bool:
    """`python -m pytest`, `python manage.py test`."""
    if subcommand.startswith("-m "):
        return is_check(subcommand[3:])
    return arguments in (("manage.py", "test"), ("manage.py", "check"))


_REVIEWED = frozenset(("pr", "mr", "issue"))
_LOOKS = frozenset(("view", "list", "status", "diff", "checks", "checkout", "develop", "ls", "co", "show"))
_API_READS = ("get", "list", "search", "read", "fetch", "download")
_API_MATTERS = ("pull_request", "issue", "merge_request", "pullrequest", "review")
_WRITES = frozenset(("-f", "-F", "--field", "--raw-field", "--input"))
_METHODS = frozenset(("POST", "PATCH", "PUT", "DELETE"))
_LONGEST = 65_536


def activities_of(kind: ActionKind, target: str) -> tuple[Activity, ...]:
    """What an action of this kind does: of a shell call the target is its command line, of an MCP call the server and
    its tool. Each activity once, in their order; mostly none."""
    if kind in CHANGES:
        return (Activity.EDIT,)
    if kind is ActionKind.MCP:
        return (Activity.REVIEW,) if _is_review_by_api(target) else ()
    if kind is not ActionKind.SHELL:
        return ()
    done = (_activity(command) for command in parsed(target[:_LONGEST]).commands)
    return tuple(dict.fromkeys(activity for activity in done if activity is not None))


def has_check(line: str) -> bool:
    """Whether a command of a line reports on the code. Few lines that have none are taken apart to find out."""
    may_check = bool(may_be(line)) or "--check" in line
    return may_check and any(is_checking(command) for command in parsed(line).commands)


def _activity(command: Command) -> Activity | None:
    if command.program in PROXIES and command.arguments:
        inner = parsed(" ".join(command.arguments)).commands
        return _activity(inner[0]) if inner and inner[0].program not in PROXIES else None
    if command.program == "git":
        return {"commit": Activity.COMMIT, "push": Activity.PUSH}.get(command.subcommand)
    if command.program in FORGES:
        return Activity.REVIEW if _is_review(command) else None
    if _is_installing(command):
        return Activity.INSTALL
    return _activity_of_check(command) if is_checking(command) else None


def _activity_of_check(command: Command) -> Activity:
    """What a command that reports on the code does: by its program, else by the first words that say a task."""
    module = command.subcommand.removeprefix("-m ")
    for programs, activity in ((TESTS, Activity.TEST), (BUILDS, Activity.BUILD)):
        if command.program in programs or module in programs:
            return activity
    task = f"{command.subcommand} {' '.join(command.arguments[:2])}".lower()
    for tasks, activity in ((TEST_TASKS, Activity.TEST), (BUILD_TASKS, Activity.BUILD)):
        if any(name in task for name in tasks) and not _is_linter(command):
            return activity
    return Activity.LINT


def _is_linter(command: Command) -> bool:
    """Whether the names that follow are files, and not tasks: `ruff check tests`."""
    return is_check(command.program) or is_check(command.subcommand.removeprefix("-m "))


def _is_installing(command: Command) -> bool:
    first, *rest = (*(word for word in command.arguments if not word.startswith("-")), "")
    if command.program in INSTALLERS:
        if first in ("pip", "mod", "tool"):
            return rest[0] in INSTALLS
        return first in INSTALLS or (command.program == "yarn" and not command.arguments)
    return command.subcommand.startswith("-m pip") and "install" in command.arguments


def _is_review(command: Command) -> bool:
    """`gh pr comment`, `gh issue edit`, and writing calls of `gh api` on either."""
    matter, _, verb = command.subcommand.partition(" ")
    if matter == "api" or command.arguments[:1] == ("api",):
        is_writing = bool(_WRITES & set(command.flags)) or bool(_METHODS & {word.upper() for word in command.arguments})
        return is_writing and any(
            f"/{name}/" in f"{word}/" for word in command.arguments for name in ("pulls", "issues")
        )
    return matter in _REVIEWED and bool(verb) and verb not in _LOOKS and command.subcommand not in _CI


def _is_review_by_api(target: str) -> bool:
    tool = target.rpartition("/")[2].lower().replace("-", "_")
    return any(matter in tool for matter in _API_MATTERS) and not tool.startswith(_API_READS)
