"""Which commands report on the code: tests, linters, type checks, builds, and the state of a continuous integration."""

import re

from afterwit.actions.programs import MODULE_RUNNERS, names
from afterwit.actions.shell_tree import Command

_CHECKS = re.compile(
    r"^(?:pytest|py\.test|jest|vitest|mocha|ava|tap|rspec|phpunit|pest|ctest|playwright|cypress|nose2|tox|nox"
    r"|behave|cucumber"
    r"|golangci-lint|eslint|biome|oxlint|prettier|ruff|flake8|pylint|mypy|pyright|basedpyright|ty|black|isort"
    r"|bandit|tsc|vue-tsc"
    r"|svelte-check|stylelint|shellcheck|rubocop|standardrb|sorbet|phpstan|psalm|phpcs|pint|credo|dialyzer"
    r"|swiftlint|ktlint"
    r"|detekt|checkstyle|tflint|sqlfluff|djlint|staticcheck|gofmt|goimports|gofumpt|revive|rustfmt|clippy"
    r"|markdownlint\S*"
    r"|hadolint|yamllint|actionlint|typos|codespell|commitlint|knip|depcheck|rustc|gcc|g\+\+|clang\S*|cc|c\+\+"
    r"|javac|kotlinc"
    r"|scalac|ghc|msbuild|cmake|ninja|xcodebuild|swiftc|webpack|vite|rollup|esbuild|tsup|parcel|pre-commit|lefthook"
    r"|husky"
    r"|unittest|coverage|luacheck|ansible-lint)$"
)
_TASK = re.compile(
    r"test|lint|check|build|compile|typecheck|type-check|format|fmt|verify|validate|vet|clippy|ci\b|e2e|spec|tidy"
    r"|analy[sz]e|assemble|dialyzer|credo",
    re.IGNORECASE,
)
_RUNNERS = names(
    "go cargo make gmake mise just task npm pnpm yarn bun deno npx bunx gradle gradlew mvn mvnw dotnet swift mix sbt"
    " uv poetry hatch turbo nx lerna rake bundle composer flutter dart ninja bazel bazelisk buck buck2 pants invoke"
    " next nuxt astro ng expo zig cabal stack rails artisan terraform tofu helm lein clojure gleam meson prisma"
    " docker podman"
)
_CI = names("pr_checks run_watch ci_status")


def is_checking(command: Command) -> bool:
    """Whether this command reports on the code."""
    program, subcommand = command.program, command.subcommand
    if _CHECKS.match(program):
        return True
    if program in _RUNNERS:
        return bool(_TASK.search(subcommand) or _TASK.search(" ".join(command.arguments[:2])))
    if program in MODULE_RUNNERS:
        return _is_checking_script(command)
    if program == "php":
        return "-l" in command.flags or command.arguments[:2] == ("artisan", "test")
    if program == "git":
        return subcommand == "diff" and "--check" in command.flags
    return program in ("gh", "glab") and subcommand.replace(" ", "_") in _CI


def _is_checking_script(command: Command) -> bool:
    """`python -m pytest`, `python manage.py test`."""
    if command.subcommand.startswith("-m "):
        return bool(_CHECKS.match(command.subcommand[3:]))
    return command.arguments[:2] in (("manage.py", "test"), ("manage.py", "check"))
