"""Headlines of build tools: passed over where something follows."""

import pytest

from afterwit.actions.failures.excerpt import below_headlines


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("FAILURE: Build failed with an exception.\n\n* What went wrong:\nNo pear", "No pear"),
        ("* What went wrong:\nExecution failed for task ':pick'.\n> No pear\nsee above", "> No pear\nsee above"),
        ("error during build:\nNo pear", "No pear"),
        ("[ERROR] COMPILATION ERROR : \n[INFO] -----\n[ERROR] Pear.java:[3,9] no", "[ERROR] Pear.java:[3,9] no"),
        ("error during build:", "error during build:"),
        ("No pear\nerror during build:", "No pear\nerror during build:"),
        ("", ""),
    ],
)
def test_the_message_begins_below_its_headlines(error: str, expected: str) -> None:
    assert below_headlines(error) == expected
