"""Checkouts with files in them, made with git as people use it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

START_S = 1_777_888_800


class Worked(NamedTuple):
    """A checkout that somebody works in."""

    root: Path

    @property
    def git_dir(self) -> Path:
        return self.root / ".git"

    def git(self, *words: str, at_s: int = 0, given: bytes = b"") -> str:
        """Runs git there, in surroundings that are always the same, at a time after the start."""
        stamp = f"{START_S + at_s} +0000"
        who = {f"GIT_{role}_{what}": "ada" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        quiet = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        dates = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        command = ["git", "-C", str(self.root), *words]
        environ = quiet | who | dates
        done = subprocess.run(command, input=given, env=environ, check=True, capture_output=True, timeout=60)
        return done.stdout.decode().strip()

    def commit(self, files: Mapping[str, str], message: str, at_s: int = 0) -> str:
        """Writes these files beside those that are there, and commits all."""
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, at_s=at_s)
        return self.git("rev-parse", "HEAD")


def worked(folder: Path) -> Worked:
    """A new checkout without a commit."""
    folder.mkdir(parents=True)
    place = Worked(folder)
    place.git("init", "-q", "-b", "main")
    return place
