"""The workers of a cluster: which of them fit a campaign, and why the others get nothing."""

import time
from collections.abc import Mapping

from bentpipe.campaign.cluster.connection import Connection, Member
from bentpipe.campaign.cluster.enrolment import EMULATE, MODULE
from bentpipe.campaign.cluster.release import Release
from bentpipe.campaign.cluster.submitted import SubmittedJobs
from bentpipe.campaign.progress import Progress
from bentpipe.errors import AbilityError, ClusterError

LOOK_EVERY_S = 2.0
"""How often workers that have come and gone are noticed."""

SETTLE_S = 15.0
"""For which workers that fit may still come when others are there already."""

POLL_S = 0.2


class Roll:
    """Who is there.

    Attributes
    ----------
    needs : mapping of str to float
        What a batch asks of a worker, by the name of its resource.
    at_once : int
        The batches that those who fit measure at once.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        release: Release,
        is_emulated: bool,
        longest_wait_s: float | None,
        jobs: SubmittedJobs | None,
        progress: Progress,
    ) -> None:
        self._connection = connection
        self._release = release
        self._is_emulated = is_emulated
        self._longest_wait_s = longest_wait_s
        self._jobs = jobs
        self._progress = progress
        self._told: set[str] = set()
        self._began_s = time.monotonic()
        self._joined_s: float | None = None
        self._looked_s = float("-inf")
        self._has_had_one = False
        self.needs: Mapping[str, float] = {str(release): 1.0, **({EMULATE: 1.0} if is_emulated else {})}
        self.at_once = 0

    def look(self) -> None:
        """Count who fits now, if that was not done a moment ago; tell who does not, each once.

        Raises
        ------
        AbilityError
            When nobody has fitted from the beginning, which says what each of them lacks.
        ClusterError
            When there has been nobody from the beginning, or nobody will come, or the scheduler is gone.
        """
        now_s = time.monotonic()
        if now_s - self._looked_s < (LOOK_EVERY_S if self.at_once else POLL_S):
            return
        self._looked_s = now_s
        members = self._connection.members()
        fitting = [member for member in members if self._refusal(member) is None]
        had_any, self.at_once = self.at_once > 0, self._places(fitting)
        self._tell_refused(members)
        if self.at_once:
            self._has_had_one = True
            return
        if had_any:
            self._progress.remark("no worker is left; waiting for one (Ctrl-C to stop)")
        if not self._has_had_one:
            self._require_patience(members, now_s)
        if self._jobs is not None:
            self._jobs.look(self._progress)

    def _tell_refused(self, members: list[Member]) -> None:
        for member in members:
            why = self._refusal(member)
            if why is not None and member.address not in self._told:
                self._told.add(member.address)
                self._progress.remark(f"refused: worker {member.address} {why}")

    def _require_patience(self, members: list[Member], now_s: float) -> None:
        """Wait on for the first worker, for any time where there is no limit, or say why there is none."""
        since_s, longest_s = (self._began_s, self._longest_wait_s)
        if members:
            self._joined_s = now_s if self._joined_s is None else self._joined_s
            since_s, longest_s = self._joined_s, SETTLE_S
        if longest_s is not None and now_s - since_s > longest_s:
            raise self._nobody(members)

    def _places(self, members: list[Member]) -> int:
        return len(members) if self._is_emulated else sum(member.threads for member in members)

    def _refusal(self, member: Member) -> str | None:
        """Say why a worker gets no runs; None when it does."""
        if member.release is None:
            return f"was not started by `bentpipe worker` (nor with --preload {MODULE})"
        if member.release != self._release:
            return f"has {member.release.differences(self._release)}"
        if self._is_emulated and not member.offers.get(EMULATE, 0):
            offers = EMULATE in member.offers
            return "cannot emulate" if offers else f"does not offer {EMULATE}"
        return None

    def _nobody(self, members: list[Member]) -> AbilityError | ClusterError:
        if not members:
            return ClusterError(
                self._connection.place,
                "the scheduler has no workers; start some with `bentpipe worker ADDRESS`",
            )
        tagged = [member for member in members if EMULATE in member.offers]
        lacks = self._connection.emulate_lacks(tagged) if self._is_emulated and tagged else {}
        each = [
            " ".join(
                [
                    member.address,
                    str(self._refusal(member)),
                    *filter(None, ["; ".join(lacks.get(member.address, []))]),
                ]
            )
            for member in members
        ]
        what = "no worker can emulate" if self._is_emulated else "no worker fits"
        return AbilityError(f"{self._connection.place}: {what}: {', '.join(each)}", self._remedy())

    def _remedy(self) -> str:
        if self._is_emulated:
            return "start one as root with `bentpipe worker ADDRESS --emulate`"
        if self._jobs is not None:
            return (
                "give `python` in the file of jobs, an interpreter with the Bentpipe that is installed here"
            )
        return "start workers by `bentpipe worker ADDRESS` with the Bentpipe that is installed here"
