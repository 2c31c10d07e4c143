"""A git remote: a repository that only holds backups, reached by git with whatever credentials git has.

Backups lie on a branch of their own, one commit for each; a push moves the branch in one step, so that others see all
of a backup or nothing. Only the names of what is there are fetched, and contents when they are read. After pruning the
branch begins anew, because a history would keep what was removed; the server gives the space back when it collects
its garbage. Git gets no hooks, no prompts and no signing here.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from afterwit.extras.backup.targets.at import Target
from afterwit.model.errors import BackupError, UsageError
from afterwit.store.atomic import step

BRANCH = "afterwit-backup"
_REF = f"refs/heads/{BRANCH}"
_BASE = "refs/afterwit/base"
_BLOB = "100644"
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.compression": "0",  # it is encrypted: there is nothing to gain
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgSign": "false",
    "protocol.ext.allow": "never",
    "fetch.negotiationAlgorithm": "noop",  # else contents of a commit that is here are taken to be here, too
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
}
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "afterwit"), ("EMAIL", "afterwit@localhost"))
}
_SHOWN_CHARS = 300
_TRIES = 8
_OVERTAKEN = ("rejected", "stale info", "cannot lock ref", "fetch first")


class _OvertakenError(BackupError):
    """Somebody else has moved the branch."""


class GitTarget(Target):
    keeps_at_once = False

    def __init__(self, url: str, scratch: Path, environ: Mapping[str, str]) -> None:
        if url.startswith("-"):
            raise UsageError(f"{url} is no address of a git repository.")
        self.place = url
        self._folder = scratch
        own = {name: value for name, value in environ.items() if not name.startswith("GIT_") or "SSH" in name}
        self._environ = {**own, **_IDENTITY, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_DIR": str(scratch)}
        self._git(["init", "-q", "--bare", str(scratch)])
        for name, value in {**_SETTINGS, "remote.origin.url": url}.items():
            self._git(["config", name, value])
        self._base = self._fetch()
        self._blobs = self._tree() if self._base else {}
        self._written: dict[str, str] = {}  # since the last publishing

    def names(self) -> dict[str, int | None]:
        return dict.fromkeys(self._blobs)

    def read(self, name: str, most_bytes: int) -> bytes | None:
        blob = self._blobs.get(name)
        return self._git(["cat-file", "blob", blob])[: most_bytes + 1] if blob else None

    def expect(self, names: Iterable[str]) -> None:
        """Fetches those that are not here yet, all at once."""
        listed = self._git(["rev-list", "--objects", "--missing=print", self._base]) if self._base else b""
        missing = {line[1:].decode() for line in listed.splitlines() if line.startswith(b"?")}
        wanted = sorted(missing & {self._blobs.get(name, "") for name in names})
        if wanted:
            fetch = ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--stdin", "origin"]
            self._git(fetch, "\n".join(wanted).encode())

    def write(self, name: str, content: bytes) -> None:
        self._blobs[name] = self._written[name] = self._git(["hash-object", "-w", "--stdin"], content).decode().strip()

    def begin(self, name: str, content: bytes) -> bool:
        """Whether another was faster shows when it is published."""
        self.write(name, content)
        return True

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self._blobs.pop(name, None)
            self._written.pop(name, None)

    def publish(self, message: str, *, is_pruned: bool = False) -> None:
        for _ in range(_TRIES):
            try:
                self._publish(message, is_pruned=is_pruned)
            except _OvertakenError:
                if is_pruned:  # what the others wrote may need what was removed
                    raise
                self._take_others()
            else:
                self._written = {}
                return
        raise BackupError(f"Others kept writing to {self.place}. Run the command again.")

    def _take_others(self) -> None:
        """What others published meanwhile, with ours beside it."""
        self._base = self._fetch()
        blobs = self._tree()
        clashing = [name for name, blob in self._written.items() if blobs.get(name, blob) != blob]
        if clashing:
            raise BackupError(
                f"Another machine wrote {clashing[0]} at {self.place} at the same time. Run the command again."
            )
        self._blobs = {**blobs, **self._written}

    def _publish(self, message: str, *, is_pruned: bool) -> None:
        index = {"GIT_INDEX_FILE": str(self._folder / "backup-index")}
        listed = b"".join(f"{_BLOB} {blob}\t{name}\0".encode() for name, blob in sorted(self._blobs.items()))
        self._git(["read-tree", "--empty"], more=index)
        self._git(["update-index", "-z", "--index-info"], listed, index)
        tree = self._git(["write-tree", "--missing-ok"], more=index).decode().strip()
        parents = ["-p", self._base] if self._base and not is_pruned else []
        commit = self._git(["commit-tree", tree, *parents, "-m", message]).decode().strip()
        step("a backup is committed, not pushed")
        lease = [f"--force-with-lease={_REF}:{self._base}"] if is_pruned else []
        self._git(["push", "-q", *lease, "origin", f"{commit}:{_REF}"])
        step("a backup is pushed")
        if commit not in self._git(["ls-remote", "--heads", "origin", _REF]).decode():
            raise BackupError(f"{self.place} took the backup and does not show it. Look at its branch {BRANCH}.")
        self._git(["update-ref", _BASE, commit])
        self._base = commit

    def _fetch(self) -> str:
        """The commit on the branch; "" where there is none yet."""
        if not self._git(["ls-remote", "--heads", "origin", _REF]).strip():
            return ""
        fetch = ["fetch", "-q", "--no-tags", "--depth=1", "--filter=blob:none", "origin", f"+{_REF}:{_BASE}"]
        self._git(fetch)
        return self._git(["rev-parse", "--verify", _BASE]).decode().strip()

    def _tree(self) -> dict[str, str]:
        blobs: dict[str, str] = {}
        for entry in self._git(["ls-tree", "-r", "-z", self._base]).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            fields = head.decode("ascii", "replace").split()
            if len(fields) == 3 and fields[0] == _BLOB:  # a link or a module is nothing of ours
                blobs[name.decode("utf-8", "replace")] = fields[2]
        return blobs

    def _git(self, arguments: Sequence[str], content: bytes = b"", more: Mapping[str, str] | None = None) -> bytes:
        try:
            done = subprocess.run(
                ["git", *arguments],
                input=content,
                capture_output=True,
                env={**self._environ, **(more or {})},
                cwd=self._folder.parent,
                check=False,
            )
        except OSError as error:
            raise BackupError(f"Cannot run git, which {self.place} needs: {error.strerror or error}.") from error
        if done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_SHOWN_CHARS]
            failed = f"git {arguments[0]} on {self.place} failed: {said or done.returncode}"
            if any(word in said for word in _OVERTAKEN):
                raise _OvertakenError(f"{failed}. Somebody else wrote there meanwhile: run the command again.")
            raise BackupError(
                f"{failed}. The last complete backup is as it was. Check address, network and permissions, then try"
                " again."
            )
        return done.stdout
