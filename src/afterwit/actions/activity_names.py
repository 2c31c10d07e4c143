"""The names by which activities are known: test runners, linters, compilers, installers, and tasks that call them.

`activities` and `checks` ask exactly, with the parser of command lines. Whoever has no time for that, such as a hook,
asks `may_be` first: all activities that a line could be by its words, and mostly none. Plain strings and the standard
library's builtins only, so that asking loads nothing.
"""

TESTS = frozenset(
    """pytest py.test jest vitest mocha ava tap rspec phpunit pest ctest playwright cypress nose2 tox nox behave
    cucumber unittest coverage""".split()  # noqa: SIM905
)
LINTS = frozenset(
    """golangci-lint eslint biome oxlint prettier ruff flake8 pylint mypy pyright basedpyright ty black isort
    bandit tsc vue-tsc svelte-check stylelint shellcheck rubocop standardrb sorbet phpstan psalm phpcs pint
    credo dialyzer swiftlint ktlint detekt checkstyle tflint sqlfluff djlint staticcheck gofmt goimports gofumpt
    revive rustfmt clippy hadolint yamllint actionlint typos codespell commitlint knip depcheck pre-commit
    lefthook husky luacheck ansible-lint""".split()  # noqa: SIM905
)
BUILDS = frozenset(
    """rustc gcc g++ cc c++ javac kotlinc scalac ghc msbuild cmake ninja xcodebuild swiftc webpack vite rollup
    esbuild tsup parcel""".split()  # noqa: SIM905
)
LINT_FAMILIES = ("markdownlint", "clang")
TEST_TASKS = ("test", "e2e", "spec")
BUILD_TASKS = ("build", "compile", "assemble")
LINT_TASKS = (
    *("lint", "check", "typecheck", "type-check", "format", "fmt", "verify", "validate", "vet", "clippy", "tidy"),
    *("analyse", "analyze", "dialyzer", "credo"),
)
RUNNERS = frozenset(
    """go cargo make gmake mise just task npm pnpm yarn bun deno npx bunx gradle gradlew mvn mvnw dotnet swift mix
    sbt uv poetry hatch turbo nx lerna rake bundle composer flutter dart ninja bazel bazelisk buck buck2 pants
    invoke next nuxt astro ng expo zig cabal stack rails artisan terraform tofu helm lein clojure gleam meson
    prisma docker podman""".split()  # noqa: SIM905
)
INSTALLERS = frozenset(
    """npm pnpm yarn bun deno pip pip3 uv poetry pdm pipenv pipx conda mamba cargo go gem bundle composer brew apt
    apt-get dnf apk pacman mix dotnet flutter dart mise asdf nuget""".split()  # noqa: SIM905
)
INSTALLS = frozenset(
    """install i ci add remove uninstall sync require get download tidy restore deps.get pip""".split()  # noqa: SIM905
)
FORGES = frozenset(("gh", "glab"))
PROXIES = frozenset(("rtk",))  # run the command that follows, and shorten what it prints
_PYTHONS = ("python", "py", "pypy", "php")
_KEPT = "-_.+"
_APART = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in _KEPT)}


def may_be(command: str) -> set[str]:
    """The activities that a command line could be; never one too few."""
    lowered = command.lower()
    words = {word.removesuffix(".exe") for word in lowered.translate(_APART).split()}
    is_run = bool(words & RUNNERS) or any(word.startswith(_PYTHONS) for word in words)
    activities = {"commit", "push"} & words if "git" in words else set()
    for activity, programs, tasks in (("test", TESTS, TEST_TASKS), ("build", BUILDS, BUILD_TASKS)):
        if words & programs or (is_run and any(task in lowered for task in tasks)):
            activities.add(activity)
    is_linter = bool(words & LINTS) or any(word.startswith(LINT_FAMILIES) for word in words)
    if is_linter or (is_run and (any(task in lowered for task in (*LINT_TASKS, "ci")) or "-l" in words)):
        activities.add("lint")
    if (words & INSTALLERS and (words & INSTALLS or "yarn" in words)) or (is_run and "pip" in words):
        activities.add("install")
    if words & FORGES:
        activities.add("review")
    return activities
