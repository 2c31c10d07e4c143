"""Opens the target that a text names: a path, a URL that `fsspec` knows, or a git remote.

`git+URL`, `user@host:path` and URLs that end with `.git` are git remotes; other texts with `://` are for `fsspec`, and
the rest are folders. What is fetched meanwhile lies in a folder of its own, which is gone afterwards.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from afterwit.config.world import World
from afterwit.extras.backup.targets.folder import FolderTarget
from afterwit.extras.backup.targets.target import Target
from afterwit.model.errors import UsageError
from afterwit.model.text.urls import has_password

_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)\S+")
_FILE = "file://"
_GIT = "git+"


def is_git(text: str) -> bool:
    return text.startswith(_GIT) or bool(_SCP.fullmatch(text)) or ("://" in text and text.endswith(".git"))


def is_folder(text: str) -> bool:
    return not is_git(text) and ("://" not in text or text.startswith(_FILE))


def absolute_target(text: str, user_home: Path, start: Path) -> str:
    """The text as it means the same wherever the program is started."""
    if not text.strip() or not text.isprintable():
        raise UsageError(f"{text!r} names no place for a backup. Name a folder, a URL or a git remote.")
    _refuse_password(text)
    if not is_folder(text):
        return text
    path = text.removeprefix(_FILE)
    if path == "~" or path.startswith("~/"):
        return str(user_home / path[2:])
    return str(start / path)


def configured_target(world: World) -> str:
    """The one of the settings; "" where none is set. A folder is named from the user's home."""
    target = world.settings.backup.target
    return absolute_target(target, world.user_home, world.user_home) if target else ""


@contextmanager
def target_at(text: str, scratch: Path, environ: Mapping[str, str] = os.environ) -> Iterator[Target]:
    """The target, open. `scratch` is a folder that may be made and removed."""
    _refuse_password(text)
    if is_folder(text):
        yield FolderTarget(Path(text.removeprefix(_FILE)))
    elif is_git(text):
        from afterwit.extras.backup.targets.git_remote import GitTarget

        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(mode=0o700, parents=True)
        try:
            yield GitTarget(text.removeprefix(_GIT), scratch / "backup.git", environ)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    else:
        from afterwit.extras.backup.targets.remote import RemoteTarget

        yield RemoteTarget(text)


def _refuse_password(text: str) -> None:
    if has_password(text.removeprefix(_GIT)):
        raise UsageError(
            "A password stands in the URL of the backup, where others can read it. Leave it out: git and fsspec find"
            " credentials in the service's own files and variables."
        )
