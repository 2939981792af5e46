//! The path between the devices, whose time begins with its first use: superframes and frames then stand to a run as
//! they do in virtual time, however long its programs took to start.

use bentpipe_link::{Direction, DropCause, Event, Packet, Path};
use bentpipe_run::{Direction as Heading, LinkReport, RunSpec};
use bentpipe_units::Time;

/// A path that starts when the first packet comes, or at the mark.
pub(crate) struct UnusedPath<P: Packet> {
    path: Path<P>,
    /// What it is made of, while nothing has used it.
    unused: Option<Box<RunSpec>>,
}

impl<P: Packet> UnusedPath<P> {
    pub(crate) fn new(spec: &RunSpec, now: Time) -> Self {
        Self { path: path(spec, now), unused: Some(Box::new(spec.clone())) }
    }

    /// See [`Path::enqueue`].
    pub(crate) fn enqueue(
        &mut self,
        now: Time,
        direction: Direction,
        packet: P,
    ) -> Result<(), (DropCause, P)> {
        self.start(now);
        self.path.enqueue(now, direction, packet)
    }

    /// See [`Path::mark`].
    pub(crate) fn mark(&mut self, now: Time) {
        self.start(now);
        self.path.mark(now);
    }

    /// See [`Path::poll`].
    pub(crate) fn poll(&mut self, now: Time) -> Option<Event<P>> {
        self.path.poll(now)
    }

    /// See [`Path::next_event`].
    pub(crate) fn next_event(&self) -> Option<Time> {
        self.path.next_event()
    }

    /// See [`Path::report`].
    pub(crate) fn report(&mut self, now: Time) -> LinkReport {
        self.path.report(now)
    }

    fn start(&mut self, now: Time) {
        if let Some(spec) = self.unused.take() {
            self.path = path(&spec, now);
        }
    }
}

fn path<P: Packet>(spec: &RunSpec, start: Time) -> Path<P> {
    Path::new(&spec.link, spec.seed, start).noting(spec.link_direction(Heading::Down))
}
