"""Makes the small stores in `earlier/`, each with the program as it was when main had that schema.

Run by hand, in a clone with the whole history: `python -m tests.store.make_earlier [SCHEMA …]`. The versions of then
run with the packages of now, and want `zstandard`, which nothing else does: `pip install --target FOLDER zstandard`,
and `PYTHONPATH=FOLDER`. What is in a store is said in `DECIDED` and in `home_with_rules`.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.knowledge_home import FACT, learnable_home
from tests.recall.people import MIRA, claude_session

WEIGH = "Always weigh the crates before you load them."
PRUNE = "Never prune the plums in spring."
EDITED = "Weigh all crates first."
OWN = "The barn key hangs behind the door."
DECIDED = ((FACT, "pin"), (WEIGH, "edit", EDITED), (PRUNE, "reject"))
EARLIER = Path(__file__).with_name("earlier")
COMMITS = {  # the last of main, or nearly, that had this schema
    7: "c5c260a9",
    8: "2c1aa33c",
    10: "66c56f0f",
    12: "f4f48e8f",
    15: "8e848b97",
    18: "318a17ba",
    20: "86ca7ebd",
    23: "8f3aa5e7",
}
_LEFT_OUT = ("-shm", "-wal", ".lock", "/deck", "/deck.db")  # every run makes what it needs of these


def home_with_rules(home: Path) -> Path:
    """Sessions from which one note is found and two rules are taken."""
    learnable_home(home, 3)
    for session, text in (("u1", WEIGH), ("u2", WEIGH), ("u3", PRUNE), ("u4", PRUNE)):
        claude_session(home, MIRA, session, int(session[1]), [f"Look at tree {session}", text])
    return home


def make(schema: int, commit: str, folder: Path) -> None:
    """A store with a pin, an edit, a rejection and an own note, packed."""
    home, store, program = home_with_rules(folder / "home"), folder / "store", folder / "program"
    tree = subprocess.run(["git", "archive", commit, "src"], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tree)) as sources:
        sources.extractall(program, filter="data")
    paths = os.pathsep.join((str(program / "src"), os.environ.get("PYTHONPATH", "")))
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(store), "PYTHONPATH": paths}

    def afterwit(*words: str) -> str:
        command = [sys.executable, "-m", "afterwit", *words]
        return subprocess.run(command, check=True, capture_output=True, env=environ, cwd=folder).stdout.decode()

    afterwit("learn")
    notes = json.loads(afterwit("knowledge", "list", "--json"))["items"]
    for sentence, verb, *words in DECIDED:
        (note,) = (note["id"] for note in notes if sentence in note["fact"])
        afterwit("knowledge", verb, note, *words)
    afterwit("knowledge", "add", OWN)
    afterwit("learn")
    with tarfile.open(EARLIER / f"schema_{schema:02}.tar.xz", "w:xz") as archive:
        archive.add(store, ".", filter=_kept)


def _kept(file: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if file.name.endswith(_LEFT_OUT) else file.replace(uid=0, gid=0, uname="", gname="", deep=False)


if __name__ == "__main__":
    for wanted in map(int, sys.argv[1:] or COMMITS):
        with tempfile.TemporaryDirectory() as place:
            make(wanted, COMMITS[wanted], Path(place))
