"""Which files hold tests, and of what, by their paths alone. Standard library only, so that a hook can import it."""

from afterwit.model.text.patterns import regex

_TEST = regex(
    r"(?:^|/)(?:__tests__|tests?|specs?|e2e|testing)/|(?:^|/)(?:test|spec)[_-][^/]*\Z|(?:[._-](?:test|tests|spec|e2e)"
    r"|(?<=[a-z0-9])(?:Tests?|Spec))\.\w+\Z"
)
_TEST_MARK = regex(r"^(?:test|spec)[_-]|[_-](?:test|tests|spec|e2e)\Z|(?<=[a-z0-9])(?:Tests?|Spec)\Z")
_PROSE = (".md", ".mdx", ".rst", ".txt")


def is_test(path: str) -> bool:
    """Whether a file holds tests, by its path."""
    return bool(_TEST.search(path)) and not path.endswith(_PROSE)


def subject_of(path: str) -> str:
    """The name of a file without endings and without what marks tests: the same for a file and its tests."""
    name = path.rpartition("/")[2]
    return _TEST_MARK.sub("", name.lstrip(".").partition(".")[0] or name)


def names_of_tests(path: str) -> list[str]:
    """The names, in lower case, that a file with the tests of this one may have."""
    name = path.rpartition("/")[2].lower()
    stem, dot, ending = name.rpartition(".")
    marked = (
        f"test_{stem}",
        f"{stem}_test",
        f"{stem}.test",
        f"{stem}.spec",
        f"{stem}_spec",
        f"{stem}test",
        f"{stem}-test",
    )
    return [f"{mark}{dot}{ending}" for mark in marked] if stem else []
