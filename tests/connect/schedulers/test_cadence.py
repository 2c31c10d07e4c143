"""How often."""

import pytest

from afterwit.connect.schedulers import Cadence


@pytest.mark.parametrize("text", ["hourly", "00:00", "07:45", "23:59"])
def test_it_is_written_as_it_is_read(text: str) -> None:
    assert Cadence.of(text).text == text


def test_people_read_words() -> None:
    assert Cadence.of("hourly").words == "every hour"
    assert Cadence.of("07:45").words == "every day at 07:45"
