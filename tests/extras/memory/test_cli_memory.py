"""`afterwit memory` as people and scripts call it."""

import json
import subprocess
from collections.abc import Callable

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_an_entry_can_be_stored_shown_found_listed_and_forgotten(run: Run) -> None:
    assert run("memory", "store", "preference.indent", "two spaces", "--meta", "n=3", "--user", "ada").returncode == 0
    assert run("memory", "retrieve", "preference.indent", "--user", "ada").stdout == "two spaces\n"
    assert "preference.indent" in run("memory", "query", "space", "--user", "ada").stdout
    assert run("memory", "list", "--user", "ada").stdout == "preference.indent\n"
    assert run("memory", "list", "--user", "grace").stdout == ""
    found = json.loads(run("memory", "retrieve", "preference.indent", "--user", "ada", "--json").stdout)
    assert (found["entry"]["value"], found["entry"]["metadata"]) == ("two spaces", {"n": 3, "stored_by": "person"})
    hits = json.loads(run("memory", "query", "space", "--user", "ada", "--json").stdout)["hits"]
    assert hits[0]["entry"]["key"] == "preference.indent"
    assert run("memory", "delete", "preference.indent", "--user", "ada").returncode == 2
    assert run("memory", "delete", "preference.indent", "--user", "ada", "--yes").returncode == 0
    done = run("memory", "retrieve", "preference.indent", "--user", "ada")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Nothing is remembered under preference.indent" in done.stderr
    assert run("memory", "delete", "preference.indent", "--user", "ada", "--yes").returncode == 1


def test_a_write_that_waits_ends_with_3_and_the_reason(run: Run) -> None:
    done = run("memory", "store", "shell", "fish", "--user", "ada", AFTERWIT_MEMORY_BACKEND="elsewhere")
    assert done.returncode == 3
    assert "There is no memory backend 'elsewhere'" in done.stderr
    assert "delivered by a later" in done.stderr
    read = run("memory", "retrieve", "shell", "--user", "ada", AFTERWIT_MEMORY_BACKEND="elsewhere")
    assert (read.returncode, read.stdout) == (0, "fish\n")
    assert "what this machine holds" in read.stderr
    shown = run("memory", "info", "--user", "ada", AFTERWIT_MEMORY_BACKEND="elsewhere")
    assert "1 write for elsewhere" in shown.stdout


def test_memory_that_is_off_refuses_to_store(run: Run) -> None:
    done = run("memory", "store", "shell", "fish", AFTERWIT_MEMORY_BACKEND="null")
    assert done.returncode == 1
    assert "Memory is off" in done.stderr


def test_wrong_use_ends_with_2_and_what_to_do(run: Run) -> None:
    for arguments, what in (
        (("store", "k" * 201, "x"), "200 is the most"),
        (("store", "k", "x", "--meta", "n"), "NAME=VALUE"),
        (("evaluate", "--backend", "nowhere"), "is none of null, local"),
    ):
        done = run("memory", *arguments)
        assert done.returncode == 2, done
        assert what in done.stderr


def test_the_evaluation_prints_scores_weights_and_a_recommendation(run: Run) -> None:
    done = run("memory", "evaluate", "--entries", "20")
    assert done.returncode == 0, done.stderr
    assert "availability 20" in done.stdout
    assert "postgres: not configured." in done.stdout
    assert "Use local" in done.stdout
    found = json.loads(run("memory", "evaluate", "--backend", "null", "--json").stdout)
    assert set(found) == {"weights", "backends", "recommendation"}
    assert found["weights"]["privacy"] == 20


def test_info_says_who_sees_the_data(run: Run) -> None:
    found = json.loads(run("memory", "info", "--json", "--user", "ada").stdout)
    assert (found["backend"], found["leaves_machine"], found["waiting"]) == ("local", False, {})
