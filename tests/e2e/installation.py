"""An installation of Afterwit that can be moved away, as an upgrade, an uninstallation or another machine does it.

It stands in a folder whose name has a space and a quote in it, and finds the packages of the environment that runs the
tests.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROGRAMS = {"afterwit": "afterwit.cli.main", "afterwit-hook": "afterwit.recall.hook.entry"}


class Installation:
    """A virtual environment with our two programs in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ada's programs"
        self._away = folder / "moved"

    @property
    def program(self) -> Path:
        return self.folder / "bin" / "afterwit"

    def put(self) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.folder)], check=True)
        packages = Path(sysconfig.get_path("purelib", vars=self._places()))
        # A folder of packages is entered by code, because it has such files of its own.
        here = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (packages / "tests.pth").write_text(here, encoding="utf-8")
        python = shlex.quote(str(self.folder / "bin" / "python"))
        for name, module in _PROGRAMS.items():
            code = f"import sys; sys.argv[0] = {str(self.folder / 'bin' / name)!r}; from {module} import main; main()"
            path = self.folder / "bin" / name
            path.write_text(f'#!/bin/sh\nexec {python} -I -c {shlex.quote(code)} "$@"\n', encoding="utf-8")
            path.chmod(0o755)

    def run(self, home: Path, *words: str) -> str:
        """What the program prints."""
        environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [str(self.program), *words],
            cwd=home,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def moved_away(self) -> Iterator[None]:
        self.folder.rename(self._away)
        try:
            yield
        finally:
            self._away.rename(self.folder)

    def _places(self) -> dict[str, str]:
        return {"base": os.fspath(self.folder), "platbase": os.fspath(self.folder)}
