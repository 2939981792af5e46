//! The path between the devices, whose time begins with its first use: superframes and frames then stand to a run as
//! they do in virtual time, however long its programs took to start.

use bentpipe_link::{Direction, DropCause, Event, Packet, Path};
use bentpipe_run::{Direction as Heading, LinkReport, RunSpec};
use bentpipe_units::{Duration, Time};

/// From the mark of an unused path to its start: for the orchestrator to tell the client when that is.
pub(crate) const LEAD: Duration = Duration::from_millis(10);

/// A path that starts when the first packet comes, or soon after the mark.
pub(crate) struct UnusedPath<P: Packet> {
    path: Path<P>,
    /// What it is made of, while nothing has used it.
    unused: Option<Box<RunSpec>>,
    /// Its time zero: it knows no time before.
    start: Time,
}

impl<P: Packet> UnusedPath<P> {
    pub(crate) fn new(spec: &RunSpec, now: Time) -> Self {
        Self { path: path(spec, now), unused: Some(Box::new(spec.clone())), start: now }
    }

    /// See [`Path::enqueue`].
    pub(crate) fn enqueue(
        &mut self,
        now: Time,
        direction: Direction,
        packet: P,
    ) -> Result<(), (DropCause, P)> {
        self.start_at(now);
        self.path.enqueue(now.max(self.start), direction, packet)
    }

    /// See [`Path::mark`]; returns when the measurement begins: now, or when the path starts.
    pub(crate) fn mark(&mut self, now: Time) -> Time {
        self.start_at(now.saturating_add(LEAD));
        let begin = now.max(self.start);
        self.path.mark(begin);
        begin
    }

    /// See [`Path::poll`].
    pub(crate) fn poll(&mut self, now: Time) -> Option<Event<P>> {
        self.path.poll(now.max(self.start))
    }

    /// See [`Path::next_event`].
    pub(crate) fn next_event(&self) -> Option<Time> {
        self.path.next_event()
    }

    /// See [`Path::report`].
    pub(crate) fn report(&mut self, now: Time) -> LinkReport {
        self.path.report(now.max(self.start))
    }

    /// Only the first use counts.
    fn start_at(&mut self, start: Time) {
        if let Some(spec) = self.unused.take() {
            self.path = path(&spec, start);
            self.start = start;
        }
    }
}

fn path<P: Packet>(spec: &RunSpec, start: Time) -> Path<P> {
    Path::new(&spec.link, spec.seed, start).noting(spec.link_direction(Heading::Down))
}
