"""Which tests are near to a change: those of the rooms that it touches, and those that import what it changed."""

import subprocess
from functools import cache
from pathlib import Path, PurePosixPath

_ROOT = Path(__file__).parents[1]
_SOURCE, _TESTS = PurePosixPath("src/afterwit"), PurePosixPath("tests")


class Change:
    """What differs from a commit, files that git does not know yet included. Without git nothing does."""

    def __init__(self, base: str = "HEAD") -> None:
        changed = _git("diff", "--name-only", base) + _git("ls-files", "--others", "--exclude-standard")
        paths = [PurePosixPath(line) for line in changed]
        self._modules = [_module(path) for path in paths if _SOURCE in path.parents and path.suffix == ".py"]
        self._rooms = {_TESTS / path.parent.relative_to(_SOURCE) for path in paths if _SOURCE in path.parents}
        self._rooms |= {path.parent for path in paths if _TESTS in path.parents}
        if _TESTS / "agents" in {room.parent for room in self._rooms}:  # an agent is loaded by its name
            self._rooms |= {_TESTS / "agents", _TESTS / "capture", _TESTS / "docs"}
        self._rooms -= {_TESTS}
        self._files = set(paths)

    @cache  # noqa: B019 - one change lives as long as the run
    def is_near(self, test_file: str) -> bool:
        path = PurePosixPath(test_file)
        if path in self._files or path.parent in self._rooms:
            return True
        text = (_ROOT / path).read_text(encoding="utf-8") if self._modules else ""
        return any(f"from {module} import" in text for module in self._modules)


def _git(*arguments: str) -> list[str]:
    command = ("git", "-C", str(_ROOT), *arguments)
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []


def _module(path: PurePosixPath) -> str:
    return ".".join(path.relative_to("src").with_suffix("").parts)
