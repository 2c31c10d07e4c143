"""The backup that the first `learn` of a day makes, where `[backup]` of config.toml wants one, and how that is written.

There is no job of its own: whoever lets `learn` run regularly has one already. A target that cannot be reached is tried
again with a later run, an hour later at the earliest: `learn` is run often, and waiting for a server that does not
answer would slow down each. What went wrong is noted, and `doctor` says it.
"""

from typing import Any, NamedTuple

from afterwit.config.world import World
from afterwit.edits.edits import UnreadableError
from afterwit.edits.toml_file import data, value_at, with_value, without_value, written
from afterwit.extras.backup.create import CreatedBackup, make_snapshot
from afterwit.extras.backup.keys import BackupKeys
from afterwit.extras.backup.last import last_backup
from afterwit.extras.backup.prune import KeepRule, PrunedBackup, prune_backup
from afterwit.extras.backup.targets.at import target_of_settings
from afterwit.model.errors import ConfigError
from afterwit.model.learn_run import Progress
from afterwit.model.settings import BackupSettings

_TABLE = "backup"
_AGAIN_MS = 3_600_000


class DailyBackup(NamedTuple):
    created: CreatedBackup
    pruned: PrunedBackup | None


def is_due(world: World) -> bool:
    """Whether one is wanted every day, and there is none of today."""
    wanted, last = world.settings.backup, last_backup(world.layout)
    if not wanted.daily or wanted.target is None or not world.layout.exists():
        return False
    if last.failed_ms is not None and 0 <= world.now_ms - last.failed_ms < _AGAIN_MS:
        return False
    return last.at_ms is None or world.calendar.date(last.at_ms) != world.calendar.today


def daily_backup(world: World, progress: Progress) -> DailyBackup:
    wanted = world.settings.backup
    target = target_of_settings(world)
    keys = BackupKeys(wanted.key_file)
    created = make_snapshot(world, target, keys, progress)
    if not wanted.prune:
        return DailyBackup(created, None)
    rule = KeepRule(wanted.keep_daily, wanted.keep_weekly, wanted.keep_monthly)
    return DailyBackup(created, prune_backup(world, target, keys, rule, lambda _planned: True))


def with_backups(text: str, wanted: BackupSettings) -> str:
    """The text of config.toml with these settings; those that are as usual do not stand in it. Pure."""
    values = _values(wanted)
    try:
        for name in reversed(wanted.__struct_fields__):  # each new line comes first in its table
            present = value_at(data(text), (_TABLE, name))
            if name in values and values[name] != present:
                text = with_value(text, (_TABLE, name), values[name])
            elif name not in values and present is not None:
                text = without_value(text, (_TABLE, name))
    except UnreadableError as error:
        raise ConfigError(
            f"The table [{_TABLE}] cannot be changed without touching others: {error}. Write it by hand:\n"
            f"{backup_table(wanted)}"
        ) from error
    return text


def backup_table(wanted: BackupSettings) -> str:
    """As it stands in the file."""
    return "\n".join([f"[{_TABLE}]", *(f"{name} = {written(value)}" for name, value in _values(wanted).items()), ""])


def _values(wanted: BackupSettings) -> dict[str, Any]:
    """What differs from the defaults, in the order of the settings."""
    default = BackupSettings()
    values = {name: getattr(wanted, name) for name in wanted.__struct_fields__}
    return {
        name: str(value) if name == "key_file" else value
        for name, value in values.items()
        if value != getattr(default, name)
    }
