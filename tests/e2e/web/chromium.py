"""The browser that drives the page, and the accessibility check: from npm into the cache, or the machine's own.

`@sparticuz/chromium` runs without system packages; it brings the browser packed, and it is unpacked beside. Where it
cannot be had, tests that need a browser are skipped with the reason.
"""

import shutil
import sys
from pathlib import Path

from tests.e2e.clients import NODE, cache_folder
from tests.e2e.install import NPM, InstallError, run_installer

_PACKAGES = ("@sparticuz/chromium@147.0.0", "axe-core@4.14.0")
_FOLDER = "browser"
_UNPACK = """
const fs = require("fs"), zlib = require("zlib");
const program = fs.createWriteStream(process.argv[2], {mode: 0o755});
fs.createReadStream(process.argv[1]).pipe(zlib.createBrotliDecompress()).pipe(program);
"""
FLAGS = ("--no-sandbox", "--no-zygote", "--disable-gpu", "--headless=shell")


def folder() -> Path:
    return cache_folder() / _FOLDER


def axe_script() -> Path:
    return folder() / "node_modules" / "axe-core" / "axe.min.js"


def chromium() -> Path:
    """Debian's, where it is installed; else the one in the cache."""
    own = shutil.which("chromium")
    return Path(own) if own else folder() / "chromium"


def browser_obstacle() -> str:
    """Why no browser can be driven; empty if one can."""
    if chromium().exists() and axe_script().exists():
        return ""
    note = folder().with_suffix(".failed")
    return note.read_text(encoding="utf-8") if note.exists() else "no browser is installed; `make e2e` installs one"


def install_browser() -> None:
    """Brings browser and check into the cache, unless they are there in these versions."""
    stamp, note = folder() / ".installed", folder().with_suffix(".failed")
    wanted = " ".join(_PACKAGES)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted and not browser_obstacle():
        return
    shutil.rmtree(folder(), ignore_errors=True)
    note.unlink(missing_ok=True)
    folder().mkdir(parents=True)
    downloads = folder() / ".npm"
    try:
        run_installer([*NPM, "--prefix", str(folder()), "--cache", str(downloads), *_PACKAGES])
        packed = folder() / "node_modules" / "@sparticuz" / "chromium" / "bin" / "chromium.br"
        node = NODE.program if NODE.program.exists() else Path("node")
        run_installer([str(node), "-e", _UNPACK, str(packed), str(folder() / "chromium")])
    except InstallError as error:
        note.write_text(f"the browser cannot be installed: {error}", encoding="utf-8")
        sys.stderr.write(f"browser: not installed: {error}\n")
    else:
        stamp.write_text(wanted, encoding="utf-8")
    finally:
        shutil.rmtree(downloads, ignore_errors=True)
