"""Statuses of notes go by the words that people see, and by those that are stored."""

import json

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize("words", [("waiting", "needs-your-approval"), ("candidate", "quarantined")])
def test_a_status_goes_by_both_of_its_names(knowing: Run, words: tuple[str, str]) -> None:
    done = knowing("knowledge", "list", "--status", words[0], "--status", words[1], "--json")
    assert (done.returncode, json.loads(done.stdout)["found"]) == (0, 0)
    assert "in use" in knowing("knowledge", "list", "--status", words[0]).stderr
