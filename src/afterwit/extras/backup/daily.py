"""The backup that the first `learn` of a day makes, where `[backup]` of config.toml wants one, and what became of the
last.

There is no job of its own: whoever lets `learn` run regularly has one already. A target that cannot be reached is tried
again with a later run, an hour later at the earliest: `learn` is run often, and waiting for a server that does not
answer would slow down each. What went wrong is noted in a small file in the store, and `doctor` says it: whether there
is a backup at all is not asked of its target, which may be far away.
"""

import msgspec

from afterwit.cli.terminal.output import talk
from afterwit.config.world import World
from afterwit.extras.backup.keys import BackupKeys
from afterwit.model.errors import AfterwitError
from afterwit.model.learn_run import Options, Progress
from afterwit.store.atomic import replace_file
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular


class LastBackup(msgspec.Struct, frozen=True, kw_only=True):
    target: str = ""  # of the last good one
    at_ms: int | None = None
    snapshot: str = ""
    failed_ms: int | None = None  # of a try since then
    failed_target: str = ""
    failure: str = ""


def last_backup(layout: Layout) -> LastBackup:
    """Without any, all of it is empty; also where the file cannot be read."""
    try:
        return msgspec.json.decode(read_regular(layout.last_backup), type=LastBackup)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return LastBackup()


def note_backup(layout: Layout, target: str, snapshot: str, at_ms: int) -> None:
    _write(layout, LastBackup(target=target, at_ms=at_ms, snapshot=snapshot))


def note_failure(layout: Layout, target: str, failure: str, at_ms: int) -> None:
    before = last_backup(layout)
    _write(layout, msgspec.structs.replace(before, failed_ms=at_ms, failed_target=target, failure=failure))


def _write(layout: Layout, last: LastBackup) -> None:
    layout.backups.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(layout.last_backup, msgspec.json.encode(last), is_durable=False)


_AGAIN_MS = 3_600_000


def back_up(world: World, options: Options, progress: Progress, *, is_json: bool) -> list[str]:
    """Says at once what it did; there is nothing to add to the report. A failure fails no `learn`."""
    if options.is_dry_run or not options.is_whole or not is_due(world):
        return []
    try:
        said = make_daily_backup(world, progress)
        if not is_json:
            talk(said)
    except AfterwitError as error:
        talk(f"No backup was made: {error}")
    return []


def is_due(world: World) -> bool:
    """Whether one is wanted every day, and there is none of today."""
    wanted = world.settings.backup
    if not wanted.daily or wanted.target is None or not world.layout.exists():
        return False
    last = last_backup(world.layout)
    if last.failed_ms is not None and 0 <= world.now_ms - last.failed_ms < _AGAIN_MS:
        return False
    return last.at_ms is None or world.calendar.date(last.at_ms) != world.calendar.today


def make_daily_backup(world: World, progress: Progress) -> str:
    from afterwit.extras.backup.create import make_snapshot
    from afterwit.extras.backup.prune import KeepRule, prune_backup
    from afterwit.extras.backup.targets.at import target_of_settings

    wanted = world.settings.backup
    target, keys = target_of_settings(world), BackupKeys(wanted.key_file)
    created = make_snapshot(world, target, keys, progress)
    if wanted.prune:
        rule = KeepRule(wanted.keep_daily, wanted.keep_weekly, wanted.keep_monthly)
        prune_backup(world, target, keys, rule, lambda _planned: True)
    return f"Backed up to {created.target}: snapshot {created.snapshot}."
