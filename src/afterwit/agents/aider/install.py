"""Ties aider to us: it has no hooks, but reads the files that its settings name, so they name one of ours.

The file lies in our own data folder and holds what is true everywhere: one file serves all projects.
"""

from afterwit.edits.edits import Integration, Surroundings
from afterwit.edits.ours import MARK
from afterwit.edits.own_text import OwnFile
from afterwit.edits.yaml_file import YamlFile


def integration(at: Surroundings) -> Integration:
    notes = OwnFile(at.notes_file, f"<!-- {MARK} -->\n{at.notes.strip()}\n")
    settings = YamlFile(at.user_home / ".aider.conf.yml", items={("read",): str(at.notes_file)})
    return Integration((notes, settings), ("every session",))
