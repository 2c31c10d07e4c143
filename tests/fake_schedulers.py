"""Schedulers for tests: small scripts that record how they are called and keep their state in files.

They are the only programs on the PATH of a test, so that the real scheduler of the machine is out of reach.
"""

import shlex
from pathlib import Path

_CRONTAB = """#!/bin/sh
echo "crontab $*" >> {log}
case "$1" in
-l) [ ! -f {denied} ] || {{ echo "you are not allowed to use crontab" >&2; exit 1; }}
    [ -f {tab} ] || {{ echo "no crontab for robin" >&2; exit 1; }}
    exec /bin/cat {tab} ;;
-r) /bin/rm {tab} ;;
-) /bin/cat > {tab} ;;
*) exit 2 ;;
esac
"""
_SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >> {log}
[ "$1" = --user ] || exit 2
[ ! -f {dead} ] || {{ echo "Failed to connect to bus" >&2; exit 1; }}
case "$2" in
show|daemon-reload|clean) ;;
is-enabled|is-active) [ -f {on} ] ;;
enable|restart) [ ! -f {stubborn} ] || {{ echo "unit is masked" >&2; exit 1; }}; : > {on} ;;
disable) /bin/rm -f {on} ;;
*) exit 2 ;;
esac
"""
_LAUNCHCTL = """#!/bin/sh
echo "launchctl $*" >> {log}
case "$1" in
print) [ -f {on} ] ;;
bootstrap) [ -f "$3" ] && : > {on} ;;
bootout) /bin/rm {on} ;;
*) exit 2 ;;
esac
"""


class FakeSchedulers:
    """A folder with the programs asked for, and what happened to them."""

    def __init__(self, folder: Path, *programs: str) -> None:
        folder.mkdir()
        self.path = folder / "bin"
        self.path.mkdir()
        self.log = folder / "calls"
        self.crontab = folder / "crontab"
        self.dead = folder / "dead"  # its presence: no systemd of the user is running
        self.denied = folder / "denied"  # the user may not use cron
        self.stubborn = folder / "stubborn"  # systemd refuses to enable or restart a unit
        self._on = folder / "on"
        scripts = {"crontab": _CRONTAB, "systemctl": _SYSTEMCTL, "launchctl": _LAUNCHCTL}
        for program in programs:
            script = self.path / program
            script.write_text(scripts[program].format(**self._places()), encoding="utf-8")
            script.chmod(0o755)

    @property
    def is_on(self) -> bool:
        return self._on.exists()

    def calls(self) -> list[str]:
        """How the programs were called since the last question."""
        found = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return found

    def changes(self) -> list[str]:
        """The calls that change something."""
        asking = ("crontab -l", "systemctl --user show", "systemctl --user is-", "launchctl print")
        return [call for call in self.calls() if not call.startswith(asking)]

    def _places(self) -> dict[str, str]:
        places = {"log": self.log, "tab": self.crontab, "dead": self.dead, "denied": self.denied, "on": self._on}
        return {name: shlex.quote(str(place)) for name, place in {**places, "stubborn": self.stubborn}.items()}
