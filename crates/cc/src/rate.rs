//! Delivery-rate estimation (draft-cheng-iccrg-delivery-rate-estimation), for any endpoint.
//!
//! Store the [`PacketState`] that [`RateEstimator::on_sent`] returns with the packet; give it back to
//! [`RateEstimator::on_delivered`] for every packet that an acknowledgement newly covers; then ask for the
//! acknowledgement's [`RateEstimator::sample`].

use bentpipe_units::{Bytes, Duration, Rate, Time};

/// Whether the application kept the sender busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// More data waited than could be sent.
    Backlogged,
    /// The sender ran out of data while the window was open.
    AppLimited,
}

/// The connection's delivery state when a packet left (section 3.1.2: `P.*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketState {
    sent_at: Time,
    delivered: Bytes,
    delivered_at: Time,
    first_sent_at: Time,
    demand: Demand,
}

impl PacketState {
    /// Delivered by the connection when the packet left.
    pub const fn delivered(&self) -> Bytes {
        self.delivered
    }
}

/// The rate at which the network delivered one flight (section 3.1.3: `rs.*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Delivered over the interval.
    pub delivered: Bytes,
    /// The longer of the send and acknowledgement intervals; never zero.
    pub interval: Duration,
    /// Delivered by the connection when the sampled packet left: tells round trips apart.
    pub prior_delivered: Bytes,
    /// Whether the sampled packet left while the application was short of data.
    pub demand: Demand,
}

impl RateSample {
    /// `delivered / interval`.
    pub fn rate(&self) -> Rate {
        Rate::of(self.delivered, self.interval)
    }
}

/// The connection's delivery state (section 3.1.1: `C.*`).
#[derive(Clone, Debug)]
pub struct RateEstimator {
    delivered: Bytes,
    delivered_at: Time,
    first_sent_at: Time,
    /// The sender is application-limited until this much is delivered.
    limited_until: Option<Bytes>,
    /// The newest packet delivered by the acknowledgement in progress.
    newest: Option<PacketState>,
    /// When that acknowledgement arrived, if it has delivered anything, and how much that is.
    arrival: Option<(Time, Bytes)>,
}

impl RateEstimator {
    /// A connection that has delivered nothing.
    pub const fn new(now: Time) -> Self {
        Self {
            delivered: Bytes::ZERO,
            delivered_at: now,
            first_sent_at: now,
            limited_until: None,
            newest: None,
            arrival: None,
        }
    }

    /// A packet leaves, or leaves again.
    pub fn on_sent(&mut self, now: Time, prior_in_flight: Bytes) -> PacketState {
        // Section 3.2: a flight that starts from an idle connection starts both intervals.
        if prior_in_flight == Bytes::ZERO {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        PacketState {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            demand: self.demand(),
        }
    }

    /// The application has nothing to send although the window (`in_flight` below it) is open (section 3.4).
    pub fn on_app_limited(&mut self, in_flight: Bytes) {
        self.limited_until = Some(self.delivered + in_flight);
    }

    /// A packet of `size` bytes was delivered for the first time.
    pub fn on_delivered(&mut self, now: Time, packet: &PacketState, size: Bytes) {
        self.on_duplicate_delivered(now, size);
        // Of packets sent in the same nanosecond the one that saw more delivered is the newer.
        let newer = |than: PacketState| (packet.sent_at, packet.delivered) >= (than.sent_at, than.delivered);
        if self.newest.is_none_or(newer) {
            self.newest = Some(*packet);
        }
    }

    /// `size` bytes of packets that had been delivered before arrived again: the network carried them, but they tell of no
    /// flight.
    pub fn on_duplicate_delivered(&mut self, now: Time, size: Bytes) {
        self.delivered += size;
        let before = self.arrival.map_or(Bytes::ZERO, |(_, before)| before);
        self.arrival = Some((now, before + size));
    }

    /// An acknowledgement that was overtaken gives no sample, and what it delivered is not counted (`tcp_ack`, old_ack).
    pub fn discard_sample(&mut self) {
        if let Some((_, size)) = self.arrival.take() {
            self.delivered -= size;
        }
        if let Some(packet) = self.newest.take() {
            self.first_sent_at = packet.sent_at;
        }
    }

    /// When the newest of the packets left that were given to [`on_delivered`](Self::on_delivered) since the last sample.
    pub fn newest_sent(&self) -> Option<Time> {
        self.newest.map(|packet| packet.sent_at)
    }

    /// The sample of the acknowledgement whose packets were just given to [`on_delivered`](Self::on_delivered);
    /// `None` when it delivered nothing or is shorter than `min_rtt` and so not a round trip's.
    pub fn sample(&mut self, min_rtt: Option<Duration>) -> Option<RateSample> {
        // Section 3.4: the bubble has left the pipe.
        self.limited_until = self.limited_until.filter(|until| self.delivered <= *until);
        if let Some((at, _)) = self.arrival.take() {
            self.delivered_at = at;
        }
        let packet = self.newest.take()?;
        let send_elapsed = packet.sent_at.since(packet.first_sent_at);
        let ack_elapsed = self.delivered_at.since(packet.delivered_at);
        self.first_sent_at = packet.sent_at;
        // Section 3.3: data cannot be delivered faster than it was sent, nor acknowledged in advance.
        let interval = send_elapsed.max(ack_elapsed);
        if interval == Duration::ZERO || min_rtt.is_some_and(|min_rtt| interval < min_rtt) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - packet.delivered,
            interval,
            prior_delivered: packet.delivered,
            demand: packet.demand,
        })
    }

    /// Delivered since the connection started.
    pub const fn delivered(&self) -> Bytes {
        self.delivered
    }

    /// Whether packets that leave now count as application-limited.
    pub const fn demand(&self) -> Demand {
        match self.limited_until {
            Some(_) => Demand::AppLimited,
            None => Demand::Backlogged,
        }
    }
}
