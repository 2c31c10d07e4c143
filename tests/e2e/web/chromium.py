"""The browser that drives the page, and the accessibility check: from npm into the cache, or the machine's own.

`@sparticuz/chromium` runs without system packages: it brings the browser and the libraries that it needs packed, and
they are unpacked beside. Where it cannot be had, tests that need a browser are skipped with the reason.
"""

import os
import shutil
import sys
import tarfile
from pathlib import Path

from playwright.sync_api import Browser, Playwright
from tests.e2e.clients import NODE, cache_folder
from tests.e2e.install import NPM, InstallError, run_installer

_PACKAGES = ("@sparticuz/chromium@147.0.0", "axe-core@4.14.0")
_FOLDER = "browser"
_PACKED = Path("node_modules", "@sparticuz", "chromium", "bin")
_LIBRARIES = "al2023.tar"  # those of one plain system, which others can load too
_UNPACK = """
const fs = require("fs"), zlib = require("zlib");
const program = fs.createWriteStream(process.argv[2], {mode: 0o755});
fs.createReadStream(process.argv[1]).pipe(zlib.createBrotliDecompress()).pipe(program);
"""
_FLAGS = ("--no-sandbox", "--no-zygote", "--disable-gpu", "--headless=shell")


def folder() -> Path:
    return cache_folder() / _FOLDER


def axe_script() -> Path:
    return folder() / "node_modules" / "axe-core" / "axe.min.js"


def chromium() -> Path:
    """Debian's, where it is installed; else the one in the cache. `AFTERWIT_BROWSER` names another, or says `npm`."""
    chosen = os.environ.get("AFTERWIT_BROWSER", "")
    own = shutil.which("chromium") if not chosen else "" if chosen == "npm" else chosen
    return Path(own) if own else _from_npm()


def launched(playwright: Playwright) -> Browser:
    """The browser, running. The one from npm finds its libraries beside it."""
    program = chromium()
    environ: dict[str, str | float | bool] = dict(os.environ)
    if program == _from_npm():
        environ["LD_LIBRARY_PATH"] = str(folder() / "lib")
    return playwright.chromium.launch(executable_path=program, args=list(_FLAGS), env=environ)


def _from_npm() -> Path:
    return folder() / "chromium"


def browser_obstacle() -> str:
    """Why no browser can be driven; empty if one can."""
    if chromium().exists() and axe_script().exists():
        return ""
    note = folder().with_suffix(".failed")
    return note.read_text(encoding="utf-8") if note.exists() else "no browser is installed; `make e2e` installs one"


def install_browser() -> None:
    """Brings browser and check into the cache, unless they are there in these versions."""
    stamp, note = folder() / ".installed", folder().with_suffix(".failed")
    wanted = " ".join((*_PACKAGES, _LIBRARIES))
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted and not browser_obstacle():
        return
    shutil.rmtree(folder(), ignore_errors=True)
    note.unlink(missing_ok=True)
    folder().mkdir(parents=True)
    downloads = folder() / ".npm"
    try:
        run_installer([*NPM, "--prefix", str(folder()), "--cache", str(downloads), *_PACKAGES])
        node = NODE.program if NODE.program.exists() else Path("node")
        for name in ("chromium", _LIBRARIES):
            packed = folder() / _PACKED / f"{name}.br"
            run_installer([str(node), "-e", _UNPACK, str(packed), str(folder() / name)])
        with tarfile.open(folder() / _LIBRARIES) as libraries:
            libraries.extractall(folder(), filter="data")
    except InstallError as error:
        note.write_text(f"the browser cannot be installed: {error}", encoding="utf-8")
        sys.stderr.write(f"browser: not installed: {error}\n")
    else:
        stamp.write_text(wanted, encoding="utf-8")
    finally:
        shutil.rmtree(downloads, ignore_errors=True)
