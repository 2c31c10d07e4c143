"""Files of other programs are replaced whole, or not at all."""

import os
import stat
from pathlib import Path

import pytest

from afterwit.connect.foreign_files import look, replace
from afterwit.model.errors import AfterwitError


def test_folders_are_made_for_a_new_file_and_told(tmp_path: Path) -> None:
    path = tmp_path / "a/b/c.json"
    assert replace(look(path), b"{}") == (tmp_path / "a", tmp_path / "a/b")
    assert path.read_bytes() == b"{}"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_changed_since_it_was_seen_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    seen = look(path)
    path.write_text("theirs")
    with pytest.raises(AfterwitError, match="has changed in the meantime"):
        replace(seen, b"ours")
    assert path.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(AfterwitError, match="no regular file"):
        look(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_file_that_is_rewritten_keeps_its_permissions(tmp_path: Path) -> None:
    for mode in (0o600, 0o640, 0o755):
        path = tmp_path / f"{mode:o}.json"
        path.write_text("theirs")
        path.chmod(mode)
        replace(look(path), b"ours")
        assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("ours", mode)


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_link_to_nothing_gets_its_file(tmp_path: Path) -> None:
    link, real = tmp_path / "link", tmp_path / "real"
    link.symlink_to(real)
    replace(look(link), b"x")
    assert link.is_symlink()
    assert real.read_bytes() == b"x"


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
@pytest.mark.parametrize("link", ["AGENTS.md", ".cursor"])
@pytest.mark.parametrize("is_there", [True, False])
def test_nothing_is_written_through_a_link_that_leads_out_of_a_checkout(
    tmp_path: Path, link: str, is_there: bool
) -> None:
    checkout, away = tmp_path / "checkout", tmp_path / "home"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (away / ".git").mkdir(parents=True)
    (away / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    is_file = link == "AGENTS.md"
    target = away / ".bashrc" if is_file else away / "rules.md"
    if is_there:
        target.write_text("mine", encoding="utf-8")
    (checkout / link).symlink_to(target if is_file else away)
    path = checkout / link if is_file else checkout / link / "rules.md"
    with pytest.raises(AfterwitError, match="leads out of the checkout"):
        replace(look(path), b"ours")
    assert [file.read_text(encoding="utf-8") for file in away.iterdir() if file.is_file()] == (
        ["mine"] if is_there else []
    )


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_link_within_a_checkout_is_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    replace(look(tmp_path / "CLAUDE.md"), b"ours")
    assert (tmp_path / "AGENTS.md").read_bytes() == b"ours"
