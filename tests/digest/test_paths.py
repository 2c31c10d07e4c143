"""Paths below the repository, and files that a command line shows."""

import pytest

from afterwit.digest.digester import below, shown_by


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/orchard/src/pear.py", "src/pear.py"),
        ("./src/pear.py", "src/pear.py"),
        ("src/pear.py", "src/pear.py"),
        ("/srv/orchard/.claude/worktrees/fix-1/src/pear.py", "src/pear.py"),
        ("/srv/orchards/pear.py", "/srv/orchards/pear.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("", ""),
    ],
)
def test_a_path_is_named_below_its_repository(path: str, expected: str) -> None:
    assert below(path, "/srv/orchard", "/srv/orchard") == expected


def test_paths_of_windows_have_slashes() -> None:
    assert below(r"C:\orchard\src\pear.py", r"C:\orchard", "") == "src/pear.py"


def test_the_root_counts_where_the_session_ran_below_it() -> None:
    assert below("/srv/orchard/web/a.ts", "/srv/orchard/api", "/srv/orchard") == "web/a.ts"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cat src/pear.py", ["src/pear.py"]),
        ("cat 'src/pear.py' README.md | head -3", ["src/pear.py", "README.md"]),
        ("sed -n '1,20p' src/pear.py", ["src/pear.py"]),
        ("cd x && head -20 a.go; tail -n 5 b.go", ["a.go", "b.go"]),
        ("nl -ba src/a.py | sed -n '1,9p'", ["src/a.py"]),
        ("cat <<EOF > a.py", []),
        ("grep -rn pear src", []),
        ("cat -", []),
        ("", []),
    ],
)
def test_files_shown_by_a_command_are_found(line: str, expected: list[str]) -> None:
    assert shown_by(line) == expected
