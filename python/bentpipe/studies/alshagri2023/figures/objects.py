"""The study's figure 6: the objects of each page structure, as we load them and as its table 3 has them."""

from bentpipe.figures import object_sizes
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.object_sizes import PageObjects
from bentpipe.stats import select
from bentpipe.studies.alshagri2023.cells import SATELLITE, SIZES_BYTES, STRUCTURES, page
from bentpipe.studies.alshagri2023.paint import embedded
from bentpipe.studies.alshagri2023.published import OBJECTS_KB
from bentpipe.studies.study import Runs


def drawing(runs: Runs) -> Drawing | None:
    """The structures at the largest size of which all were loaded over the satellite; None without any."""
    for size in reversed(SIZES_BYTES):
        loads = {
            structure: select(runs, link=SATELLITE, page=page(structure, size)) for structure in STRUCTURES
        }
        if all(loads.values()):
            return object_sizes.draw(
                name="page-objects",
                title="The objects of the three page structures, and the study's table 3",
                pages=[
                    PageObjects(
                        title=f"{structure}, {SIZES_BYTES[size] / 1000:g} kB",
                        ours_kb=[each.bytes / 1000 for each in embedded(found[0].record)],
                        published_kb=OBJECTS_KB[structure][size],
                    )
                    for structure, found in loads.items()
                ],
            )
    return None
