"""What can be asked before anything slow is loaded: of a failure, of paths, and of what a command line may do.

One place for what learning, recall and hooks must hold alike: a hook that looked further, or spoke sooner, would say
what the backtest never tried. Plain searches in texts and no patterns: asking loads nothing.

Patterns of paths are as in gitignore: `*` and `?` stay within a name, a whole name `**` is any number of folders, a
pattern without a folder fits at any depth, and what fits a folder means all that is in it. They are compared name by
name, without regular expressions, which can take minutes where several `**` follow each other.

Activities (tests, linters, builds, installers …) are known by names. `activities` asks exactly, with the parser of
command lines; `may_be` gives all that a line could be by its words, and mostly none.
"""

TYPE_CHECKING = False  # as `typing` has it, which takes a hook too long to load
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WRONG = ("no such file", "does not exist", "is a directory", "eisdir", "not a directory")
_BEFORE = ("_", ".", "-")
_AFTER = ("_", ".", "/", "-")
END_CHARS = 60_000  # of either end of an output
LEAST_BELIEF = 0.45  # of what may be said right after a failure


def is_any_call(program: str, words: "Sequence[str]", signature: str, advice: str) -> bool:
    """Whether a trigger means every call of a program, because it is missing: it can be known before the call. Of the
    failures of a program that is there it knows nothing."""
    return bool(program) and not words and not signature and advice.startswith(f"{program} →")


def ends_of(output: str) -> str:
    """An output without the middle of a huge one."""
    return output if len(output) <= 2 * END_CHARS else f"{output[:END_CHARS]}\n{output[-END_CHARS:]}"


def says_missing(error: str) -> bool:
    """Whether an error speaks of a wrong path at all."""
    lowered = error.lower()
    return any(words in lowered for words in _WRONG)


def names_missing(path: str, error: str) -> bool:
    """Whether an error speaks of this wrong path: by itself, and not as a piece of another."""
    return says_missing(error) and _stands_alone(path, error)


def _stands_alone(path: str, error: str) -> bool:
    at = error.find(path)
    while at >= 0:
        end = at + len(path)
        if _is_free(error[max(0, at - 1) : at], _BEFORE) and _is_free(error[end : end + 1], _AFTER):
            return True
        at = error.find(path, at + 1)
    return False


def _is_free(neighbour: str, taken: tuple[str, ...]) -> bool:
    return not neighbour.isalnum() and neighbour not in taken


_FOLDERS = "**"
_PIECE = "*"


def fits_path(pattern: str, path: str) -> bool:
    """Whether a path below the repository is meant by a pattern."""
    wanted = pattern.strip("/").split("/")
    if wanted[-1] == _FOLDERS:
        wanted[-1] = _PIECE
    before = [] if "/" in pattern.rstrip("/") else [_FOLDERS]
    return _fits([*before, *wanted, _FOLDERS], path.lstrip("/").split("/"), _FOLDERS, _is_name)


def _is_name(wanted: str, name: str) -> bool:
    if wanted == name:
        return True
    return ("*" in wanted or "?" in wanted) and _fits(wanted, name, _PIECE, _is_letter)


def _is_letter(wanted: str, letter: str) -> bool:
    return wanted in ("?", letter)


def _fits(wanted: "Sequence[str]", names: "Sequence[str]", gap: str, fits: "Callable[[str, str], bool]") -> bool:
    """Whether all that is given is as wanted. Only the last gap is ever made wider: what came before it stands as far
    left as it can, so another place for it would win nothing."""
    at = here = widened = 0
    last_gap = -1
    while here < len(names):
        if at < len(wanted) and wanted[at] == gap:
            last_gap, widened = at, here
            at += 1
        elif at < len(wanted) and fits(wanted[at], names[here]):
            at += 1
            here += 1
        elif last_gap >= 0:
            widened += 1
            at, here = last_gap + 1, widened
        else:
            return False
    return all(part == gap for part in wanted[at:])


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
