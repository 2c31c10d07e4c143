"""Assembling with a redactor whose key is known."""

import pytest

from afterwit.capture.assembly.calls import Context
from afterwit.guard.redaction import Redactor


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(b"k" * 32)


@pytest.fixture(scope="session")
def context(redactor: Redactor) -> Context:
    return Context(agent="claude-code", redactor=redactor)
