"""The workers of a cluster: which of them fit a campaign, and why the others get nothing."""

import time

from bentpipe.campaign.cluster.connection import Connection, Member
from bentpipe.campaign.cluster.enrolment import EMULATE, MODULE
from bentpipe.campaign.cluster.release import Release
from bentpipe.campaign.progress import Progress
from bentpipe.errors import AbilityError, ClusterError

LOOK_EVERY_S = 2.0
"""How often workers that have come and gone are noticed."""

SETTLE_S = 5.0
"""For which workers that fit may still come when others are there already."""

POLL_S = 0.2


class Roll:
    """Who is there. `needs` is what a batch asks of a worker, by the name of its resource."""

    def __init__(
        self, connection: Connection, *, release: Release, is_emulated: bool, progress: Progress
    ) -> None:
        self._connection = connection
        self._release = release
        self._is_emulated = is_emulated
        self._progress = progress
        self._told: set[str] = set()
        self._looked_s = float("-inf")
        self._has_fitting = True
        self.needs = {str(release): 1.0} | ({EMULATE: 1.0} if is_emulated else {})
        self.at_once = 0

    def look(self) -> None:
        """Count who fits now, if that was not done a moment ago, and tell who does not, each once."""
        now_s = time.monotonic()
        if now_s - self._looked_s < LOOK_EVERY_S:
            return
        self._looked_s = now_s
        members = self._connection.members()
        for member in members:
            why = self._refusal(member)
            if why is not None and member.address not in self._told:
                self._told.add(member.address)
                self._progress.remark(f"refused: worker {member.address} {why}")
        self.at_once = self._places([one for one in members if self._refusal(one) is None])
        if not self.at_once and self._has_fitting:
            self._progress.remark("no worker is left; waiting for one (Ctrl-C to stop)")
        self._has_fitting = self.at_once > 0

    def await_first(self, *, longest_s: float | None) -> None:
        """Wait for a worker that fits, for any time where there is no limit.

        Raises
        ------
        AbilityError
            When there is none, which says what each of the others lacks.
        """
        began_s = time.monotonic()
        while True:
            members = self._connection.members()
            if any(self._refusal(member) is None for member in members):
                return
            waited_s = time.monotonic() - began_s
            if longest_s is not None and waited_s > (min(SETTLE_S, longest_s) if members else longest_s):
                raise self._nobody(members)
            time.sleep(POLL_S)

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
                [member.address, str(self._refusal(member)), *filter(None, ["; ".join(lacks.get(member.address, []))])]
            )
            for member in members
        ]
        what = "no worker can emulate" if self._is_emulated else "no worker fits"
        remedy = (
            "start one as root with `bentpipe worker ADDRESS --emulate`"
            if self._is_emulated
            else "start workers by `bentpipe worker ADDRESS` with the Bentpipe that is installed here"
        )
        return AbilityError(f"{self._connection.place}: {what}: {', '.join(each)}", remedy)
