"""A page of no interest, which a browser loads before the measured one from its own loopback interface.

Code is paged in and tables are built before the load, as with our own client, and nothing of it crosses the
link. Firefox needs a request before the measured one in any case (firefox.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.engine.testbed import netns
from bentpipe.model.page import Http, ObjectSpec, PageSpec
from bentpipe.model.spec import CaptureSpec
from bentpipe.model.workload import page_load

HOST = "warm-up.bentpipe.test"
"""Another than any page's: a browser knows nothing of the page's hosts. Its certificate is the run's last."""

ADDRESS = "127.0.0.1"

_PAGE = PageSpec(
    name="warm-up",
    host=HOST,
    objects=[ObjectSpec(path=f"/warm-up-{number}.jpg", bytes=4_000) for number in (1, 2)],
)


@contextmanager
def served(namespace: str, configuration: Configuration) -> Iterator[str]:
    """Serve it in a browser's namespace by the protocol of a run, and give its URL.

    Raises
    ------
    PartError
        When the origin does not come up.
    """
    load = page_load(configuration.spec).model_copy(update={"page": _PAGE})
    alone = {"client": None, "server": None, "pep": None, "capture": CaptureSpec(pcapng=False, qlog=False)}
    identity = configuration.identity
    own = {"certificates_der": identity.certificates_der[-1:]}
    changes = {
        "spec": configuration.spec.model_copy(update={**alone, "workload": load}),
        "identity": identity.model_copy(update=own),
        "origin": ADDRESS,
        "artifacts": None,
    }
    with netns.inside(namespace):
        origin = Part("origin", configuration.model_copy(update=changes))
    with origin:
        origin.answer(timeout_s=START_TIMEOUT_S)
        yield f"{'http' if load.http is Http.H1 else 'https'}://{HOST}/"
