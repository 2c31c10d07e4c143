"""On what evidence a reader was written: shown by `doctor`, so that users know how far to trust it."""

from enum import StrEnum


class ReaderEvidence(StrEnum):
    REAL_DATA = "real data"
    REAL_CLIENT = "a run of the real client"
    DOCUMENTATION = "documentation only"
    DESCRIPTION = "a description of your own"
