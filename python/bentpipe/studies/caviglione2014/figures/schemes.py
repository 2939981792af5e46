"""Fig. 7: load time by scheme of bandwidth on demand, pages coming over the return link."""

from collections.abc import Iterator

from bentpipe.figures import by_scheme
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import Stroke
from bentpipe.stats import summarise
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import BY_SCHEME, BY_VOLUME, CONSTANT, SCHEMES, SPDY, Variant
from bentpipe.studies.caviglione2014.loads import PLT, values
from bentpipe.studies.study import Runs

_SEED = 14


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw what was measured of it."""
    marks = [marks for variant in BY_SCHEME if (marks := _marks(runs, variant)).summaries]
    if marks:
        drawing = by_scheme.draw(
            name="fig-7-schemes",
            title="Fig. 7: load time by scheme of bandwidth on demand",
            axis_label="Page load time in s",
            schemes=list(SCHEMES.values()),
            marks=marks,
        )
        yield Drawing(
            name=drawing.name,
            title=drawing.title,
            caption=f"{drawing.caption} Published are 300, 150 and 21 s with VBDC; "
            f"{published.SPDY_CRA_PLT_S:g} s of SPDY with CRA are 21 s less the 10 s of the text. The other "
            "points of the study's figure have no numbers in print.",
            figure=drawing.figure,
        )


def _marks(runs: Runs, variant: Variant) -> by_scheme.Marks:
    found = {
        label: summarise(values(runs, PLT, variant.back(scheme)), seed=_SEED)
        for scheme, label in SCHEMES.items()
    }
    theirs = {}
    if variant.http in published.VBDC_PLT:
        theirs[SCHEMES[BY_VOLUME]] = published.VBDC_PLT[variant.http].value
    if variant is SPDY:
        theirs[SCHEMES[CONSTANT]] = published.SPDY_CRA_PLT_S
    return by_scheme.Marks(
        label=variant.label,
        protocol=variant.http,
        stroke=Stroke.SOLID,
        summaries={label: summary for label, summary in found.items() if summary is not None},
        published=theirs,
    )
