"""Stories of the repository `almanac`, a folder of notes without a remote, built into pages with mkdocs."""

from afterwit.demo.script import DemoAgent, DemoSession, EditStep, Prompt, Read, Reply, Search, Shell, Step

REPO = "almanac"
MOON = "# The moon in autumn\n\nSee [sowing](sowing.md).\n"
_BROKEN = (
    "WARNING -  Doc file 'moon.md' contains a link 'sowing.md', but the target is not found among documentation files."
    "\n"
    "Aborted with 1 warnings in strict mode!"
)


def _build(old: str, new: str) -> tuple[Step, ...]:
    """Strict builds stop at a broken link."""
    return (
        Shell("mkdocs build --strict", _BROKEN, 1, 1.5),
        Search("sowing", "docs/garden/sowing.md:1:# Sowing"),
        EditStep("docs/moon.md", old, new),
        Shell("mkdocs build --strict", "INFO    -  Documentation built in 0.61 seconds", 0, 1.6),
    )


SESSIONS = (
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "almanac moon page",
        REPO,
        20,
        "18:00",
        (
            Prompt("Write a page on the moon in autumn, and link it from the index."),
            EditStep("docs/moon.md", "", MOON, "File has not been read yet. Read it first before writing to it."),
            Read("docs/moon.md", MOON),
            EditStep("docs/moon.md", "autumn", "autumn and winter"),
            *_build("(sowing.md)", "(garden/sowing.md)"),
            Reply("The page is there, and the strict build passes."),
        ),
        "A page on the moon",
    ),
    DemoSession(
        DemoAgent.CODEX,
        "almanac preview",
        REPO,
        13,
        "12:15",
        (
            Prompt("Start the preview so that I can look at it."),
            Shell("mkdocs serve &", "OSError: [Errno 98] Address already in use", 1, 0.7),
            Shell("mkdocs serve -a localhost:8001 &", "INFO    -  Serving on http://127.0.0.1:8001/", 0, 0.8),
            *_build("(sowing.md)", "(garden/sowing.md)"),
            Reply("It is on port 8001, because 8000 is taken."),
        ),
        "Preview of the almanac",
    ),
    DemoSession(
        DemoAgent.CLAUDE_CODE,
        "almanac spelling",
        REPO,
        3,
        "21:10",
        (
            Prompt("Check the spelling of all pages, British English."),
            Shell("codespell --builtin en-GB_to_en-US docs", "", 0, 0.5),
            Shell("codespell docs | tee spelling.txt", "docs/moon.md:3: recieve ==> receive", 0, 0.5),
            EditStep("docs/moon.md", "recieve", "receive"),
            Reply("One word was wrong: recieve."),
        ),
        "Spelling",
    ),
)
