"""Prints a table of figures and keeps it as JSON in `bench/results/`, with what it was measured on."""

import platform
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).with_name("results")


def report(name: str, figures: Any) -> None:
    """Shows the figures and writes them to `bench/results/<name>.json`."""
    plain = msgspec.to_builtins(figures)
    machine = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    FOLDER.mkdir(exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode({"machine": machine, "figures": plain}))
    (FOLDER / f"{name}.json").write_bytes(content + b"\n")
    print(f"== {name}")
    for one in plain if isinstance(plain, list) else [plain]:
        _show(one)


def _show(figures: dict[str, Any]) -> None:
    for name, value in figures.items():
        if isinstance(value, list):
            print(name)
            for row in value:
                print("  " + "  ".join(_cell(cell) for cell in row.values()))
        else:
            print(f"{name:28s} {_cell(value)}")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:10.4f}" if abs(value) < 0.1 else f"{value:10.2f}"
    return f"{value:>10}" if isinstance(value, int) else f"{value:32s}"
