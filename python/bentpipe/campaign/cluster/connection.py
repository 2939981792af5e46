"""A connection to a Dask scheduler: all that the client of a campaign knows of Dask while it runs.

Counts and states pass the scheduler. A batch's result goes from its worker straight to this process, where
the network allows that.
"""

import queue
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from distributed import Client, Future, KilledWorker
from distributed.comm.addressing import parse_host_port

from bentpipe.campaign.cluster import release
from bentpipe.campaign.cluster.batch import Batch, BatchResult
from bentpipe.campaign.cluster.enrolment import emulate_lacks
from bentpipe.campaign.cluster.release import Release
from bentpipe.campaign.cluster.work import measure_batch
from bentpipe.errors import ClusterError

REACH_TIMEOUT_S = 3.0
"""For a worker to be reached from here; else the scheduler passes its results on."""

ASK_TIMEOUT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Member:
    """A worker as the scheduler knows it.

    Attributes
    ----------
    address, host : str
        Where it is.
    threads : int
        Batches that it measures at once.
    release : Release or None
        What it runs; None where it does not say.
    offers : mapping of str to float
        Its resources by name.
    """

    address: str
    host: str
    threads: int
    release: Release | None
    offers: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Killed:
    """So many workers were lost while they had this batch, the last of them this one."""

    workers: int
    last: str


Outcome: TypeAlias = BatchResult | Killed | BaseException


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A batch, by its key, and what became of it."""

    key: str
    outcome: Outcome


class Connection:
    """A client of a scheduler. Belongs to the thread that made it."""

    def __init__(self, client: Client, *, place: str) -> None:
        self._client = client
        self._place = place
        self._is_direct: bool | None = None
        self._futures: dict[str, Future] = {}
        self._arrived: queue.SimpleQueue[Future | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Ended] = queue.SimpleQueue()
        # A thread of our own: one of Dask's would be waited for when this process ends.
        threading.Thread(target=self._fetch, name="batches", daemon=True).start()

    @property
    def place(self) -> str:
        """The scheduler as its user knows it."""
        return self._place

    @property
    def dashboard(self) -> str | None:
        """The address of the scheduler's dashboard, if it has one."""
        return str(self._client.dashboard_link) if self._client.run_on_scheduler(_serves_dashboard) else None

    def members(self) -> list[Member]:
        """Return the workers that are there now; raises ClusterError when the scheduler is gone."""
        self._require()
        try:
            workers = self._workers()
        except (OSError, TimeoutError) as error:
            raise self._lost() from error
        return [_member(address, said) for address, said in workers.items()]

    def scheduler_release(self) -> Release:
        """Return what the scheduler runs; it unpickles batches too.

        Raises
        ------
        ClusterError
            When it has no Bentpipe, or one without clusters.
        """
        try:
            found = self._client.run_on_scheduler(release.own)
        except Exception as error:
            raise ClusterError(
                self._place,
                f"the scheduler cannot load Bentpipe ({type(error).__name__}: {error}); "
                "start `dask scheduler` where the same Bentpipe is installed",
            ) from error
        assert isinstance(found, Release)
        return found

    def emulate_lacks(self, members: list[Member]) -> dict[str, list[str]]:
        """Ask some workers, by address, what they lack for emulation."""
        found = self._client.run(
            emulate_lacks, workers=[member.address for member in members], on_error="return"
        )
        return {
            address: [str(lacks)] if isinstance(lacks, BaseException) else lacks
            for address, lacks in found.items()
        }

    def submit(self, key: str, batch: Batch, *, needs: Mapping[str, float]) -> None:
        """Give a batch to the next free worker that offers what it needs."""
        future = self._client.submit(measure_batch, batch, key=key, resources=dict(needs), pure=False)
        self._futures[key] = future
        future.add_done_callback(self._arrived.put)

    def ended(self, *, timeout_s: float) -> Ended | None:
        """Return a batch that has ended, or None after `timeout_s`.

        Raises
        ------
        ClusterError
            When the scheduler is gone.
        """
        try:
            ended = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            self._require()
            return None
        self._futures.pop(ended.key, None)
        return ended

    def close(self) -> None:
        """Give up all batches that have not ended, and leave."""
        self._arrived.put(None)
        if self._client.status == "running":
            self._client.cancel(list(self._futures.values()), force=True)
        self._futures.clear()
        self._client.close(timeout=2)

    def _fetch(self) -> None:
        while (future := self._arrived.get()) is not None:
            self._ended.put(Ended(key=future.key, outcome=self._outcome(future)))

    def _outcome(self, future: Future) -> Outcome:
        try:
            result = self._client.gather(future, direct=self._reaches_workers())
        except KilledWorker as killed:
            return Killed(workers=killed.allowed_failures + 1, last=killed.last_worker.address)
        except BaseException as error:
            if future.cancelled() or self._client.status != "running":
                return self._lost()
            return error
        assert isinstance(result, BatchResult)
        return result

    def _reaches_workers(self) -> bool:
        """Whether results come straight from the workers, judged by the first."""
        if self._is_direct is None:
            addresses = list(self._workers())[:1]
            self._is_direct = any(map(_is_reached, addresses)) if addresses else None
        return bool(self._is_direct)

    def _workers(self) -> Mapping[str, Any]:
        # Not `scheduler_info`: a thread of Dask's fills in its answer anew, without workers, at any time.
        said: Mapping[str, Mapping[str, Any]] = self._client.sync(
            self._client.scheduler.identity, n_workers=-1
        )
        return said["workers"]

    def _require(self) -> None:
        if self._client.status != "running":
            raise self._lost()

    def _lost(self) -> ClusterError:
        return ClusterError(self._place, "the scheduler is gone")


def _serves_dashboard() -> bool:
    """Whether the scheduler that runs this serves one; it names an address in any case."""
    return "distributed.dashboard.scheduler" in sys.modules


def _is_reached(address: str) -> bool:
    host, port = parse_host_port(address.partition("://")[2])
    try:
        socket.create_connection((host, port), timeout=REACH_TIMEOUT_S).close()
    except OSError:
        return False
    return True


def _member(address: str, said: Mapping[str, Any]) -> Member:
    offers: Mapping[str, float] = said["resources"]
    return Member(
        address=address,
        host=str(said["host"]),
        threads=int(said["nthreads"]),
        release=next(filter(None, map(Release.read, offers)), None),
        offers=offers,
    )
