"""A skill that got worse: what no longer runs is replaced, and what sessions did by hand after it is named."""

import random
from pathlib import Path

import pytest
from tests.extras.lab.skills.evolve.orchard import CHECKS, DAY_S, Orchard
from tests.measure.histories import HOUR_S

from afterwit.extras.lab.skills.evolve.decide import accept, advance, rollback
from afterwit.extras.lab.skills.evolve.draft import next_version
from afterwit.extras.lab.skills.evolve.propose import propose
from afterwit.extras.lab.skills.evolve.trial import BLOCK_MS
from afterwit.extras.lab.skills.evolve.verify import CommandHistory, SkillProposal

TEXT = """---
name: press
description: How to press.
---

# Press

1. `make lint`
2. `make check-all`

Then look at `src/press.py`.
"""


@pytest.fixture
def orchard(tmp_path: Path) -> Orchard:
    """The skill `press` helps in the first half of the sessions and harms in the second, when its command is gone."""
    place = Orchard(tmp_path)
    rng = random.Random(3)
    for number in range(64):
        is_using, is_late = number % 2 == 0, number >= 32
        log = place.log(number * 6 * HOUR_S)
        for at in range(8):
            log.edit(f"src/row{at}.py") if rng.random() < 0.3 else log.shell("ls src")
        log.skill("press") if is_using else log.shell("ls docs")
        share = 0.3 if not is_using else 0.05 if is_late else 0.45
        if is_using and is_late:
            log.shell("make check-all", "make: *** No rule to make target 'check-all'.", fails=True)
        for at in range(9):
            log.edit(f"src/tree{at}.py") if rng.random() < share else log.shell("ls src")
        log.wait(400).edit("src/end.py")
        for line in CHECKS:
            log.shell(line, "all fine")
        log.shell("git commit -m 'Press them'", "[main 1a2b3c4] Press them\n 1 file changed")
        log.put(place.home)
    (place.root / "src").mkdir()
    (place.root / "src/press.py").write_text("")
    write(place, TEXT)
    place.now_ms += 20 * DAY_S * 1000
    return place.learned()


def write(place: Orchard, text: str) -> None:
    file = place.skill("press")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def proposed(place: Orchard) -> SkillProposal:
    (proposal,) = (one for one in propose(place.world) if one.skill == "press")
    return proposal


def test_the_next_version_says_what_runs_and_passed(orchard: Orchard) -> None:
    proposal = proposed(orchard)
    assert proposal.refusals == ()
    assert (proposal.kind, proposal.old) == ("degraded", TEXT)
    assert "of ten actions less than before" in proposal.why
    assert "-2. `make check-all`" in proposal.diff
    assert "+1. `make lint`\n+2. `make types`\n+3. `make test`" in proposal.diff
    assert proposal.new.startswith(TEXT[: TEXT.index("2. ")])
    assert any("no longer runs" in change for change in proposal.changes)


def test_the_head_stays_so_that_both_versions_are_used_equally_often(orchard: Orchard) -> None:
    assert proposed(orchard).new.split("---")[1] == TEXT.split("---")[1]


def test_a_command_that_never_succeeded_keeps_the_whole_text_back(orchard: Orchard) -> None:
    write(orchard, f"{TEXT}\n`gh pr create --fill`\n")
    assert "`gh pr create --fill` is not known to have succeeded in any session here." in proposed(orchard).refusals


def test_a_path_that_is_gone_keeps_it_back(orchard: Orchard) -> None:
    (orchard.root / "src/press.py").unlink()
    assert proposed(orchard).refusals == ("`src/press.py` is not there.",)


def test_a_text_with_a_secret_is_not_copied(orchard: Orchard) -> None:
    write(orchard, f"{TEXT}\nThe key is ghp_{'a1B2c3D4e5' * 3}F6g7H8.\n")
    assert any("looks like a secret" in reason for reason in proposed(orchard).refusals)


def test_a_skill_whose_file_is_not_there_is_not_offered(orchard: Orchard) -> None:
    orchard.skill("press").unlink()
    (reason,) = proposed(orchard).refusals
    assert "was not found" in reason


def test_a_text_of_which_nothing_is_known_to_fail_has_no_next_version() -> None:
    assert next_version(TEXT, CommandHistory(), ()).content == TEXT


def test_the_old_text_comes_back_byte_for_byte(orchard: Orchard) -> None:
    written = TEXT.replace("\n", "\r\n").rstrip()
    write(orchard, written)
    proposal = proposed(orchard)
    assert proposal.refusals == ()
    accept(orchard.world, proposal.id, orchard.clock)
    while orchard.skill("press").read_bytes() == written.encode():
        orchard.now_ms += BLOCK_MS
        advance(orchard.world, orchard.clock)
    assert orchard.skill("press").read_bytes() == proposal.new.encode()
    rollback(orchard.world, "press", orchard.clock)
    assert orchard.skill("press").read_bytes() == written.encode()
