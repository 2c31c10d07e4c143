"""A real S3-compatible server on this machine, for whatever talks to one through `fsspec`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
"""


class S3Server:
    """An S3-compatible server on this machine."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", SERVER],
            env={"PATH": os.environ["PATH"], "HOME": os.devnull},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bucket: str) -> Iterator[S3Server]:
    pytest.importorskip("moto", reason="moto, an S3-compatible server, is not installed")
    s3fs = pytest.importorskip("s3fs", reason="s3fs, which fsspec needs for S3, is not installed")
    server = S3Server()
    if not server.port:
        server.end()
        pytest.skip("the S3-compatible server does not start here")
    surroundings = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.port}",
        "AWS_ACCESS_KEY_ID": "orchard",
        "AWS_SECRET_ACCESS_KEY": "apples",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "NO_PROXY": "*",
    }
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        s3fs.S3FileSystem().mkdir(bucket)
        yield server
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.end()
