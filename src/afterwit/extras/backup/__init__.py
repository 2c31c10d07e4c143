"""Backups of a store: made, listed, checked, restored and thinned out.

Doors: `create.create`, `list.list_snapshots`, `verify.verify`, `restore.restore`, `prune.prune`, and `last.last_backup`
for those who want to know when the last one was. `contents` says what of a store goes into a backup, `vault` how it
lies at its target, `targets` where targets can be (a folder, any `fsspec` URL, a git remote), `keys` how it is
encrypted before it leaves the machine. `fsspec` and `pyrage` are an extra, and loaded where they are needed.
"""
