"""Figures in words: no share without saying of how many."""


def percent(share: float) -> str:
    """0.123 → 12 %; small ones to one digit, so that few is not none."""
    value = 100 * share
    return f"{value:.1f} %" if 0 < value < 0.95 or 99.5 <= value < 99.95 else f"{value:.0f} %"


def of_many(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


def shared(part: int, whole: int, interval: tuple[float, float]) -> str:
    """12 of 40 (30 %; 95 % interval 18 to 45 %)."""
    if not whole:
        return "none of none"
    low, high = (percent(value).removesuffix(" %") for value in interval)
    return f"{of_many(part, whole)} ({percent(part / whole)}; 95 % interval {low} to {high} %)"


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def rate(value: float) -> str:
    """12.3 → 12; small ones to one digit."""
    return f"{value:.0f}" if abs(value) >= 10 or not value else f"{value:.1f}"


def signed(value: float) -> str:
    """-12.3 → −12, 3.2 → +3.2."""
    return f"{'−' if value < 0 else '+' if value > 0 else ''}{rate(abs(value))}"
