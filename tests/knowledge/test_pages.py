"""Pages: readable, stable, and nothing in a transcript can change what they are."""

from pathlib import PurePosixPath

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.knowledge.written import EVERYWHERE, item, piece
from tests.thoroughness import examples

from afterwit.knowledge.documents import code, document, file_name, inline, pages
from afterwit.model.knowledge import Authority, Category, Item, ItemStatus, Scope, ScopeKind
from afterwit.redaction.hygiene import clean

ORCHARD_PAGE = "repos/github.com-acme-orchard-"
NASTY = st.text(
    alphabet=st.sampled_from(list("ab1 .)\n\r\t\u2028`~*_#-+=>|<!&[](){}\\/:$")) | st.characters(), max_size=60
)


def parsed(text: str) -> list[Token]:
    """All tokens, the ones inside lines too."""
    return [one for block in MarkdownIt("commonmark").parse(text) for one in (block, *(block.children or []))]


def kinds(text: str) -> set[str]:
    return {token.type for token in parsed(text)}


def shown(text: str) -> str:
    """What a reader sees of one line of Markdown."""
    (block,) = MarkdownIt("commonmark").parseInline(text)
    return "".join(token.content for token in block.children or [])


def orchard(*items: Item) -> str:
    (found,) = (text for path, text in pages(document(items)).items() if path.startswith(ORCHARD_PAGE))
    return found


def test_a_repository_has_a_page_by_category() -> None:
    fact = item(
        "1b1b1b1b1b1b", category=Category.FACT, sentence="Tests are in `tests/`.", advice="", evidence=(piece(),)
    )
    assert orchard(fact, item()).splitlines() == [
        "# github.com/acme/orchard",
        "",
        "Written by `afterwit knowledge export`. Changes made here are lost: `afterwit knowledge edit` changes a "
        "note, `afterwit knowledge why` shows what stands behind it.",
        "",
        "## Pitfalls",
        "",
        "- Run the tests with `make trees`, not `make count`: there is no such target.",
        "  *confidence 0.75, seen in 2 independent sessions, 2026-05-01 to 2026-05-02* `0a0a0a0a0a0a`",
        "",
        "## Facts",
        "",
        "- Tests are in `tests/`.",
        "  *confidence 0.75, seen in 1 independent session, 2026-05-01 to 2026-05-02* `1b1b1b1b1b1b`",
    ]


def test_pages_lie_by_scope() -> None:
    quirk = item("1b1b1b1b1b1b", scope=Scope(ScopeKind.AGENT, "codex"), category=Category.TOOL_QUIRK)
    everywhere = item("2c2c2c2c2c2c", scope=EVERYWHERE, category=Category.TOOL_QUIRK)
    found = list(pages(document([item(), quirk, everywhere])))
    assert found == [f"agents/{file_name('codex')}", "global/tool-quirks.md", f"repos/{file_name(item().scope.name)}"]


def test_what_is_not_settled_comes_last_and_says_so() -> None:
    candidate = item("1b1b1b1b1b1b", status=ItemStatus.CANDIDATE, authority=Authority.OBSERVATION)
    text = orchard(candidate, item())
    assert text.index("0a0a0a0a0a0a") < text.index("1b1b1b1b1b1b")
    assert "*confidence 0.75, waiting, a quote, not advice, seen in 2 independent sessions" in text


@pytest.mark.parametrize("status", [ItemStatus.RETIRED, ItemStatus.SUPERSEDED])
def test_what_was_taken_out_has_no_page(status: ItemStatus) -> None:
    assert pages(document([item(status=status)])) == {}


def test_advice_and_files_are_given_where_the_sentence_does_not_name_them() -> None:
    text = orchard(item(sentence="Count trees the quick way.", files=("Makefile", "a`b")))
    assert "  Use `make trees`.\n  Files: `Makefile`, ``a`b``.\n" in text


def test_the_same_items_in_any_order_give_the_same_pages() -> None:
    one, other = item(), item("1b1b1b1b1b1b", scope=EVERYWHERE)
    assert pages(document([one, other])) == pages(document([other, one]))


@given(st.text(max_size=300))
@example("../../.ssh/authorized_keys")
@example("/etc/passwd")
@example("..")
@example("con\x00.md")
def test_a_name_is_never_a_path(key: str) -> None:
    name = file_name(key)
    assert PurePosixPath(name).parts == (name,)
    assert name.isascii()
    assert not name.startswith((".", "-"))
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")


def test_keys_that_look_alike_have_pages_of_their_own() -> None:
    assert len({file_name(key) for key in ("Orchard", "orchard", "orchard/", "or-chard", "or/chard")}) == 5


@settings(max_examples=examples(150))
@given(NASTY)
@example("# Injected")
@example("1) one")
@example("<script>alert(1)</script>")
@example("`a``<b>`")
@example("`<b>``y``")
@example("[x](javascript:alert) ![y](z)")
@example("&lt;b&gt; &#60;")
@example("a\n\n# b\n---\n")
def test_foreign_text_stays_one_line_of_text(text: str) -> None:
    line = inline(text)
    assert kinds(f"- {line}\n") <= {
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
        *("paragraph_open", "paragraph_close", "inline", "text", "text_special", "code_inline"),
    }
    assert kinds(f"# {line}\n") <= {"heading_open", "heading_close", "inline", "text", "text_special", "code_inline"}


@settings(max_examples=examples(100))
@given(NASTY.filter(lambda text: "`" not in text))
def test_a_reader_sees_the_text_as_it_is(text: str) -> None:
    assert shown(inline(text)) == " ".join(clean(text).split())


@given(NASTY)
def test_code_shows_whatever_backticks_it_holds(text: str) -> None:
    assert kinds(f"x {code(text)} y") <= {"paragraph_open", "paragraph_close", "inline", "text", "code_inline"}


def test_no_item_can_bring_a_heading_a_link_or_html_into_a_page() -> None:
    foul = "# Obey <img src=x> [me](http://example.org) `a` **now** <!-- x -->"
    text = orchard(item(sentence=foul, advice="x` # y <b>", files=("](x)\n# z",), evidence=(piece(excerpt=foul),)))
    assert [token.content for token in parsed(text) if token.type == "html_inline"] == []
    assert kinds(text).isdisjoint({"html_block", "link_open", "image", "strong_open"})
    assert text.count("\n# ") == 0
    assert [token.tag for token in parsed(text) if token.type == "heading_open"] == ["h1", "h2"]
