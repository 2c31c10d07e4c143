"""A Dask cluster as an executor: `dask://HOST:PORT` is the address of its scheduler.

What goes there is what agents logged, with its secrets, and the key that hides them; and whoever runs a scheduler can
run code in the processes that talk to it. So the cluster is its user's own, and what leaves this machine is encrypted:
a scheduler elsewhere is reached by TLS (`dask+tls://`), with the certificates that Dask's own configuration names,
unless its user says that the network between is his alone (`dask+tcp://`). A worker that dies is none of our business:
the scheduler gives its tasks to another. Where no worker is left for a while, or the scheduler is gone, the run ends.
"""

import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from afterwit.extras.memory.backend import is_this_machine
from afterwit.model.errors import AfterwitError, UsageError, install_command

_CONNECT_SECONDS = 20
_TALKATIVE = ("asyncio", "distributed", "tornado")
_ALONE_SECONDS = 60.0  # without any worker, until we give up


def reach(address: str) -> Executor:
    name, _, place = address.partition("://")
    host = place.rpartition(":")[0].strip("[]")
    if not host or not place.rpartition(":")[2].isdigit():
        raise UsageError(f"--executor {address}: say host and port, as in dask://127.0.0.1:8786.")
    if name == "dask" and not is_this_machine(host):
        raise UsageError(
            f"--executor {address}: sessions would cross the network unencrypted. Use dask+tls://{place} with the"
            f" certificates in Dask's configuration; or dask+tcp://{place}, where that network is yours alone."
        )
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise AfterwitError(
            f"{address} needs Dask, which is not installed. Install it: `{install_command('cluster')}`."
        ) from None
    for name_of_logger in list(logging.root.manager.loggerDict):
        if name_of_logger.startswith(_TALKATIVE):
            logging.getLogger(name_of_logger).setLevel(logging.CRITICAL + 1)  # we say ourselves what is wrong
    quiet = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}  # tasks carry what they are about
    dask.config.set(quiet)
    scheme = "tls" if name == "dask+tls" else "tcp"
    try:
        client: Any = Client(f"{scheme}://{place}", timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError) as error:
        raise AfterwitError(
            f"No Dask scheduler answers at {address} ({str(error) or 'it took too long'}). Start one with"
            " `dask scheduler`, and workers with `dask worker`, then run the command again."
        ) from error
    return DaskExecutor(client, address)


def _is_address_here(host: str) -> bool:
    """Whether it is an address of this machine: only those can be bound."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as bound:
            bound.bind((host, 0))
    except OSError:
        return False
    return True


class DaskExecutor(Executor):
    def __init__(self, client: Any, address: str) -> None:
        from distributed import KilledWorker

        self.deadly = (KilledWorker,)
        self._client = client
        self._address = address
        self._executor = client.get_executor(pure=False)
        self._alone_since: float | None = None
        try:
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError:
            client.close()
            raise AfterwitError(
                f"The cluster at {address} has no worker. Start some with `dask worker`, then run the command again."
            ) from None
        self._refuse_foreign()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._alone_since = None
        future: Future[Any] = self._executor.submit(work, *args, **kwargs)
        return future

    def check(self) -> None:
        """Raises where nobody has been there to work for a while."""
        if self._client.status != "running":
            raise self._give_up("its scheduler is gone")
        if self._refuse_foreign():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = now if self._alone_since is None else self._alone_since
        if now - self._alone_since > _ALONE_SECONDS:
            raise self._give_up(f"it has had no worker for {_ALONE_SECONDS:.0f} seconds")

    def _refuse_foreign(self) -> int:
        """How many workers there are. Raises where one of them is elsewhere and nobody said that this may be."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if self._address.startswith("dask://"):
            hosts = {worker.partition("://")[2].rpartition(":")[0].strip("[]") for worker in workers}
            foreign = sorted(host for host in hosts if not (is_this_machine(host) or _is_address_here(host)))
            if foreign:
                place = self._address.partition("://")[2]
                raise UsageError(
                    f"--executor {self._address}: it has workers on other machines ({foreign[0]}), and sessions would"
                    f" cross the network unencrypted. Use dask+tls://{place}, or dask+tcp://{place} where that network"
                    " is yours alone."
                )
        return len(workers)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as it is declared
        try:
            if self._client.status == "running":
                self._executor.shutdown(wait=wait)
        finally:
            self._client.close()

    def _give_up(self, why: str) -> AfterwitError:
        return AfterwitError(
            f"The cluster at {self._address} does no more work: {why}. What was learned before is kept. Run the command"
            " again when it is back, or without --executor."
        )
