"""The forms of checks: what people type, what a line of the brief plainly asks for, and what is refused in words."""

import pytest

from afterwit.knowledge.check_forms import check_from, propose
from afterwit.model.check import Check, CheckKind
from afterwit.model.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "kind", "fields"),
    [
        ("never run git push unless asked", "not-command", {"command": "git push"}),
        ("Never run `git push`.", "not-command", {"command": "git push"}),
        (
            "never run gh pr create unless asked (ship, wrap up)",
            "not-command",
            {"command": "gh pr create", "other": "ship, wrap up"},
        ),
        ("before git commit: make lint", "before", {"command": "git commit", "other": "make lint"}),
        ("pnpm instead of npm", "instead", {"command": "npm", "other": "pnpm"}),
        ("use `uv run pytest` instead of `pytest`", "instead", {"command": "pytest", "other": "uv run pytest"}),
        ("never edit ./src/made/**", "not-file", {"path": "src/made/**"}),
        ("after schema.prisma: npx prisma generate", "after-file", {"path": "schema.prisma"}),
        ('never write "console.log(" in src/**', "not-text", {"pattern": "console.log(", "path": "src/**"}),
        ('never write "console.log(" in **', "not-text", {"pattern": "console.log(", "path": "**"}),
        ("never write Signed-off-by in a commit message", "not-text", {"pattern": "Signed-off-by", "path": ""}),
    ],
)
def test_a_form_is_understood_and_is_written_the_same(typed: str, kind: str, fields: dict[str, str]) -> None:
    check = check_from(typed, repo="orchard")
    assert check.kind == kind
    assert {name: getattr(check, name) for name in fields} == fields
    assert check_from(check.form, repo="orchard") == check


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("be careful", "has no form of a check"),
        ("before git commit: make lint && make test", "is not one plain command"),
        ("never run git push | tee log", "is not one plain command"),
        ("never run $CMD push", "is not one plain command"),
        ("never edit /etc/passwd", "not below the repository"),
        ("never edit ../other/a.py", "not below the repository"),
        ("never edit C:\\orchard\\a.py", "not below the repository"),
        ("never edit **", "means every file"),
        ("never write a in src/**", "would be found anywhere"),
        ("never edit " + "a" * 200, "at most 120 characters"),
        ("before make lint: make lint", "against itself"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_words(typed: str, what: str) -> None:
    with pytest.raises(UsageError, match=what.replace("(", r"\(")):
        check_from(typed)


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("Never push without the user asking for it.", "never run git push unless asked"),
        ("Don't commit unless asked.", "never run git commit unless asked"),
        ("Never run `docker compose up` without asking.", "never run docker compose up unless asked"),
        ("`src/made/**` is never edited; run `make api`.", "never edit src/made/**"),
        ("Use `pnpm`, not `npm`.", "pnpm instead of npm"),
        ("Run `make lint` before every commit.", "before git commit: make lint"),
        ("`make check` must pass before a push.", "before git push: make check"),
        ("After editing `schema.prisma`, run `npx prisma generate`.", "after schema.prisma: npx prisma generate"),
    ],
)
def test_a_line_that_plainly_has_a_form_is_proposed_with_its_words(line: str, form: str) -> None:
    check = propose(line, repo="orchard", notes=("n1",))
    assert check is not None
    assert (check.form, check.sentence, check.notes) == (form, line, ("n1",))


@pytest.mark.parametrize(
    "line", ["Imports are slow here.", "Never mind the press.", "Use `a | b` instead of `c`.", "The push took long."]
)
def test_a_line_without_a_form_is_left_alone(line: str) -> None:
    assert propose(line, repo="orchard") is None


def test_the_id_says_what_is_decided_and_where_and_nothing_of_the_words() -> None:
    plain = check_from("never edit a.py", repo="orchard")
    told = Check(kind=CheckKind.NOT_FILE, path="a.py", repo="orchard", text="Frozen.", notes=("n1",))
    assert plain.id == told.id
    assert plain.id != check_from("never edit a.py", repo="harbour").id
    assert plain.sentence == "Never edit `a.py`."
