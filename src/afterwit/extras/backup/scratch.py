"""A folder for what a run needs meanwhile: copies of databases, what git fetches. Gone afterwards.

It lies in the store, on the same disk and as private. What a killed run left there is removed by the next.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from afterwit.store.layout import Layout


@contextmanager
def scratch_folder(layout: Layout, *, is_alone: bool = False) -> Iterator[Path]:
    """With the lease held (`is_alone`), the one of the store. Others look and write nothing there."""
    if not is_alone:
        with TemporaryDirectory(prefix="afterwit-") as folder:
            yield Path(folder)
        return
    own = layout.backups / "backing-up"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(mode=0o700, parents=True)
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)
