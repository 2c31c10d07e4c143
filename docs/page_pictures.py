"""Takes the pictures of the web page that the docs show, from the demo of one fixed day, with a real browser.

Run as `make screens`. Everything in them is invented. Installs the browser as `make e2e` does. What the pages say is
written beside them (`page_texts`), so that a picture of another page is noticed.
"""

import datetime as dt
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from page_texts import FOLDER, PAGES, write
from playwright.sync_api import sync_playwright
from tests.e2e.web.chromium import browser_obstacle, install_browser, launched

_SIZE = {"width": 1120, "height": 760}


def main() -> None:
    install_browser()
    if reason := browser_obstacle():
        sys.exit(f"No pictures: {reason}.")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="afterwit-pictures-") as folder:
        demo = Path(folder, "demo")
        today = dt.datetime.now(dt.UTC).date().isoformat()
        run = [sys.executable, "-P", "-m", "afterwit"]
        environ = {
            "HOME": str(demo / "home"),
            "AFTERWIT_HOME": str(demo / "store"),
            "PATH": os.environ["PATH"],
            "TZ": "UTC",
        }
        for words in (
            ["demo", "--to", str(demo), "--day", today],
            ["measure", "backtest", "--table"],
            ["measure", "report"],
        ):
            subprocess.run([*run, *words], check=True, stdout=subprocess.DEVNULL, env=environ)
        with subprocess.Popen([*run, "web", "--no-open"], env=environ, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            _take(server.stderr.readline().split()[-1])
            server.send_signal(signal.SIGINT)
    write()


def _take(link: str) -> None:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        page = browser.new_page(viewport=_SIZE, locale="en-US")  # type: ignore[arg-type]
        page.goto(link)
        for name, path in PAGES.items():
            page.goto(re.sub("/enter.*", path, link))
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
