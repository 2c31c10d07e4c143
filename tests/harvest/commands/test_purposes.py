from tests.every import for_every

from afterwit.actions.shell.parse import parse
from afterwit.harvest.commands.purposes import Purpose, purpose_of


@for_every(
    "line, purpose",
    [
        ("go test ./...", Purpose.TEST),
        ("uv run pytest tests -q", Purpose.TEST),
        ("python -m pytest", Purpose.TEST),
        ("python manage.py test", Purpose.TEST),
        ("cargo nextest run", Purpose.TEST),
        ("npm test", Purpose.TEST),
        ("pnpm run test:unit", Purpose.TEST),
        ("./gradlew :app:testDebugUnitTest", Purpose.TEST),
        ("mvn -q test", Purpose.TEST),
        ("bundle exec rspec", Purpose.TEST),
        ("mix test", Purpose.TEST),
        ("dotnet test", Purpose.TEST),
        ("composer run test", Purpose.TEST),
        ("tox", Purpose.TEST),
        ("make unit-tests", Purpose.TEST),
        ("bun run lint", Purpose.LINT),
        ("golangci-lint run ./...", Purpose.LINT),
        ("go vet ./...", Purpose.LINT),
        ("cargo clippy -- -D warnings", Purpose.LINT),
        ("tox -e lint", Purpose.LINT),
        ("prettier --check .", Purpose.LINT),
        ("gofmt -l .", Purpose.LINT),
        ("cargo fmt --check", Purpose.LINT),
        ("ruff format --check", Purpose.LINT),
        ("npm run format:check", Purpose.LINT),
        ("npm run lint:fix", Purpose.MEND),
        ("ruff check --fix", Purpose.MEND),
        ("biome check --write", Purpose.MEND),
        ("rubocop -A", Purpose.MEND),
        ("golangci-lint run --fix", Purpose.MEND),
        ("golangci-lint fmt", Purpose.FORMAT),
        ("gofmt -w .", Purpose.FORMAT),
        ("black .", Purpose.FORMAT),
        ("just fmt", Purpose.FORMAT),
        ("tsc --noEmit", Purpose.TYPES),
        ("yarn type-check", Purpose.TYPES),
        ("npm run check:types", Purpose.TYPES),
        ("mypy src", Purpose.TYPES),
        ("make", Purpose.BUILD),
        ("cargo build --release", Purpose.BUILD),
        ("mise run build", Purpose.BUILD),
        ("make check", Purpose.CHECK),
        ("pre-commit run --all-files", Purpose.CHECK),
        ("go generate ./...", Purpose.GENERATE),
        ("bun run css:build", Purpose.GENERATE),
        ("npm run dev", Purpose.RUN),
        ("cargo run", Purpose.RUN),
    ],
)
def test_a_command_is_known_by_its_program_or_the_name_of_its_task(line: str, purpose: Purpose) -> None:
    assert purpose_of(parse(line).commands[0]) is purpose


@for_every(
    "line",
    [
        "npm ci",
        "npm install",
        "go mod tidy",
        "pytest --version",
        "make -n test",
        "bun run scripts/test.ts",
        "bun -e 'test()'",
        "npm run beads:check",
        "git status",
        "xargs eslint",
        "ls tests",
    ],
)
def test_other_commands_have_no_purpose(line: str) -> None:
    assert purpose_of(parse(line).commands[0]) is None
