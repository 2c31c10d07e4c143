"""What `learn` says about digests: nothing as a rule; after an upgrade, what a better digester sees otherwise."""

from afterwit.cli.terminal.output import human_count, talk
from afterwit.model.learn_run import Digested

_MOST = 10


def show(done: Digested) -> None:
    """Nothing where no session was digested again."""
    if not done.redone:
        return
    talk(f"Digested {human_count(done.redone, 'session')} again by a better digester.")
    for change in done.changed[:_MOST]:
        talk(f"  {change}")
    if len(done.changed) > _MOST:
        talk(f"  … and {human_count(len(done.changed) - _MOST, 'more change')}; --json has them all.")
