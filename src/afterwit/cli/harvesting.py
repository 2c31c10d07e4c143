"""What a harvest did, for people."""

from afterwit.cli.terminal.output import human_count, print_line
from afterwit.model.learn_run import Harvested

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
    waiting = harvested.items - harvested.active
    rest = f", {waiting} more {'waits' if waiting == 1 else 'wait'} for evidence or a person" if waiting else ""
    print_line(f"It knows {human_count(harvested.active, 'item')} of knowledge{rest}{f' ({news})' if news else ''}.")
    if is_again:
        for word, ids in (("gained", harvested.gained), ("lost", harvested.lost), ("changed", harvested.changed)):
            if not ids:
                print_line(f"{word}: none")
            else:
                more = f" and {len(ids) - _MOST_SHOWN} more" if len(ids) > _MOST_SHOWN else ""
                print_line(f"{word}: {' '.join(ids[:_MOST_SHOWN])}{more}")
