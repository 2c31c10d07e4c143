import click
import pytest
from tests.every import for_every

from afterwit.cli.terminal.options import ByteSize


@pytest.mark.parametrize(
    ("typed", "size"),
    [("0", 0), ("1234", 1234), ("20MB", 20_000_000), ("1.5 GB", 1_500_000_000), ("3k", 3_000), (" 2tb ", 2 * 10**12)],
)
def test_a_size_has_a_unit_or_counts_bytes(typed: str, size: int) -> None:
    assert ByteSize().convert(typed, None, None) == size


@pytest.mark.parametrize(
    ("typed", "size"), [("1KiB", 1 << 10), ("1.5 MiB", 3 << 19), ("2gib", 2 << 30), ("1Ti", 1 << 40)]
)
def test_a_binary_unit_is_a_size_too(typed: str, size: int) -> None:
    assert ByteSize().convert(typed, None, None) == size


@for_every("typed", ["", "much", "-1", "5 apples", "1e9", "MB", "5iB", "GiB"])
def test_anything_else_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(click.BadParameter, match="500MB"):
        ByteSize().convert(typed, None, None)
