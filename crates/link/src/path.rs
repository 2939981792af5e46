//! The link as its driver has it: packets go in with an instant, events come out with theirs.

use std::collections::BTreeMap;

use bentpipe_units::{Bytes, Time, earlier};

use crate::config::capacities;
use crate::directional_path::DirectionalPath;
use crate::egress::{self, DelayProbe};
use crate::random::Seed;
use crate::schedule::path_table;
use crate::{Direction, DropCause, Event, LinkReport, LinkSpec, Packet, PacketSighting, Table, queue};

/// How many deliveries of one direction the report lists.
const FIRST_PACKETS: usize = 4096;

/// A path between server and client: two directions with settings of their own.
///
/// See the [crate's documentation](crate) for the order of calls.
pub struct Path<P: Packet> {
    /// Latest instant seen.
    now: Time,
    marked: Time,
    forward: DirectionalPath<P>,
    return_: DirectionalPath<P>,
    /// The direction of which the first packets are noted.
    noted: Direction,
    first_packets: Vec<PacketSighting>,
}

impl<P: Packet> Path<P> {
    /// An empty path at `start`; counting starts there too, as if marked.
    ///
    /// # Panics
    /// When the spec does not pass [`check`](crate::check).
    pub fn new(spec: &LinkSpec, seed: u64, start: Time) -> Self {
        let [forward, return_] = capacities(spec).unwrap_or_else(|error| panic!("{error}"));
        let is_flat = [&spec.forward, &spec.return_].iter().all(|spec| spec.capacity.is_constant());
        let path = |direction, of, capacity| {
            let delays = if is_flat { None } else { Some(DelayProbe::new(start)) };
            let seed = Seed { run: seed, direction };
            DirectionalPath::new(seed, (of, capacity), spec.mtu_bytes, start, delays)
        };
        Self {
            now: start,
            marked: start,
            forward: path(Direction::Forward, &spec.forward, &forward),
            return_: path(Direction::Return, &spec.return_, &return_),
            noted: Direction::Forward,
            first_packets: Vec::with_capacity(FIRST_PACKETS),
        }
    }

    /// The same path; the first packets that its report lists are those of this direction, and not of the forward one.
    pub fn noting(self, direction: Direction) -> Self {
        Self { noted: direction, ..self }
    }

    /// Offers a packet to one direction.
    ///
    /// # Errors
    /// When it is dropped on arrival ([`DropCause::Queue`], [`DropCause::Oversize`]); the packet comes back,
    /// so that its buffer can be used again.
    pub fn enqueue(&mut self, now: Time, direction: Direction, packet: P) -> Result<(), (DropCause, P)> {
        self.now = self.now.max(now);
        let now = self.now;
        self.direction_mut(direction).enqueue(now, packet)
    }

    /// When to call [`Path::poll`] next if no packet comes before; none when the path is empty.
    ///
    /// At a constant rate where no accepted packet can be lost this is exactly the instant of the next event. On a
    /// channel that loses packets, and with CoDel, it is also each instant at which a waiting packet would start its
    /// transmission, because its fate is decided there and a loss could be the next event; on a DVB-S2 carrier each
    /// start of a frame, and each report that may change it. `poll` may then return `None`, and the next instant is
    /// strictly later.
    pub fn next_event(&self) -> Option<Time> {
        let next = earlier(self.forward.next_event(), self.return_.next_event());
        // What a rate of zero holds is due at the end of time, that is never.
        next.filter(|at| *at < Time::MAX)
    }

    /// The earliest event that was due by `now`; call it until it returns `None`.
    pub fn poll(&mut self, now: Time) -> Option<Event<P>> {
        self.now = self.now.max(now);
        self.forward.advance_packets(self.now);
        self.return_.advance_packets(self.now);
        let due = |direction| Some((self.direction(direction).next_due()?, direction));
        let (due, direction) = earlier(due(Direction::Forward), due(Direction::Return))?;
        if due > self.now {
            return None;
        }
        let event = self.direction_mut(direction).pop()?;
        if direction == self.noted
            && let Event::Delivered { packet, .. } = &event
        {
            self.note_first(due, packet);
        }
        Some(event)
    }

