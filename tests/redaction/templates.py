"""Templates of texts that each rule finds, and of texts that it leaves alone; `filled` of `conftest` fills them in.

Those of tokens follow from their rows.
"""

import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from afterwit.redaction.ruleset import FILES

_DRAWN = ("hex", "lower", "upper", "an")  # alphabets that can be drawn from as they are


def _shown() -> Iterator[tuple[str, dict[str, list[str]]]]:
    for name in FILES:
        file = Path(__file__).with_name("examples") / f"{name}.toml"
        yield from tomllib.loads(file.read_text("utf-8")).items()
        rows = tomllib.loads((resources.files("afterwit.redaction") / "rules" / f"{name}.toml").read_text("utf-8"))
        for rule, _, prefixes, alphabet, least in rows.get("token", ()):
            drawn = f"{{{alphabet if alphabet in _DRAWN else 'an'}:{least + 6}}}"
            yield rule, {"examples": [head + drawn for head in prefixes], "benign": [f"{head}x" for head in prefixes]}


SHOWN = dict(_shown())
