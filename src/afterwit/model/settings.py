"""What people can set, with its defaults. `config.toml` has the same shape: one table per struct.

Values only: where they come from, how paths are resolved and what is wrong with a file is `config.show`'s.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(min_length=1)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]
ProfileName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}\Z")]
CadenceText = Annotated[str, msgspec.Meta(pattern=r"^(?:hourly|(?:[01][0-9]|2[0-3]):[0-5][0-9])\Z")]
SqlName = Annotated[str, msgspec.Meta(pattern=r"^[a-z_][a-z0-9_]{0,62}\Z")]
WorkspaceName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,100}\Z")]

Size = Annotated[int, msgspec.Meta(ge=1, le=1 << 60)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Tokens = Annotated[int, msgspec.Meta(ge=100, le=2_000)]

DEFAULT_PROFILE = "default"


class Rates(msgspec.Struct, frozen=True):
    """US dollars per million tokens. A cache rate that is not given is that of input, for writes that are kept for an
    hour that of other writes."""

    input: Rate
    output: Rate
    cache_read: Rate | None = None
    cache_write: Rate | None = None
    cache_write_1h: Rate | None = None


class StoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where data is stored. None: the platform's data folder."""

    home: Path | None = None
    profile: ProfileName = DEFAULT_PROFILE


class LearnSettings(msgspec.Struct, frozen=True, kw_only=True):
    jobs: Annotated[int, msgspec.Meta(ge=0, le=1024)] = 0  # processes; 0: one for every core
    wait_seconds: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 0.0  # for another run to end
    exclude: tuple[Text, ...] = ()  # never read, stored, learned from or told: "repo:…", "folder:…", "agent:…"


class ScheduleSettings(msgspec.Struct, frozen=True, kw_only=True):
    cadence: CadenceText = "12:30"  # hourly, or a time of day by the local clock


Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class BackupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where backups go, and which are kept. A key or a passphrase never stands here."""

    target: Text | None = None  # a folder, a URL that fsspec knows, or a git remote
    key_file: Path | None = None
    daily: bool = False  # whether the first `learn` of a day makes one
    prune: bool = False  # whether it also removes those that are not kept
    keep_daily: Count = 7
    keep_weekly: Count = 4
    keep_monthly: Count = 12


class EvictionOrder(StrEnum):
    """Which analysed originals go first."""

    VALUE = "value"  # the least value per byte
    OLDEST = "oldest"


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How much the archive of originals may take, compressed. The hard cap is twice the soft one if it is not given."""

    raw_soft_cap_bytes: Size = 5_000_000_000
    raw_hard_cap_bytes: Size | None = None
    raw_max_age_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 0  # 0: never
    distilled_cap_bytes: Size = 5_000_000_000  # of everything else; only warned about
    order: EvictionOrder = EvictionOrder.VALUE

    @property
    def hard_cap_bytes(self) -> int:
        return 2 * self.raw_soft_cap_bytes if self.raw_hard_cap_bytes is None else self.raw_hard_cap_bytes


class MemorySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where entries of user memory are kept. A key or a password never stands here."""

    backend: Text = "local"  # null, local, postgres, honcho, or one that is installed besides
    user: Text | None = None  # whose entries; None: the login name
    timeout_seconds: Annotated[float, msgspec.Meta(ge=0.1, le=600)] = 10.0  # for an answer of a server
    postgres_dsn: Text | None = None
    postgres_schema: SqlName = "afterwit_memory"
    honcho_base_url: Text | None = None  # None: the hosted service
    honcho_workspace: WorkspaceName = "afterwit"
    honcho_api_key_file: Path | None = None
    honcho_reasoning: bool = False  # whether Honcho's models think about what is stored


class RecallSettings(msgspec.Struct, frozen=True, kw_only=True):
    preferences: bool = False  # whether entries of user memory that are preferences join the brief
    budget_tokens: Tokens = 1_000  # of the brief
    confidence: Share = 0.7  # above which an item may stand in the brief
    learns_at_end: bool = True  # whether the end of a session starts a `learn` of it


class ReadingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which model reads sessions, and how much that may take. Without a model nothing is sent unasked."""

    model: Text | None = None
    prompt: Path | None = None  # None: the built-in one
    offer: bool = True  # whether `learn` says what a model could read, while none is chosen
    usd_per_day: Rate = 1.0
    usd_per_month: Rate = 20.0
    tokens_per_day: Annotated[int, msgspec.Meta(ge=0, le=1 << 50)] = 1_000_000  # of models without a known price
    tokens_per_month: Annotated[int, msgspec.Meta(ge=0, le=1 << 50)] = 20_000_000
    sessions_per_learn: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 5  # that `learn` lets the model read by itself


class MeasureSettings(msgspec.Struct, frozen=True, kw_only=True):
    daily_report: bool = False  # whether the first `learn` of a day writes the report


class PatternSettings(msgspec.Struct, frozen=True, kw_only=True):
    catalog: Path | None = None  # None: `patterns` in the store


class SharePolicy(StrEnum):
    """Which notes of a repository leave for its share."""

    APPROVED = "approved"  # those that a person approved
    IN_USE = "in-use"  # all that are used and were found by counting


class ShareSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Under which name notes are shared, and whose are used unasked. Whoever can write to a share can use any name."""

    author: Text | None = None  # None: as git calls the user
    policy: SharePolicy = SharePolicy.APPROVED
    trusted: tuple[Text, ...] = ()  # what one of these approved is used, as a quote
    quorum: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0  # or what so many approved; 0: never


class HubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The PostgreSQL hub that `afterwit store sync` exchanges notes with. A password never stands here."""

    url: Text | None = None
    repos: tuple[Text, ...] = ()  # whose notes are exchanged
    digests: bool = False  # whether digests of sessions leave, too


class RepositorySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the histories and trees of learned repositories are read, and where checkouts lie that sessions did not
    run in."""

    read: bool = True
    checkouts: dict[str, Path] = msgspec.field(default_factory=dict)


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    homes: tuple[Path, ...] = ()
    enabled: bool = True


class Aliases(msgspec.Struct, frozen=True, kw_only=True):
    """Other names, and what they stand for."""

    repos: dict[str, Text] = msgspec.field(default_factory=dict)
    tools: dict[str, Text] = msgspec.field(default_factory=dict)
    users: dict[str, Text] = msgspec.field(default_factory=dict)


class RedactionSettings(msgspec.Struct, frozen=True, kw_only=True):
    people: tuple[Text, ...] = ()  # names to replace by a pseudonym, besides those that are found
    strings: tuple[Text, ...] = ()  # other texts to replace
    allow: tuple[Text, ...] = ()  # patterns that are never redacted


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    store: StoreSettings = StoreSettings()
    learn: LearnSettings = LearnSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    backup: BackupSettings = BackupSettings()
    retention: RetentionSettings = RetentionSettings()
    memory: MemorySettings = MemorySettings()
    recall: RecallSettings = RecallSettings()
    reading: ReadingSettings = ReadingSettings()
    share: ShareSettings = ShareSettings()
    hub: HubSettings = HubSettings()
    measure: MeasureSettings = MeasureSettings()
    patterns: PatternSettings = PatternSettings()
    repositories: RepositorySettings = msgspec.field(default_factory=RepositorySettings)
    agents: dict[str, AgentSettings] = msgspec.field(default_factory=dict)
    aliases: Aliases = msgspec.field(default_factory=Aliases)
    domains: dict[str, tuple[Text, ...]] = msgspec.field(default_factory=dict)
    prices: dict[str, Rates] = msgspec.field(default_factory=dict)
    redaction: RedactionSettings = RedactionSettings()
