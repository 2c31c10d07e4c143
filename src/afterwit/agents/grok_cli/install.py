"""Ties the Grok CLI to us: it has no hooks, but reads one file in each project, which gets a marked block."""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.own_text import MarkedBlock


def integration(at: Surroundings) -> Integration:
    block = MarkedBlock(at.project / ".grok" / "GROK.md", at.notes)
    return Integration((block,), ("every session in this project",))
