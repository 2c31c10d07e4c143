"""Assembling with a redactor whose key is known."""

import pytest

from afterwit.agents.registry import instruction_files
from afterwit.capture.assembly.texts import AssemblyContext
from afterwit.redaction.redaction import Redactor


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(b"k" * 32)


@pytest.fixture(scope="session")
def context(redactor: Redactor) -> AssemblyContext:
    return AssemblyContext(redactor=redactor, instructions=instruction_files())
