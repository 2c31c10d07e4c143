"""Templates from real sessions: nothing that failed, no secret, and messages that a model can be sent."""

import os
import re
from pathlib import Path

import pytest
from tests.extras.lab.templates.test_wire import flat
from tests.homes import world_of

from afterwit.digest.door import load_digest
from afterwit.extras.lab.templates import WireFormat, template_messages
from afterwit.extras.lab.templates.create import ProposedTemplate, propose
from afterwit.model.kinds import Status, Step
from afterwit.model.templates import ToolExample
from afterwit.redaction.redaction import Redactor
from afterwit.store.rows.session_list import session_of
from afterwit.store.store import readonly_database
from afterwit.store.template_files import template_bytes

pytestmark = pytest.mark.skipif(
    "AFTERWIT_CORPUS" not in os.environ, reason="AFTERWIT_CORPUS names no home folder with real transcripts"
)


@pytest.fixture(scope="module")
def proposals(learned_corpus: Path) -> list[ProposedTemplate]:
    proposed = propose(world_of(learned_corpus, learned_corpus))
    assert proposed
    return proposed


def test_every_call_succeeded_in_its_session(proposals: list[ProposedTemplate], learned_corpus: Path) -> None:
    with readonly_database(world_of(learned_corpus, learned_corpus).layout) as db:
        for template in (proposal.template for proposal in proposals):
            row = session_of(db, template.source.agent, template.source.session)
            digest = load_digest(db, row) if row is not None else None
            assert digest is not None
            worked = [step for step in digest.steps if step.status is Status.SUCCEEDED]
            assert [example.target for example in template.examples if not _is_among(example, worked)] == []


def _is_among(example: ToolExample, steps: list[Step]) -> bool:
    """Whether one of them is this call: a target is a path below the repository, or words without line breaks."""
    target = _plain(example.target)
    return any(step.tool == example.tool and _plain(step.target).endswith(target) for step in steps)


def _plain(target: str) -> str:
    """Without line breaks, and without the suffixes of placeholders that only this machine can make."""
    return re.sub(r"‹(\w+):\w+›", r"‹\1›", " ".join(target.split()))


def test_nothing_is_left_to_redact(proposals: list[ProposedTemplate]) -> None:
    for proposal in proposals:
        stored = template_bytes(proposal.template).decode()
        assert Redactor(b"k" * 32).text(stored) == stored


@pytest.mark.parametrize("wire", WireFormat)
def test_calls_and_results_come_in_pairs(proposals: list[ProposedTemplate], wire: WireFormat) -> None:
    for template in (proposal.template for proposal in proposals):
        told = flat(template_messages(template, wire), wire)
        assert [what for what, _, _ in told] == ["text", *("call", "result") * len(template.examples), "text"]
