"""A page of no interest, which a browser loads before the measured one from its own loopback interface.

Code is paged in and tables are built before the load, as with our own client, and nothing of it crosses the
link. Firefox needs a request before the measured one in any case (firefox.py).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.engine.testbed import netns

HOST = "warm-up.bentpipe.test"
"""Another than any page's: a browser knows nothing of the page's hosts. Its certificate is the run's last."""

ADDRESS = "127.0.0.1"

_PAGE = {
    "name": "warm-up",
    "host": HOST,
    "objects": [{"path": f"/warm-up-{number}.jpg", "bytes": 4_000} for number in (1, 2)],
}


@contextmanager
def served(namespace: str, configuration: Mapping[str, Any]) -> Iterator[str]:
    """Serve it in a browser's namespace by the protocol of a run, and give its URL.

    Raises
    ------
    PartError
        When the origin does not come up.
    """
    spec = configuration["spec"]
    load = {**spec["workload"], "page": _PAGE}
    own = {name: value for name, value in spec.items() if name not in ("client", "server", "pep")}
    quiet = {**own, "workload": load, "capture": {"pcapng": False, "qlog": False}}
    identity = configuration["identity"]
    identity = {**identity, "certificates_der": identity["certificates_der"][-1:]}
    with netns.inside(namespace):
        origin = Part(
            "origin",
            {**configuration, "spec": quiet, "identity": identity, "origin": ADDRESS, "artifacts": None},
        )
    with origin:
        origin.answer(timeout_s=START_TIMEOUT_S)
        yield f"{'http' if load['http'] == 'h1' else 'https'}://{HOST}/"