    /// Packets inside one direction: waiting, in transmission, or on their way; with those due but not yet polled.
    pub fn held_packets(&self, direction: Direction) -> usize {
        self.direction(direction).held_packets()
    }

    /// Counting starts afresh here; packets inside stay and count when they leave.
    pub fn mark(&mut self, now: Time) {
        self.advance(now);
        self.marked = self.now;
        self.first_packets.clear();
        self.forward.mark(self.now);
        self.return_.mark(self.now);
    }

    /// What happened since the mark. A delivery counts once it has been polled, at the instant it was due: poll
    /// until `None` first.
    ///
    /// `sent_bytes` of the series are those offered to the link, so they add up to `offered_bytes`; bin ends are
    /// inclusive, and the last bin ends at `now`. `lateness` is the driver's to fill in.
    pub fn report(&mut self, now: Time) -> LinkReport {
        self.advance(now);
        LinkReport {
            marked: self.marked,
            forward: self.forward.report(self.now),
            return_: self.return_.report(self.now),
            series: self.series(),
            probes: self.probes(),
            lateness: None,
            first_packets: self.first_packets.clone(),
        }
    }

    fn series(&mut self) -> Table {
        let mut table = Table::default();
        let forward = self.forward.counters().series(self.now);
        let return_ = self.return_.counters().series(self.now);
        for ((end, forward), (_, return_)) in forward.zip(return_) {
            table.push([
                ("time_s", (end.since(Time::ZERO)).as_secs_f64()),
                ("forward_sent_bytes", forward.sent.get() as f64),
                ("forward_delivered_bytes", forward.delivered.get() as f64),
                ("forward_queue_bytes", forward.queue.get() as f64),
                ("forward_drops", forward.drops as f64),
                ("return_sent_bytes", return_.sent.get() as f64),
                ("return_delivered_bytes", return_.delivered.get() as f64),
                ("return_queue_bytes", return_.queue.get() as f64),
                ("return_drops", return_.drops as f64),
            ]);
        }
        table
    }

    fn probes(&mut self) -> BTreeMap<String, Table> {
        let (now, forward, return_) = (self.now, &mut self.forward, &mut self.return_);
        let (acm, dama) = (forward.egress().acm(now), return_.egress().dama(now));
        let by_class = [
            (Direction::Forward, forward.egress().classes()),
            (Direction::Return, return_.egress().classes()),
        ];
        let classes = queue::classes(by_class, now);
        let delays = match (forward.delays(), return_.delays()) {
            (Some(forward), Some(return_)) => Some(egress::delays(forward, return_, now)),
            _ => None,
        };
        let path = path_table([forward.schedule(), return_.schedule()], self.marked, now);
        let tables = [("acm", acm), ("dama", dama), ("classes", classes), ("delays", delays), ("path", path)];
        tables.into_iter().filter_map(|(name, table)| Some((name.to_owned(), table?))).collect()
    }

    fn note_first(&mut self, due: Time, packet: &P) {
        if self.first_packets.len() < FIRST_PACKETS && due >= self.marked {
            let bytes = Bytes::new(u64::from(packet.len_bytes()));
            self.first_packets.push(PacketSighting { at: due, bytes });
        }
    }

    fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.forward.advance(self.now);
        self.return_.advance(self.now);
    }

    fn direction(&self, direction: Direction) -> &DirectionalPath<P> {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Return => &self.return_,
        }
    }

    fn direction_mut(&mut self, direction: Direction) -> &mut DirectionalPath<P> {
        match direction {
            Direction::Forward => &mut self.forward,
            Direction::Return => &mut self.return_,
        }
    }
}
