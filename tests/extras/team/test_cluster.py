"""A real Dask cluster of two workers on this machine: it finds what this machine alone would find."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.certificates import Authority, authority, has_openssl
from tests.engine.hermes_sessions import Ran, Said, messages, put_database
from tests.homes import claude_records, codex_records, everything_in, family_home, learned, put
from tests.s3_server import s3_server

pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.server
CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
DIES_AFTER = 3
BUCKET = "s3://orchard-logs"
_MOST_SECONDS = 60
_DYING = f"""
import os, signal
from distributed import WorkerPlugin

class Dying(WorkerPlugin):
    begun = 0

    def transition(self, key, start, finish, **kwargs):
        self.begun += finish == "executing"
        if self.begun > {DIES_AFTER}:
            os.kill(os.getpid(), signal.SIGKILL)

async def dask_setup(worker):
    await worker.plugin_add(Dying())
"""


class Cluster:
    """A scheduler and its workers, ended by id."""

    def __init__(self, folder: Path, more: Sequence[str] = ()) -> None:
        self._folder = folder
        self._more = more
        self._file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._scheduler = self._started("scheduler", "--port", "0", "--no-dashboard", "--no-show")
        self.place = self._content()["address"].partition("://")[2]
        self.address = f"dask://{self.place}"

    def add_worker(self, *more: str) -> "subprocess.Popen[bytes]":
        options = ("--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        worker = self._started("worker", *options, "--local-directory", str(self._folder), *more)
        self.workers.append(worker)
        return worker

    def end(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()

    def _started(self, program: str, *options: str) -> "subprocess.Popen[bytes]":
        dask = Path(sys.executable).with_name("dask")
        command = [
            str(dask),
            program,
            "--scheduler-file",
            str(self._file),
            "--host",
            "127.0.0.1",
            *self._more,
            *options,
        ]
        environ = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
        environ |= {"PATH": os.environ["PATH"], "HOME": str(self._folder), "NO_PROXY": "*"}
        with (self._folder / f"{program}-{len(self.workers)}.txt").open("wb") as said:
            return subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def _content(self) -> dict[str, str]:
        until = time.monotonic() + _MOST_SECONDS
        while time.monotonic() < until:
            assert self._scheduler.poll() is None, "the scheduler has ended"
            if self._file.is_file() and (text := self._file.read_text()).endswith("}"):
                content: dict[str, str] = json.loads(text)
                return content
            time.sleep(0.05)
        raise TimeoutError("the scheduler does not start")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    started = Cluster(folder)
    try:
        yield started
    finally:
        started.end()


@pytest.fixture
def stores(tmp_path: Path) -> tuple[Path, Path]:
    """Two that hide secrets by the same key."""
    here, there = tmp_path / "here", tmp_path / "there"
    learned(tmp_path / "nobody", here)
    shutil.copytree(here, there)
    return here, there


def learn(
    home: Path, store: Path, *options: str, environ: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    surroundings = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    surroundings |= {"PATH": os.environ["PATH"], "HOME": str(home), "AFTERWIT_HOME": str(store), "NO_PROXY": "*"}
    command = [sys.executable, "-m", "afterwit", "learn", "--json", *options]
    return subprocess.run(
        command, env=surroundings | dict(environ or {}), capture_output=True, text=True, timeout=600, check=False
    )


def same(there: Path, here: Path) -> None:
    """All rows, with their numbers."""
    found, expected = everything_in(there), everything_in(here)
    assert [table for table in expected if found[table] != expected[table]] == []
    assert archived_in(there) == archived_in(here)


def archived_in(store: Path) -> dict[str, bytes]:
    folder = store / "archive"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.zst")}


def orchard_home(home: Path) -> Path:
    family_home(home)
    for number in range(8):
        name = f"0000{number}000-0000-4000-8000-000000000000"
        put(home / ".claude" / "projects" / "-srv-orchard" / f"{name}.jsonl", claude_records(name, start=number * 600))
        put(home / ".codex" / "sessions" / "2026" / "05" / "01" / f"rollout-{name}.jsonl", codex_records(name))
    long = Ran("cat ladders", 'a ladder of "oak"\n' * 3000)
    put_database(home, [messages("Count the ladders", [Ran("ls ladders", "none", 2), long, Said("None.")], 1)])
    return home


def test_a_cluster_finds_what_this_machine_finds(tmp_path: Path, cluster: Cluster, stores: tuple[Path, Path]) -> None:
    here, there = stores
    home = orchard_home(tmp_path / "home")
    cluster.add_worker()
    cluster.add_worker()
    assert learn(home, here, "--jobs", "1").returncode == 0
    done = learn(home, there, "--executor", cluster.address)
    assert (done.returncode, done.stderr) == (0, "")
    same(there, here)


def test_a_worker_that_dies_in_the_middle_changes_nothing(
    tmp_path: Path, cluster: Cluster, stores: tuple[Path, Path]
) -> None:
    here, there = stores
    home = orchard_home(tmp_path / "home")
    preload = tmp_path / "dying.py"
    preload.write_text(_DYING)
    dying = cluster.add_worker("--preload", str(preload))
    cluster.add_worker()
    assert learn(home, here, "--jobs", "1").returncode == 0
    done = learn(home, there, "--executor", cluster.address)
    assert (done.returncode, done.stderr) == (0, "")
    assert dying.wait(timeout=_MOST_SECONDS) == -signal.SIGKILL
    same(there, here)


def test_workers_read_from_an_s3_server_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: tuple[Path, Path]
) -> None:
    here, there = stores
    home = orchard_home(tmp_path / "home")
    with s3_server(monkeypatch, tmp_path, BUCKET):
        import s3fs

        s3fs.S3FileSystem().put(f"{home}/", f"{BUCKET}/logs/", recursive=True)
        folder = tmp_path / "cluster"
        folder.mkdir()
        cluster = Cluster(folder)
        try:
            cluster.add_worker()
            cluster.add_worker()
            url = ("--sessions-dir", f"{BUCKET}/logs")
            assert learn(tmp_path, here, *url, "--jobs", "1").returncode == 0
            done = learn(tmp_path, there, *url, "--executor", cluster.address)
            assert (done.returncode, done.stderr) == (0, "")
            assert sum(agent["read"] for agent in json.loads(done.stdout)["agents"]) >= 18
            same(there, here)
            again = learn(tmp_path, there, *url, "--executor", cluster.address)
            assert sum(agent["read"] for agent in json.loads(again.stdout)["agents"]) == 0
        finally:
            cluster.end()


@pytest.mark.skipif(not has_openssl(), reason="openssl, which makes certificates, is not there")
def test_a_cluster_is_reached_by_tls_and_only_by_one_that_it_trusts(tmp_path: Path, stores: tuple[Path, Path]) -> None:
    here, there = stores
    home = orchard_home(tmp_path / "home")
    ours, others = authority(tmp_path, "ours"), authority(tmp_path, "others")
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder, ("--protocol", "tls", *(f"--tls-{kind}={path}" for kind, path in tls_files(ours))))
    try:
        cluster.add_worker()
        assert learn(home, here, "--jobs", "1").returncode == 0
        secure = f"dask+tls://{cluster.place}"
        stranger = learn(home, there, "--executor", secure, environ=tls_environ(others))
        assert stranger.returncode == 1
        assert f"No Dask scheduler answers at {secure}" in stranger.stderr
        done = learn(home, there, "--executor", secure, environ=tls_environ(ours))
        assert (done.returncode, done.stderr) == (0, "")
        same(there, here)
    finally:
        cluster.end()


def tls_files(signer: Authority) -> list[tuple[str, Path]]:
    certificate, key = signer.certificate_for("localhost")
    return [("ca-file", signer.root), ("cert", certificate), ("key", key)]


def tls_environ(signer: Authority) -> dict[str, str]:
    """As a user of Dask would set it."""
    certificate, key = signer.certificate_for("localhost")
    names = {"CA_FILE": signer.root, "CLIENT__CERT": certificate, "CLIENT__KEY": key}
    return {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(path) for name, path in names.items()}


def test_a_cluster_without_workers_or_without_a_scheduler_is_said(
    tmp_path: Path, cluster: Cluster, stores: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from afterwit.extras.team import cluster as dask_cluster
    from afterwit.model.errors import AfterwitError

    monkeypatch.setattr(dask_cluster, "_CONNECT_SECONDS", 1)
    with pytest.raises(AfterwitError, match=r"has no worker\. Start some with `dask worker`"):
        dask_cluster.reach(cluster.address)
    cluster.end()
    with pytest.raises(AfterwitError, match=r"No Dask scheduler answers at dask://127\.0\.0\.1"):
        dask_cluster.reach(cluster.address)


@pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no real transcripts")
def test_real_sessions_are_the_same_on_a_cluster_with_a_dying_worker(
    tmp_path: Path, cluster: Cluster, stores: tuple[Path, Path]
) -> None:
    here, there = stores
    preload = tmp_path / "dying.py"
    preload.write_text(_DYING.replace(f"> {DIES_AFTER}:", "> 40:"))
    dying = cluster.add_worker("--preload", str(preload))
    cluster.add_worker()
    assert learn(Path(CORPUS), here, "--jobs", "1").returncode == 0
    done = learn(Path(CORPUS), there, "--executor", cluster.address)
    assert (done.returncode, done.stderr) == (0, "")
    assert dying.wait(timeout=_MOST_SECONDS) == -signal.SIGKILL
    same(there, here)
