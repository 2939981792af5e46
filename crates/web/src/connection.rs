//! The connections of one party, as its report has them.

use std::cell::RefCell;
use std::rc::Rc;

use bentpipe_http::account::Meter;
use bentpipe_http::quic;
use bentpipe_net::{Net, Probe, Stream, TcpSample};
use bentpipe_run::{ConnectionReport, Table, Transition};
use bentpipe_units::{Duration, Time};

/// A window on the state of a network's TCP connections.
pub(crate) type ProbeOf<N> = <<N as Net>::Stream as Stream>::Probe;

/// All connections of one party, with a window on the state of each.
#[derive(Debug)]
pub(crate) struct Connections<P>(Rc<RefCell<State<P>>>);

impl<P> Clone for Connections<P> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

#[derive(Debug)]
struct State<P> {
    entries: Vec<Entry<P>>,
    sender: Table,
}

#[derive(Debug)]
struct Entry<P> {
    report: ConnectionReport,
    window: Window<P>,
    meter: Option<Meter>,
}

/// A window on a connection's state.
#[derive(Debug)]
pub(crate) enum Window<P> {
    /// A TCP socket's.
    Tcp(P),
    /// A QUIC connection's.
    Quic(noq::Connection),
    /// The connection is not open yet, or already gone.
    Shut,
}

/// Goes with a connection's stream.
pub(crate) struct Closing<N: Net, P> {
    connections: Connections<P>,
    index: usize,
    net: N,
}

impl<P: Probe> Connections<P> {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(State { entries: Vec::new(), sender: Table::default() })))
    }

    /// Adds a connection and returns its index.
    pub(crate) fn add(&self, report: ConnectionReport, window: Window<P>) -> usize {
        let mut state = self.0.borrow_mut();
        let mut entry = Entry { report, window, meter: None };
        let sample = entry.window.sample();
        let report = &mut entry.report;
        report.connected = report.connected.or(sample.as_ref().and_then(|sample| sample.connected));
        // A client with Fast Open has no window before the SYN-ACK.
        let opened = sample.filter(|_| report.connected.is_some());
        report.initial_cwnd_bytes = opened.map(|sample| sample.cwnd);
        state.entries.push(entry);
        state.entries.len() - 1
    }

    /// Changes what is known of a connection.
    pub(crate) fn update(&self, index: usize, change: impl FnOnce(&mut ConnectionReport)) {
        change(&mut self.0.borrow_mut().entries[index].report);
    }

    /// Has the report say what a connection carried, as `meter` counts it.
    pub(crate) fn count_by(&self, index: usize, meter: &Meter) {
        self.0.borrow_mut().entries[index].meter = Some(meter.clone());
    }

    /// Notes when a connection was closed, as soon as what is returned is dropped.
    pub(crate) fn closing<N: Net>(&self, index: usize, net: &N) -> Closing<N, P> {
        Closing { connections: self.clone(), index, net: net.clone() }
    }

    /// Resets a connection over TCP.
    pub(crate) fn reset(&self, index: usize) {
        if let Window::Tcp(probe) = &self.0.borrow().entries[index].window {
            probe.reset();
        }
    }

    /// Writes one row for each open connection.
    pub(crate) fn sample(&self, now: Time) {
        let mut state = self.0.borrow_mut();
        let State { entries, sender } = &mut *state;
        for entry in entries.iter_mut().filter(|entry| entry.is_open()) {
            let Some(sample) = entry.refresh() else { continue };
            let seconds = |time: Option<Duration>| time.map_or(f64::NAN, Duration::as_secs_f64);
            sender.push([
                ("time_s", Duration::from_nanos(now.as_nanos()).as_secs_f64()),
                ("client_port", f64::from(entry.report.client_port)),
                ("cwnd_bytes", sample.cwnd.get() as f64),
                ("in_flight_bytes", sample.in_flight.get() as f64),
                ("srtt_s", seconds(sample.srtt)),
                ("delivery_rate_bps", sample.delivery_rate.map_or(0.0, |rate| rate.as_bps() as f64)),
                ("retransmitted_packets", sample.retransmitted_packets as f64),
                ("rwnd_limited_s", seconds(sample.rwnd_limited)),
                ("sndbuf_limited_s", seconds(sample.sndbuf_limited)),
            ]);
        }
    }

    /// What was learnt of each connection, and the rows.
    pub(crate) fn finish(&self) -> (Vec<ConnectionReport>, Table) {
        let mut state = self.0.borrow_mut();
        for entry in &mut state.entries {
            entry.refresh();
            entry.window = Window::Shut;
            entry.report.carried = entry.meter.as_ref().map(Meter::read);
        }
        let reports = state.entries.iter().map(|entry| entry.report.clone()).collect();
        (reports, std::mem::take(&mut state.sender))
    }
}

/// Nothing in it is ever pinned.
impl<N: Net, P> Unpin for Closing<N, P> {}

impl<N: Net, P> Drop for Closing<N, P> {
    fn drop(&mut self) {
        let closed = Some(self.net.now());
        self.connections.0.borrow_mut().entries[self.index].report.closed = closed;
    }
}

impl<P: Probe> Entry<P> {
    fn is_open(&self) -> bool {
        self.report.closed.is_none() && self.window.is_open()
    }

    fn refresh(&mut self) -> Option<TcpSample> {
        let sample = self.window.sample()?;
        self.report.connected = self.report.connected.or(sample.connected);
        self.report.congestion_control.clone_from(&sample.congestion_control);
        self.report.retransmitted_packets = Some(sample.retransmitted_packets);
        self.report.srtt = sample.srtt;
        self.report.min_rtt = sample.min_rtt;
        self.report.resumption = self.window.on_networks_clock(&sample.resumption, self.report.started);
        Some(sample)
    }
}

impl<P: Probe> Window<P> {
    fn is_open(&self) -> bool {
        match self {
            Self::Tcp(probe) => probe.is_open(),
            Self::Quic(_) => true,
            Self::Shut => false,
        }
    }

    /// The phases of Careful Resume on the clock of the network; QUIC counts from the start of the connection.
    fn on_networks_clock(&self, resumption: &[Transition], started: Time) -> Vec<Transition> {
        let offset = match self {
            Self::Quic(_) => started.since(Time::ZERO),
            Self::Tcp(_) | Self::Shut => Duration::ZERO,
        };
        resumption.iter().map(|step| Transition { at: step.at + offset, ..*step }).collect()
    }

    fn sample(&self) -> Option<TcpSample> {
        match self {
            Self::Tcp(probe) => probe.sample(),
            Self::Quic(connection) => quic::sample(connection),
            Self::Shut => None,
        }
    }
}
