"""A small authority of certificates, made by `openssl` when a test wants one."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority(NamedTuple):
    """One that signs; its own certificate is what clients are to trust."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "root.crt"

    def certificate_for(self, host: str) -> tuple[Path, Path]:
        """A certificate for a host name, and its key."""
        request, key, signed, names = (self.folder / f"{host}{end}" for end in (".csr", ".key", ".crt", ".ext"))
        names.write_text(f"subjectAltName=DNS:{host}\n", encoding="utf-8")
        _openssl("req", "-new", *_KEY, "-keyout", key, "-out", request, "-subj", "/CN=server")
        ours = ("-CA", self.root, "-CAkey", self.folder / "root.key", "-CAcreateserial", "-extfile", names)
        _openssl("x509", "-req", "-in", request, *ours, "-days", "2", "-out", signed)
        return signed, key


def has_openssl() -> bool:
    return shutil.which("openssl") is not None


def authority(folder: Path, name: str) -> Authority:
    made = Authority(folder / name)
    made.folder.mkdir()
    subject = ("-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE")
    _openssl("req", "-x509", *_KEY, "-keyout", made.folder / "root.key", "-out", made.root, "-days", "2", *subject)
    return made


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)
