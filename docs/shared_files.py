"""What a package puts below `share` for other programs: manual pages for `man`, scripts for the shells that complete.

The folders are those in which `man`, bash-completion, zsh and fish look by themselves. `hatch_build.py` puts all of it
into the wheel.
"""

from pathlib import Path

import man
from click.testing import CliRunner

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
    """What `afterwit completion` prints for a shell."""
    done = CliRunner().invoke(afterwit, ["completion", shell], catch_exceptions=False)
    return done.stdout
