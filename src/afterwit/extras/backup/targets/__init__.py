"""Where backups can lie: a folder, or any `fsspec` URL. The door is `at.target_at`.

A target keeps named bytes and knows nothing of what they are. It does not trust what it finds either: names are those
that `vault` makes, reads are bounded, and what is no regular file is none.
"""
