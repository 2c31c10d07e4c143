import datetime as dt
from pathlib import Path
from typing import Any

import msgspec
from tests.measure.dashboard.figuring import figures

from afterwit.measure.report import HISTORY, day_of, days_in


def day(name: str, in_use: int = 1) -> dict[str, Any]:
    return day_of(figures(), dt.date.fromisoformat(name)) | {"in_use": in_use}


def kept(folder: Path, *days: dict[str, Any], before: bytes = b"") -> Path:
    (folder / HISTORY).write_bytes(before + b"".join(msgspec.json.encode(day) + b"\n" for day in days))
    return folder / HISTORY


def test_a_line_that_makes_no_sense_is_passed_over(tmp_path: Path) -> None:
    damaged = b'{"day": 3}\n\xff\n{"day": "2026-05-01"}\n[]\n'
    history = kept(tmp_path, day("2026-05-01"), day("2026-05-02", 2), before=damaged)
    assert [(line["day"], line["in_use"]) for line in days_in(history)] == [("2026-05-01", 1), ("2026-05-02", 2)]
