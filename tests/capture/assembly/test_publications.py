"""Messages of commits and pull requests, in the ways in which agents give them."""

from tests.every import for_every

from afterwit.capture.assembly.notes import Published, publications_in
from afterwit.model.kinds import NoteKind

COMMIT, PULL = NoteKind.COMMIT, NoteKind.PULL


@for_every(
    "line, expected",
    [
        ("git commit -m 'Prune the plums'", [Published(COMMIT, "Prune the plums")]),
        ("git commit -am Prune", [Published(COMMIT, "Prune")]),
        ("git commit -m Prune -m 'Because they grew.'", [Published(COMMIT, "Prune\n\nBecause they grew.")]),
        ("git commit --message='Prune'", [Published(COMMIT, "Prune")]),
        ("git add . && git -C x commit -m Prune && git push", [Published(COMMIT, "Prune")]),
        ("git commit -F - <<'EOF'\nPrune\n\nWhy\nEOF", [Published(COMMIT, "Prune\n\nWhy")]),
        (
            "git commit -m \"$(cat <<'EOF'\nPrune\n\nCo-Authored-By: Pear <p@e.x>\nEOF\n)\"",
            [Published(COMMIT, "Prune")],
        ),
        ("gh pr create --title Prune --body 'All rows'", [Published(PULL, "Prune\n\nAll rows")]),
        ("glab mr create -t Prune --description rows", [Published(PULL, "Prune\n\nrows")]),
        ("git commit --amend --no-edit", []),
        ("git log --grep commit", []),
        ("echo commit", []),
        ("gh pr view 3", []),
    ],
)
def test_a_command_line_publishes_its_messages(line: str, expected: list[Published]) -> None:
    assert publications_in(line) == expected
