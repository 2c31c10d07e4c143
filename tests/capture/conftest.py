"""Assembling with a redactor whose key is known."""

import pytest

from afterwit.capture.assembly.calls import AssemblyContext
from afterwit.guard.redaction import Redactor


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(b"k" * 32)


@pytest.fixture(scope="session")
def context(redactor: Redactor) -> AssemblyContext:
    return AssemblyContext(agent="claude-code", redactor=redactor)
