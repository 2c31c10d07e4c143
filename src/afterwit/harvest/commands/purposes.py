"""What a command is run for: to test, lint, check types, format, build, generate, run.

Told by the program where it has one use, else by the name of the task or subcommand, so that the scripts which a
project invents for itself are understood as well: `npm run test:unit`, `make lint`, `mise run build`. A command that
is none of these has no purpose here.
"""

from enum import StrEnum

from afterwit.actions.shell.programs import MODULE_RUNNERS, names
from afterwit.actions.shell.tree import Command
from afterwit.model.text import regex

_RUNNERS = names(
    "go cargo make gmake mise just task npm pnpm yarn bun deno gradle gradlew mvn mvnw dotnet swift mix sbt uv poetry"
    " hatch pdm turbo nx lerna rake bundle composer flutter dart bazel bazelisk buck buck2 pants invoke inv next nuxt"
    " astro ng vite zig cabal stack rails artisan lein gleam meson"
)
_CI_INSTALLS = names("npm pnpm bun yarn")
_RUNS_CODE = names("cargo go dotnet swift zig stack cabal make gmake just task mise rake sbt gradle gradlew")
_MENDS = names("--fix --write -w -i -a -A --autocorrect --autocorrect-all --apply --unsafe --in-place")
_ONLY_LOOKS = names("--check --diff --list-different -l --verify-no-changes --check-formatted")
_WRITES_ONLY_IF_TOLD = names("prettier gofmt goimports gofumpt shfmt clang-format taplo")
_ASKS = names("--help --version -h -V --list --list-tests --showConfig -n -qp -pn --dry-run --just-print")
_INLINE = names("-e -p -c --eval --print")
_TOKEN = regex(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_FILLER = names("run all unit integration full quick fast ci do project")
_MADE = names("css styles docs types schema client api assets i18n icons grammar parser proto sdk openapi graphql")
_FILE = regex(r"/|\.\w{1,5}\Z")
_MOST_TASKS = 2


class Purpose(StrEnum):
    TEST = "test"
    LINT = "lint"
    TYPES = "types"
    CHECK = "check"  # several of these at once, or what the project calls so
    MEND = "mend"  # a linter that puts right what it can
    FORMAT = "format"
    BUILD = "build"
    GENERATE = "generate"
    RUN = "run"


CHANGING = frozenset((Purpose.MEND, Purpose.FORMAT, Purpose.GENERATE))
"""Purposes whose commands change files."""

_PROGRAMS: dict[str, Purpose] = {
    program: purpose
    for purpose, programs in {
        Purpose.TEST: "pytest py.test jest vitest mocha ava tap rspec phpunit pest ctest playwright cypress nose2 tox"
        " nox behave cucumber unittest bats gotestsum busted",
        Purpose.LINT: "golangci-lint eslint biome oxlint ruff flake8 pylint bandit stylelint shellcheck rubocop"
        " standardrb phpcs swiftlint ktlint detekt checkstyle tflint sqlfluff djlint staticcheck revive clippy"
        " markdownlint markdownlint-cli2 hadolint yamllint actionlint typos codespell knip luacheck ansible-lint",
        Purpose.TYPES: "mypy pyright basedpyright ty tsc vue-tsc svelte-check sorbet phpstan psalm dialyzer",
        Purpose.FORMAT: "prettier black isort gofmt goimports gofumpt rustfmt clang-format pint scalafmt stylua"
        " shfmt taplo",
        Purpose.BUILD: "webpack rollup esbuild tsup parcel cmake ninja xcodebuild msbuild",
        Purpose.CHECK: "pre-commit lefthook",
        Purpose.GENERATE: "protoc buf sqlc",
        Purpose.RUN: "uvicorn gunicorn nodemon air",
    }.items()
    for program in programs.split()
}
KNOWN_PROGRAMS = frozenset((*_PROGRAMS, *_RUNNERS))
"""Programs that are run for a purpose."""

_TASKS: tuple[tuple[frozenset[str], Purpose], ...] = (
    (names("typecheck types tsc mypy pyright dialyzer dialyze"), Purpose.TYPES),
    (names("test tests spec specs e2e unittest nextest pytest vitest jest"), Purpose.TEST),
    (
        names("lint linter linters vet clippy eslint credo rubocop analyze analyse stylelint ktlint detekt"),
        Purpose.LINT,
    ),
    (names("fix autofix mend"), Purpose.MEND),
    (names("format fmt formatter prettier tidy spotless"), Purpose.FORMAT),
    (names("generate gen codegen proto protos bindings"), Purpose.GENERATE),
    (names("build compile assemble package bundle dist"), Purpose.BUILD),
    (names("check checks verify validate ci precommit qa"), Purpose.CHECK),
    (names("dev start serve server preview"), Purpose.RUN),
)


def purpose_of(command: Command) -> Purpose | None:
    program = command.program
    is_script = program in ("bun", "deno", "node") and not _INLINE.isdisjoint(command.flags)
    if "xargs" in command.wrappers or is_script or not _ASKS.isdisjoint(command.flags):
        return None
    if program in MODULE_RUNNERS:
        return _of_module(command)
    if program in _PROGRAMS:
        return _of_program(_PROGRAMS[program], command)
    if program in _RUNNERS:
        return _of_task(command)
    return None


def _of_module(command: Command) -> Purpose | None:
    """`python -m pytest`, `python manage.py test`."""
    if command.subcommand.startswith("-m "):
        purpose = _PROGRAMS.get(command.subcommand[3:])
        return _of_program(purpose, command) if purpose else None
    if command.arguments[:1] == ("manage.py",):
        return {"test": Purpose.TEST, "check": Purpose.CHECK, "runserver": Purpose.RUN}.get(
            "".join(command.arguments[1:2])
        )
    return None


def _of_program(purpose: Purpose, command: Command) -> Purpose:
    flags = frozenset(command.flags)
    words = frozenset(command.arguments[:3])
    if purpose is Purpose.LINT and not words.isdisjoint(("format", "fmt")):
        purpose = Purpose.FORMAT
    if purpose is Purpose.FORMAT:
        stays = flags & _ONLY_LOOKS or (command.program in _WRITES_ONLY_IF_TOLD and not flags & _MENDS)
        return Purpose.LINT if stays else Purpose.FORMAT
    if purpose is Purpose.LINT and flags & _MENDS:
        return Purpose.MEND
    if command.program in ("tox", "nox"):
        return _purpose_by_name(" ".join(_operands(command)[:1])) or purpose
    return purpose


def _of_task(command: Command) -> Purpose | None:
    """By the name of the task: `run lint:fix`, `:app:testDebug`, `check-types`."""
    if command.program in ("make", "gmake") and not command.subcommand:
        return Purpose.BUILD
    task = command.subcommand or " ".join(_operands(command)[:_MOST_TASKS])
    first, _, rest = task.partition(" ")
    if first in ("run", "run-script", "task", "tasks") and rest:
        task = rest
    elif first == "run":
        return Purpose.RUN if command.program in _RUNS_CODE else None
    if (
        _FILE.search(task)
        or task in ("install", "mod tidy")
        or (command.subcommand == "ci" and command.program in _CI_INSTALLS)
    ):
        return None
    if command.program == "vite" and not task:
        return Purpose.RUN
    purpose = _purpose_by_name(task)
    if purpose in (Purpose.FORMAT, Purpose.MEND) and not _ONLY_LOOKS.isdisjoint(command.flags):
        return Purpose.LINT
    return Purpose.MEND if purpose is Purpose.LINT and not _MENDS.isdisjoint(command.flags) else purpose


def _operands(command: Command) -> list[str]:
    return [word for word in command.arguments if not word.startswith("-")]


def _purpose_by_name(task: str) -> Purpose | None:
    """The purpose that a task's name tells. One that begins with something else, as `docs:check`, is of that alone."""
    name = task.rpartition(":")[2] if task.startswith(":") else task
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    while len(tokens) > 1 and tokens[0] in _FILLER:
        del tokens[0]
    purpose = next((purpose for words, purpose in _TASKS if tokens and tokens[0] in words), None)
    if purpose is not None:
        return _modify(purpose, frozenset(tokens))
    if tokens[:2] == ["type", "check"]:
        return Purpose.TYPES
    is_made = len(tokens) > 1 and tokens[0] in _MADE and tokens[1] in ("build", "compile", "update", "sync")
    return Purpose.GENERATE if is_made else None


def _modify(purpose: Purpose, tokens: frozenset[str]) -> Purpose:
    if tokens & {"type", "types"}:
        return Purpose.TYPES
    if purpose is Purpose.LINT and tokens & {"fix", "write"}:
        return Purpose.MEND
    if purpose is Purpose.CHECK and tokens & {"fmt", "format", "lint", "style"}:
        return Purpose.LINT
    return Purpose.LINT if purpose is Purpose.FORMAT and tokens & {"check", "verify"} else purpose
