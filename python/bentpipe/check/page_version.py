"""What two runs have to share to be compared, and which version of a page each measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.model.record import RunRecord
from bentpipe.scenario import digest
from bentpipe.scenario.written.location import Location, quoted


def conditions(spec: Mapping[str, object]) -> str:
    """Return the digest of a specification without its page and its seed: what two versions of a site share.

    So without its validity too, for the time that a page has follows from its size.
    """
    own = {key: value for key, value in spec.items() if key not in ("seed", "validity", "workload")}
    workload = spec["workload"]
    assert isinstance(workload, Mapping)
    own["workload"] = {key: value for key, value in workload.items() if key != "page"}
    return digest(own)


@dataclass(frozen=True, kw_only=True, slots=True)
class PageVersion:
    """Under which conditions a page was measured, its name, and which version of it that was.

    Attributes
    ----------
    conditions, page : str
        By which runs are found; the page is empty of another workload.
    version : str
        Digest of the page; empty of another workload.
    """

    conditions: str
    page: str
    version: str

    @classmethod
    def of(cls, spec: Mapping[str, object]) -> "PageVersion":
        """Return that of a specification."""
        workload = spec["workload"]
        assert isinstance(workload, Mapping)
        page = workload.get("page")
        if not isinstance(page, Mapping):
            return cls(conditions=conditions(spec), page="", version="")
        return cls(conditions=conditions(spec), page=str(page["name"]), version=digest(page))

    @classmethod
    def of_record(cls, record: RunRecord) -> "PageVersion":
        """Return that of a run."""
        return cls.of(record.spec.model_dump(mode="json", exclude_unset=True))


class OneVersion:
    """Which version of each page there is under some conditions: one, for runs are found by its name."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def require(self, found: PageVersion, where: Location) -> None:
        """Raise an InputError where a page of this name is known in another version."""
        known = self._known.setdefault((found.conditions, found.page), found.version)
        if known != found.version:
            expected = f"runs of one version of {quoted(found.page)}: keep those of each by themselves"
            raise where.error(expected=expected, found="those of two")
