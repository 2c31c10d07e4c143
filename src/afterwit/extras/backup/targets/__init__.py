"""Where backups can lie: a folder, any `fsspec` URL, a git remote. The door is `at.target_at`.

A target keeps named bytes and knows nothing of what they are. It does not trust what it finds either: names are those
that `vault` makes, reads are bounded, and what is no regular file is none.
"""
