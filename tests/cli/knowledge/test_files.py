"""`afterwit knowledge export`, `import`, `audit` and `reconcile`."""

import json
import re
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.knowledge.conftest import ITEM
from tests.knowledge_home import FACT


def test_a_folder_travels_from_store_to_store(knowing: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "team")
    assert knowing("knowledge", "export", out).stderr == f"1 note in {out}: 2 files written, 0 unchanged.\n"
    assert set(json.loads(knowing("knowledge", "export", out, "--json").stdout)) == {
        *("folder", "items", "written", "removed", "unchanged"),
    }
    other = {"AFTERWIT_HOME": str(tmp_path / "other")}
    unanswered = knowing("knowledge", "import", out, **other)
    assert (unanswered.returncode, "Nobody answered" in unanswered.stderr) == (1, True)
    done = knowing("knowledge", "import", out, "--yes", **other)
    assert re.fullmatch(rf"import:team-[0-9a-f]{{6}}: 1 note, 1 new\n  {re.escape(FACT)}\n", done.stdout)
    listed = json.loads(knowing("knowledge", "list", "--status", "quarantined", "--json", **other).stdout)["items"]
    assert [one["fact"] for one in listed] == [FACT]
    assert "imported before" in knowing("knowledge", "import", out, "--yes", **other).stderr
    knowing("knowledge", "approve", listed[0]["id"], **other)
    assert FACT in knowing("knowledge", "list", **other).stdout


def test_a_dry_import_has_the_documented_shape(knowing: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "team")
    knowing("knowledge", "export", out)
    found = json.loads(knowing("knowledge", "import", out, "--dry-run", "--json").stdout)
    assert set(found) == {"folders", "is_dry_run"}
    (folder,) = found["folders"]
    assert folder.pop("source").startswith("import:team-")
    assert folder == {"items": 1, "new": 0, "facts": []}


def test_a_broken_index_is_wrong_use(knowing: Run, tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text('{"version": 1, "items": [{}]}')
    done = knowing("knowledge", "import", str(tmp_path), "--yes")
    assert done.returncode == 2
    assert "index.json, note 1: Object missing required field `id`. Correct or remove that note." in done.stderr


def test_an_audit_takes_verdicts_from_a_file(knowing: Run, tmp_path: Path) -> None:
    assert knowing("knowledge", "audit").returncode == 2
    drawn = json.loads(knowing("knowledge", "audit", "--draw", "--seed", "3", "--json").stdout)
    assert (drawn["seed"], [item["id"] for item in drawn["items"]]) == (3, [ITEM])
    verdicts = tmp_path / "verdicts.txt"
    verdicts.write_text(f"{ITEM} wrong\n")
    done = knowing("knowledge", "audit", "--verdicts", str(verdicts), "--seed", "3")
    assert "    1  wrong (junk)" in done.stdout
    assert done.stdout.splitlines()[-1] == (
        "Junk: 1 of 1 note, 100.0% (95 % interval 20.7% to 100.0%); 1 note in use, seed 3."
    )
    assert f"`afterwit knowledge reject {ITEM}`" in done.stderr
    found = json.loads(knowing("knowledge", "audit", "--verdicts", str(verdicts), "--json").stdout)
    assert set(found) == {"seed", "active", "verdicts", "counts", "judged", "junk", "junk_rate", "interval"}


def test_contradictions_are_shown_with_file_and_line(knowing: Run) -> None:
    found = json.loads(knowing("knowledge", "reconcile", "--json").stdout)
    assert found == {"files": 0, "clashes": [], "doubles": []}
    assert (
        "0 instruction files read: 0 contradictions, 0 likely duplicates." in knowing("knowledge", "reconcile").stderr
    )
