"""Backups of a store: made, listed, checked, restored and thinned out.

Doors: `create.make_snapshot`, `look.list_snapshots` and `verify_backup`, `restore.restore_snapshot`,
`prune.prune_backup`, and `last.last_backup` for those who want to know when the last one was. `vault` says how one
lies at its target, `targets` where targets can be (a folder, any `fsspec` URL, a git remote), `keys` how it is
encrypted before it leaves the machine. `fsspec` and `pyrage` are an extra, and loaded where they are needed.
"""
