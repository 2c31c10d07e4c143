"""What a harvest did, for people."""

from afterwit.cli.output import human_count, print_line
from afterwit.usecases.settling import Harvested

_MOST_SHOWN = 20


def show(harvested: Harvested, *, is_again: bool = False) -> None:
    """One line; after a harvest of everything, which items came, went and changed."""
    if not harvested.items and not harvested.lost:
        return
    news = ", ".join(
        f"{len(ids)} {word}"
        for ids, word in ((harvested.gained, "new"), (harvested.lost, "gone"), (harvested.changed, "changed"))
        if ids
    )
    active = f"{human_count(harvested.active, 'item')} of knowledge" + (f" ({news})" if news else "")
    print_line(f"It knows {active}; `afterwit knowledge list` shows them.")
    if is_again:
        for word, ids in (("gained", harvested.gained), ("lost", harvested.lost), ("changed", harvested.changed)):
            if ids:
                more = f" and {len(ids) - _MOST_SHOWN} more" if len(ids) > _MOST_SHOWN else ""
                print_line(f"{word}: {' '.join(ids[:_MOST_SHOWN])}{more}")
