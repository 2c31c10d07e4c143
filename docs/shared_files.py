"""What a package puts below `share` for other programs: manual pages for `man`, scripts for the shells that complete.

The folders are those in which `man`, bash-completion, zsh and fish look by themselves. `hatch_build.py` puts all of it
into the wheel.
"""

from pathlib import Path

import man
from click.shell_completion import get_completion_class

from afterwit.cli.main import afterwit

SCRIPTS = {
    "bash": "bash-completion/completions/afterwit",
    "zsh": "zsh/site-functions/_afterwit",
    "fish": "fish/vendor_completions.d/afterwit.fish",
}


def write(folder: str) -> None:
    """Writes all of them below the folder."""
    man.main([str(Path(folder) / "man")])
    for shell, place in SCRIPTS.items():
        script = Path(folder) / place
        script.parent.mkdir(parents=True)
        script.write_text(completion_script(shell), encoding="utf-8", newline="\n")


def completion_script(shell: str) -> str:
    """The script that click writes for a shell, with which it asks us how a line goes on."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(afterwit, {}, "afterwit", "_AFTERWIT_COMPLETE").source()
