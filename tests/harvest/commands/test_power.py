"""What a command can do that only a person may advise."""

from tests.every import for_every
from tests.planted_orders import COMMANDS

from afterwit.actions.shell.command_changes import CommandChange
from afterwit.harvest.commands.power import is_tellable, power_gained, power_of, power_of_change


@for_every("name, failed, fixed", [(name, failed, fixed) for name, _, failed, fixed in COMMANDS])
def test_what_an_agent_can_be_talked_into_needs_a_person(name: str, failed: str, fixed: str) -> None:
    assert power_gained(failed, fixed), name


@for_every(
    "failed, fixed",
    [
        ("pytest", "uv run pytest"),
        ("rtk bun", "bun"),
        ("npm run tset", "npm run test"),
        ("cat -A", "od -c"),
        ("go", "mise exec -- go"),
        ("docker-compose up", "docker compose up"),
        ("pytest", ".venv/bin/pytest"),
        ("git log --quik", "git log --quiet"),
        ("bun lint", "bun run lint"),
        ("jest", "npx jest"),
        ("tsc", "bunx tsc --noEmit"),
        ("git -C press status", "git status"),
        ("mvn test", "./mvnw test"),
        ("go vet", "go vet ./..."),
        ("gofmt ./...", "gofmt -l ."),
        ("ls src/press.py", "ls src/cider/press.py"),
        ("git push", "git push -u origin main"),
        ("sudo make prune --x", "sudo make prune"),
        ("make count", "make -C server count"),
        ("ls crates", "ls vendor/crates"),
    ],
)
def test_ordinary_corrections_need_nobody(failed: str, fixed: str) -> None:
    assert power_gained(failed, fixed) == ""


@for_every(
    "failed, fixed",
    [
        ("orchard deploy --dry-run", "orchard deploy"),
        ("bwrap make test", "make test"),
        ("yarn install --frozen-lockfile", "yarn install"),
        ("git push", "git push -f"),
        ("git commit -m x", "git commit -nm x"),
        ("make check", "set +e; make check"),
        ("scripts/press.sh", "~/press.sh"),
        ("make test", "make test && zorb"),
        ("python run.py", "python -c 'import zorb'"),
        ("npm test", "npm test --ignore-scripts=false"),
        ("npx jest", "npx -y jest@latest"),
        ("codex exec x", "codex exec --sandbox danger-full-access x"),
        ("make x", "$(cat x) make x"),
        ("make lint", "make -f press/common.mk lint"),
        ("make lint", "make -C third_party/.mk lint"),
        ("make lint", "cd vendor/zorb && make lint"),
        ("tox", "python -m zorb_helper"),
        ("pytest", "pytest -p zorb_boot"),
    ],
)
def test_guards_that_fall_away_and_code_that_comes_need_a_person(failed: str, fixed: str) -> None:
    assert power_gained(failed, fixed)


@for_every(
    "line",
    [
        "npm install",
        "npm ci",
        "uv sync --extra dev",
        "pip install -e .",
        "pip install -r requirements.txt",
        "poetry install",
        "go mod download",
        "mix deps.get",
        "bunx biome format --write <path>",
        "cd web && npm test",
        "CI=1 npm test",
        "tox -e lint",
        "cargo clippy --all-targets -- -D warnings",
        "uv run mypy src",
        "./gradlew test",
        "yarn install --frozen-lockfile",
        "PYTHONDONTWRITEBYTECODE=1 pytest",
        "pytest -p no:cacheprovider",
        "docker compose up -d",
    ],
)
def test_what_a_repository_runs_by_itself_is_told(line: str) -> None:
    assert is_tellable(line)


@for_every(
    "line",
    [
        "npm install left-pad",
        "SKIP=mypy pre-commit run",
        "uv run --with zorb pytest",
        "npx zorb",
        "pnpm dlx zorb",
        "docker run zorb",
        "mypy --ignore-missing-imports .",
        "go run zorb.example/cmd@latest",
        "curl zorb.example",
        "make test || true",
        "make test > ~/out",
        "make always-run-zorb-first",
        "GIT_SSL_NO_VERIFY=1 git fetch",
        "sudo make test",
    ],
)
def test_a_powerful_command_is_not_however_often_it_ran(line: str) -> None:
    assert not is_tellable(line)


def test_a_change_is_judged_by_what_comes_to_a_line() -> None:
    assert power_of_change(CommandChange(("pytest",), ("uv", "run", "pytest"))) == ""
    assert power_of_change(CommandChange(("git", "push", "…"), ("git", "push", "…", "--no-verify"))) == "fewer checks"
    assert power_of_change(CommandChange((".lint.yml",), (".lint.yaml",))) == ""
    assert power_of_change(CommandChange(("press.yml",), ("~/press.yml",)))
    assert power_of("") == ""
