"""Which commands report on the code."""

from tests.every import for_every

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed

CHECKS = """
pytest -q | uv run pytest | poetry run mypy src | python -m pytest | python3 -m unittest | python manage.py test
npm test | npm run lint | pnpm --filter pear test | yarn build | bun run typecheck | npx tsc --noEmit | npx vitest run
cargo test | cargo clippy | cargo fmt --check | go test ./... | go vet ./... | gofmt -l . | golangci-lint run
mvn verify | ./gradlew build | gradle :pear:test | dotnet test | dotnet format | sbt compile | swift build | xcodebuild
make lint | just check | task test | mise run lint | bazel test //... | ninja | ctest | cmake --build build
bundle exec rspec | rubocop | rails test | rake spec | phpunit | vendor/bin/phpstan analyse | php -l a.php
php artisan test | mix test | mix format --check-formatted | flutter analyze | dart test | zig build
terraform validate | helm lint chart
docker build . | pre-commit run -a | git diff --check | gh pr checks 3 | gh run watch 1
next build
"""
OTHERS = """
ls | cat a.py | git status | git diff | git commit -m x | npm install | npm run dev | pip install pear | cargo run
go run . | docker ps | kubectl get pods
terraform apply | python a.py | node a.js | gh pr view 3 | curl http://x | uv sync | make
poetry install | php a.php | bundle install | mix deps.get
"""


def listed(text: str) -> list[str]:
    return [command.strip() for line in text.strip().splitlines() for command in line.split(" | ")]


def main_is_checking(line: str) -> bool:
    main = parsed(line).main
    return main is not None and is_checking(main)


@for_every("line", listed(CHECKS))
def test_tests_linters_and_builds_are_checks(line: str) -> None:
    assert main_is_checking(line)


@for_every("line", listed(OTHERS))
def test_looking_installing_and_running_are_not(line: str) -> None:
    assert not main_is_checking(line)
