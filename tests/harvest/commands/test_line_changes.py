"""What made a line work is found, and said in general or not at all."""

import pytest
from tests.every import for_every

from afterwit.harvest.commands.corrections import change_between


@for_every(
    "failed, fixed, change",
    [
        ("wrap pip list", "pip list", "wrap pip → pip"),
        ("cd /x && wrap pip list 2>&1", "pip list | tail -3", "wrap pip → pip"),
        ("git -C /srv/plums status", "git status", "git -C * → git"),
        ("gh pr diff 12 -- src/a.py", "gh pr diff 12", "gh pr diff … -- * → gh pr diff …"),
        ("sort a.txt | cat -A", "sort a.txt | od -c", "cat -A → od -c"),
        ("npm run lint", "npm run lint:fix", "npm run lint → npm run lint:fix"),
        ("python -m press", "uv run python -m press", "python → uv run python"),
        ("tools/press.sh all", "bin/press.sh all", "tools/press.sh → bin/press.sh"),
    ],
)
def test_the_change_is_said_in_general(failed: str, fixed: str, change: str) -> None:
    assert str(change_between(failed, fixed)) == change


@pytest.mark.parametrize(
    ("failed", "fixed"),
    [
        ("cat src/a.py", "cat src/b.py"),
        ("git commit -m 'one'", "git commit -m 'two'"),
        ("make lint", "go test ./..."),
        ("make lint", "make lint"),
        ("rg plum src; rg pear lib", "rg apple docs"),
        ("grep -r plum --include=*.go .", "grep -r plum --include='*.go' ."),
        ("press plums --older 3d now", "press plums --older 3 now"),
    ],
)
def test_another_try_is_no_change(failed: str, fixed: str) -> None:
    assert change_between(failed, fixed) is None
