"""Numbers that no store can hold, and what is no number: refused as wrong use."""

import pytest
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "words",
    [
        "store problems --limit 99999999999999999999",
        "sessions search apple --limit 99999999999999999999",
        "knowledge search apple --limit 99999999999999999999",
        "measure skipping --notes nan",
        "measure skipping --sessions nan",
    ],
)
@pytest.mark.usefixtures("learned")
def test_odd_numbers_are_wrong_use(run: Run, words: str) -> None:
    done = run(*words.split())
    assert done.returncode == 2, done.stderr
    assert "fault of Afterwit" not in done.stderr
    assert run("learn").returncode == 0
