"""What stands in a URL."""

from urllib.parse import urlsplit


def has_password(url: str) -> bool:
    """Whether a password stands in it, where others can read it."""
    try:
        return "://" in url and urlsplit(url).password is not None
    except ValueError:
        return False
