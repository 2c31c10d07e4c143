"""What the repository's own files say otherwise: the rule, and that no session is told it."""

from pathlib import Path

import pytest
from tests.every import for_every
from tests.homes import learned, world_of
from tests.knowledge.drafting import draft
from tests.knowledge_home import FACT, learnable_home

from afterwit.config.world import World
from afterwit.engine.curation.curate import Words, add, judge
from afterwit.engine.curation.files import export
from afterwit.knowledge.contradictions import Claim, claim_of_passage, denial_of, opposition
from afterwit.knowledge.door.list import ItemFilter, all_items
from afterwit.knowledge.host_text import HostText, Passage
from afterwit.knowledge.whose_words import Listener
from afterwit.mcp.notes import explain
from afterwit.model.knowledge import EVERYWHERE, Category, HostLine, Item
from afterwit.recall.deck.reader import Deck, words_called
from afterwit.recall.recall import recalled
from afterwit.recall.told import told_when
from afterwit.store.decisions import DecisionKind
from afterwit.store.store import open_store


def says(text: str) -> Claim:
    return claim_of_passage(Passage("AGENTS.md", 1, text))


@for_every(
    "file, note",
    [
        ("Use pnpm, not npm.", "We use npm here, not pnpm."),
        ("Use pnpm, not npm.", "Install with `npm ci`."),
        ("The job queue uses Postgres.", "use Redis streams instead of Postgres for the job queue"),
        ("Postgres holds the job queue.", "use Redis streams instead of Postgres for the job queue"),
        ("Never run `npm test`.", "run `npm test` after a change"),
        ("Don't use mocks in tests.", "Use mocks in tests of the mailer."),
        ("Always squash commits.", "Never squash commits."),
        ("Use tabs in Go.", "Never use tabs."),
    ],
)
def test_one_refuses_what_the_other_wants(file: str, note: str) -> None:
    assert opposition(says(file), says(note))
    assert opposition(says(note), says(file))


@for_every(
    "file, note",
    [
        ("Use pnpm, not npm, for installs.", "Use pnpm for installs."),
        ("Use Postgres, not SQLite, in production.", "Use SQLite for unit tests."),
        ("Users are stored in Postgres.", "use Redis streams instead of Postgres for the job queue"),
        ("Redis streams replaced Postgres in the job queue.", "use Redis instead of Postgres for the job queue"),
        ("Do not run `npm test` without building.", "Run `npm test`."),
        ("Do not commit when `npm test` fails.", "Run `npm test`."),
        ("Do not run `pytest` directly; use `make test`.", "Run `make test`."),
        ("Never push without running `make check`.", "Always run `make check` before you push."),
    ],
)
def test_what_goes_together_is_not_taken_for_a_contradiction(file: str, note: str) -> None:
    assert not opposition(says(file), says(note))


@pytest.mark.parametrize(
    ("file", "advice", "is_denied"),
    [
        ("Run the tests with `npm test`.", "bun run test", True),
        ("Run the tests with `make test`.", "go test ./...", True),
        ("Run `npm test` in `web`.", "go test ./...", False),  # another language is another part of the repository
        ("Run the tests with `npm test`, or `bun run test`.", "bun run test", False),
        ("Check spelling with `typos`.", "npm run lint", False),
    ],
)
def test_another_command_for_the_same_purpose_says_otherwise(file: str, advice: str, is_denied: bool) -> None:
    note = draft(f"In `orchard`: `{advice}`.", advice=advice)
    assert (denial_of(note, HostText.of({"AGENTS.md": file})) is not None) is is_denied


DENIAL = "# Orchard\n\nCall everything through `rtk make`, never through `make`.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "home/src/orchard"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def world(tmp_path: Path, checkout: Path) -> World:
    """Three sessions in which `rtk make` failed and `make` worked."""
    learned(learnable_home(tmp_path / "home", cwd=str(checkout)), tmp_path / "store")
    return world_of(tmp_path / "home", tmp_path / "store")


def note(world: World) -> Item:
    with open_store(world.layout) as store:
        return next(item for item in all_items(store.db) if item.sentence == FACT)


def ways_told(world: World, checkout: Path) -> set[str]:
    """The ways by which an agent reads that `rtk make` fails."""
    known = note(world)
    blocks = recalled(world, checkout, None, "claude-code", "Count the trees with rtk make", None)
    deck = Deck(str(world.layout.deck))
    words = words_called("rtk make count")
    export(world, world.user_home / "exported", ItemFilter())
    exported = (world.user_home / "exported/index.json").read_text()
    answers = {
        "at the start": FACT in blocks.start.text,
        "at a prompt": FACT in str(blocks.prompt),
        "before the command": bool(deck.lines("command", words, known.scope.name, "claude-code")),
        "after the failure": bool(deck.lines("failure", words, known.scope.name, "claude-code")),
        "over MCP": FACT in "\n".join(explain(known, Listener())),
        "in an export": "rtk" in exported,
    }
    return {way for way, is_told in answers.items() if is_told}


def test_what_agents_md_says_otherwise_is_told_in_no_way(world: World, checkout: Path) -> None:
    assert ways_told(world, checkout) >= {"at the start", "before the command", "after the failure", "over MCP"}
    (checkout / "AGENTS.md").write_text(DENIAL)
    learned(world.user_home, world.layout.root)  # a file that changes counts from the next learn on
    assert ways_told(world, checkout) == set()
    assert note(world).host_lines == (HostLine("AGENTS.md", 3, is_otherwise=True),)
    assert note(world).id not in told_when(world)
    (checkout / "AGENTS.md").write_text("# Orchard\n")
    learned(world.user_home, world.layout.root)
    assert "at the start" in ways_told(world, checkout)


def test_a_person_who_pins_a_note_has_the_last_word(world: World, checkout: Path) -> None:
    (checkout / "AGENTS.md").write_text(DENIAL)
    learned(world.user_home, world.layout.root)
    judge(world, DecisionKind.PIN, [note(world).id])
    assert "at the start" in ways_told(world, checkout)


@pytest.mark.parametrize("line", ["Never run `cider press`.", "Apples: `cider press`."])
def test_what_applies_everywhere_is_silent_where_a_repository_says_it_or_otherwise(
    line: str, world: World, checkout: Path
) -> None:
    words = "Always press the apples with `cider press`, whatever the weather."
    add(world, Words(sentence=words, category=Category.FACT, scope=EVERYWHERE, advice="cider press"))
    (checkout / "AGENTS.md").write_text(f"{line}\n")
    learned(world.user_home, world.layout.root)
    here = recalled(world, checkout, None, "claude-code", "", None)
    elsewhere = recalled(world, checkout.parent, None, "claude-code", "", None)
    assert (words in here.start.text, words in elsewhere.start.text) == (False, True)
