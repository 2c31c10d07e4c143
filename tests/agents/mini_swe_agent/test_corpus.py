import os
from collections import Counter
from pathlib import Path

import pytest
from tests.agents.transcripts import events, read, spends, unknown

from afterwit.model.kinds import EventKind

OTHER = Path(os.environ.get("AFTERWIT_CORPUS") or "/nowhere").parent / "other"
pytestmark = pytest.mark.skipif(not OTHER.is_dir(), reason="beside AFTERWIT_CORPUS lie no real trajectories")


@pytest.mark.parametrize(
    ("agent", "files", "counts", "failed", "tokens"),
    [
        ("swe-agent", 16, {"prompt": 16, "reply": 170, "call": 170, "result": 170, "notice": 1}, 0, 299_181),
        (
            "mini-swe-agent",
            13,
            {"prompt": 13, "notice": 25, "reply": 808, "call": 947, "result": 947, "model-error": 1},
            98,
            24_507_469,
        ),
    ],
)
def test_real_trajectories_are_read_whole(
    agent: str, files: int, counts: dict[str, int], failed: int, tokens: int
) -> None:
    found: Counter[str] = Counter()
    failures = used = 0
    places = sorted((OTHER / agent).iterdir())
    for place in places:
        readings = read(agent, f"{agent}/{place.name}", place.read_bytes())
        assert unknown(agent, f"{agent}/{place.name}", place.read_bytes()) == {}
        found.update(event.kind.value for event in events(readings))
        results = [each.result for each in events(readings, EventKind.RESULT)]
        failures += sum(1 for result in results if result and result.is_error)
        used += sum(each.usage.input + each.usage.cache_read + each.usage.output for each in spends(readings))
    assert (len(places), dict(found), failures, used) == (files, counts, failed, tokens)
