"""The page that a browser should load, by the run's specification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe import _core
from bentpipe.engine.programs.browser import icons
from bentpipe.engine.testbed import hosts
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import page_load

VIEWPORT = (1366, 768)
"""Width and height of what is shown of it, in CSS pixels."""

_ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
"""As browsers and crates/run/src/page_load.rs name what scenarios call so."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page.

    Attributes
    ----------
    document : str
        URL of its document.
    bytes_of : mapping of str to int
        Length of the body of all resources by URL, the document first.
    protocol : str
        What each is to be brought by.
    left_out : sequence of str
        URLs of icons that a browser may ask for and that are not of the page.
    """

    document: str
    bytes_of: Mapping[str, int]
    protocol: str
    left_out: Sequence[str]

    @classmethod
    def of(cls, spec: RunSpec) -> "Page":
        """Return the page of a run."""
        load = page_load(spec)
        page = load.page
        own = next(iter(hosts.addresses(spec)))
        scheme = "http" if load.http == "h1" else "https"
        document = f"{scheme}://{own}/"
        # The document first, as `site_files` has it.
        (_, _, _, html), *_ = _core.site_files(page.to_json())
        objects = {f"{scheme}://{one.host or own}{one.path}": one.bytes for one in page.objects}
        possible = icons.of(document, html.decode(errors="replace"))
        return cls(
            document=document,
            bytes_of={document: len(html), **objects},
            protocol=_ALPN[load.http],
            left_out=[url for url in possible if url not in objects],
        )
