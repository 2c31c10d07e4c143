"""What each of our extras brings, as the core's table (`config.extras`) names it. Loads nothing of the extras."""

from pathlib import Path

from afterwit.config.extras import Extra, PageLink, Subcommand

_HERE = Path(__file__).parent
_DASK = "afterwit.extras.team.cluster:reach"

TEAM = Extra(
    commands={
        "share": Subcommand("afterwit.extras.team.cli:share", "Share the notes of a repository through git."),
        "store sync": Subcommand(
            "afterwit.extras.team.cli.sync:sync",
            "Exchange notes with a hub: take in what others share, and share what you approved.",
        ),
        "store hub": Subcommand(
            "afterwit.extras.team.cli.hub:hub", "Share notes with a team through a PostgreSQL server."
        ),
    },
    executors={"dask": _DASK, "dask+tcp": _DASK, "dask+tls": _DASK},
)
BACKUP = Extra(
    commands={
        "store backup": Subcommand(
            "afterwit.extras.backup.cli:backup",
            "Snapshots of the store in a folder or on a server.",
        )
    },
    after_learn="afterwit.extras.backup.daily:back_up",
    findings="afterwit.extras.backup.health:backup_findings",
    backup_state="afterwit.extras.backup.health:backup_state",
)
MEMORY = Extra(
    commands={
        "memory": Subcommand(
            "afterwit.extras.memory.cli:memory", "Remember what users and agents prefer, across sessions."
        )
    },
    tools={"memory": "afterwit.extras.memory.tool"},
    tools_file=_HERE / "memory" / "tools.json",
    preferences="afterwit.extras.memory.api:preferences",
)
PATTERNS = Extra(
    commands={
        "patterns": Subcommand(
            "afterwit.extras.lab.patterns.cli:patterns",
            "What recurs across sessions and agents, and the catalog of it.",
        )
    },
    pages=("afterwit.extras.lab.patterns.web",),
    links=(PageLink("patterns", "Patterns", "What recurs across sessions and agents, and what was decided about it."),),
    looks=("afterwit.extras.lab.patterns.signals:PatternSignals",),
    after_delete="afterwit.extras.lab.patterns.publish:renew",
)
SKILLS = Extra(
    commands={
        "skills": Subcommand(
            "afterwit.extras.lab.skills.cli:skills", "See which skills sessions use, and whether they help."
        )
    },
    pages=("afterwit.extras.lab.skills.web",),
    links=(PageLink("skills", "Skills", "Which skills sessions use, and what follows."),),
    harvesters=("afterwit.extras.lab.skills.effect:Skills",),
    after_learn="afterwit.extras.lab.skills.after_learn:advance_trials",
)
TEMPLATES = Extra(
    commands={
        "templates": Subcommand(
            "afterwit.extras.lab.templates.cli:templates",
            "Begin a session with tool calls that went well in an earlier one.",
        )
    },
    pages=("afterwit.extras.lab.templates.web",),
    links=(PageLink("templates", "Templates", "Tool calls that went well, to begin with."),),
    worked_examples="afterwit.extras.lab.templates.apply:choose_examples",
)
SAMPLE = Extra(
    commands={
        "sample": Subcommand(
            "afterwit.extras.lab.sample.cli:sample", "Say which sessions to read or learn from first, and why."
        )
    }
)
FIXES = Extra(
    commands={
        "guards": Subcommand(
            "afterwit.extras.fixes.cli:guards", "Find out whether anything would notice if a fix were undone."
        )
    },
    pages=("afterwit.extras.fixes.web",),
    links=(PageLink("guards", "Guards", "Which fixes a test would miss if they were undone."),),
)
DEMO = Extra(
    commands={"demo": Subcommand("afterwit.extras.demo.cli:demo", "Show what Afterwit does, on invented sessions.")}
)
