"""Puts manual pages and scripts for shells into the wheel, below `share`, where `man`, bash, zsh and fish look.

They are made of the commands themselves while the wheel is built, as `make man` and `afterwit completion` do it; so
building needs what the program needs. An installation of a clone (`-e`) goes without them.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WRITE = """
import sys
root, folder = sys.argv[1:]
sys.path[:0] = [f"{root}/src", f"{root}/docs"]
from shared_files import write
write(folder)
"""


class SharedFiles(BuildHookInterface[Any]):
    """The build hook `custom` of `pyproject.toml`."""

    def dependencies(self) -> list[str]:
        return list(self.metadata.core.dependencies)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-c", _WRITE, self.root, self._folder.name]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(f"Manual pages and shell scripts cannot be made:\n{ran.stderr}")
        folder = Path(self._folder.name)
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            build_data["shared_data"][str(file)] = f"share/{file.relative_to(folder).as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if version != "editable":
            self._folder.cleanup()
