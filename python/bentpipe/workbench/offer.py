"""What can be chosen, with words for people."""

from bentpipe import __version__, _core
from bentpipe.figures import style
from bentpipe.model.description import LinkDescription
from bentpipe.scenario.link.description import describe_link
from bentpipe.scenario.links import Link
from bentpipe.scenario.page.pages import PAGES
from bentpipe.scenario.written.vocabulary import HTTP
from bentpipe.workbench.choice import BOUNDS, CC, FIRST, MOST_CELLS, links
from bentpipe.workbench.messages import LinkOffer, Named, Offer


def offer(*, watches: bool) -> Offer:
    """Return everything that can be chosen; `watches` says whether there is a campaign to be seen besides."""
    return Offer(
        version=__version__,
        links=tuple(map(_link, links().values())),
        pages=tuple(_page(name) for name in PAGES),
        http=tuple(Named(name=name, words=style.look(name).label) for name in HTTP.available),
        cc=tuple(Named(name=name, words=style.control_label(name)) for name in CC.available),
        most_cells=MOST_CELLS,
        bounds=BOUNDS,
        first=FIRST,
        watches=watches,
    )


def path_words(link: LinkDescription) -> str:
    """Return a link's rates and round trip in one line."""
    down, up = (f"{each.nominal_bps / 1e6:.3g} Mbit/s" for each in (link.forward, link.return_))
    return f"{down} down, {up} up, round trip {round_trip(link)}"


def round_trip(link: LinkDescription) -> str:
    """Return the round trip of propagation alone."""
    shortest_ns = link.forward.shortest_delay_ns + link.return_.shortest_delay_ns
    longest_ns = link.forward.longest_delay_ns + link.return_.longest_delay_ns
    ends = dict.fromkeys(f"{delay_ns / 1e6:.3g} ms" for delay_ns in (shortest_ns, longest_ns))
    return " to ".join(ends)


def _link(link: Link) -> LinkOffer:
    description = describe_link(link.spec)
    directions = (link.spec.forward, link.spec.return_)
    ends = [
        (each.shortest_delay_ns, each.longest_delay_ns) for each in (description.forward, description.return_)
    ]
    return LinkOffer(
        name=link.name,
        words=link.title or path_words(description),
        rtt=round_trip(description),
        moves=any(direction.delay_ns not in end for direction, end in zip(directions, ends, strict=True)),
    )


def _page(name: str) -> Named:
    objects = PAGES[name]["objects"]
    total = _core.format_size(sum(each["bytes"] for each in objects))
    return Named(name=name, words=f"{len(objects)} object{'s' * (len(objects) != 1)}, {total}")
