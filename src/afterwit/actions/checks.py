"""Which commands report on the code: tests, linters, type checks, builds, and the state of a continuous integration.

Known by names: of test runners, linters, type checkers and compilers, and of tasks that call them (`activity_names`).
"""

from afterwit.actions.activity_names import (
    BUILD_TASKS,
    BUILDS,
    LINT_FAMILIES,
    LINT_TASKS,
    LINTS,
    RUNNERS,
    TEST_TASKS,
    TESTS,
)
from afterwit.actions.shell.program_table import MODULE_RUNNERS, names
from afterwit.actions.shell.tree import Command

_CHECKS = TESTS | LINTS | BUILDS
_TASKS = (*TEST_TASKS, *BUILD_TASKS, *LINT_TASKS)
_CI = names("pr_checks run_watch ci_status")


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
    return program in ("gh", "glab") and subcommand.replace(" ", "_") in _CI


def is_check(program: str) -> bool:
    """Whether a program does nothing but report on the code."""
    return program in _CHECKS or (program.startswith(LINT_FAMILIES) and len(program.split()) == 1)


def is_task(text: str) -> bool:
    """Whether the name of a task promises a report."""
    lowered = text.lower()
    return any(word in lowered for word in _TASKS) or _ends_word(lowered, "ci")


def _ends_word(text: str, ending: str) -> bool:
    at = text.find(ending)
    while at >= 0:
        following = text[at + len(ending) : at + len(ending) + 1]
        if not (following.isalnum() or following == "_"):
            return True
        at = text.find(ending, at + 1)
    return False


def _is_checking_script(subcommand: str, arguments: tuple[str, ...]) -> bool:
    """`python -m pytest`, `python manage.py test`."""
    if subcommand.startswith("-m "):
        return is_check(subcommand[3:])
    return arguments in (("manage.py", "test"), ("manage.py", "check"))
