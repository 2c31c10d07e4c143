"""An invented machine for installers."""

from pathlib import PurePath

from afterwit.edits.edits import Surroundings

AT = Surroundings(
    user_home=PurePath("/home/ada"),
    environ={},
    platform="linux",
    project=PurePath("/home/ada/src/orchard"),
    hook=("/opt/afterwit/bin/afterwit-hook",),
    server=("/opt/afterwit/bin/afterwit", "mcp"),
    notes="[afterwit notes from past sessions]\nPrune in spring.\n[end of afterwit notes]",
    notes_file=PurePath("/home/ada/.local/share/afterwit/notes/aider.md"),
)
EVERYTHING = AT._replace(may_refuse=True, may_rewrite=True)
