//! One TCP connection of a simulated host.

use std::net::SocketAddrV4;
use std::task::Waker;

use bentpipe_net::TcpSample;
use bentpipe_run::Dscp;
use bentpipe_tcp::{Connection, Event};
use bentpipe_units::Time;

/// A TCP connection and the tasks that wait for it.
pub(crate) struct Socket {
    pub(crate) connection: Connection,
    /// What its segments are marked with.
    pub(crate) dscp: Dscp,
    pub(crate) reader: Option<Waker>,
    pub(crate) writer: Option<Waker>,
    /// Whether it was told to wait before it writes again.
    pub(crate) awaits_space: bool,
    /// Waits for the handshake.
    pub(crate) opener: Option<Waker>,
    /// When the handshake was complete, or spared by Fast Open at a server.
    pub(crate) connected: Option<Time>,
    /// The earliest of its timeouts.
    pub(crate) called_at: Option<Time>,
    /// The address that it came to, until it is established.
    pub(crate) accepted_at: Option<SocketAddrV4>,
    /// Whether a task has it, or a backlog for one.
    pub(crate) is_held: bool,
    /// The state when it closed: its ports are free again.
    pub(crate) closed: Option<Box<TcpSample>>,
}

impl Socket {
    pub(crate) const fn new(connection: Connection, dscp: Dscp) -> Self {
        Self {
            connection,
            dscp,
            reader: None,
            writer: None,
            awaits_space: false,
            opener: None,
            connected: None,
            called_at: None,
            accepted_at: None,
            is_held: false,
            closed: None,
        }
    }

    /// The connection's state now.
    pub(crate) fn sample(&self, now: Time) -> TcpSample {
        let info = self.connection.info();
        let spent = self.connection.time_spent(now);
        TcpSample {
            connected: self.connected,
            congestion_control: info.congestion_control.unwrap_or_default().to_owned(),
            cwnd: info.cwnd,
            in_flight: info.in_flight,
            srtt: info.srtt,
            min_rtt: info.min_rtt,
            delivery_rate: info.delivery_rate,
            retransmitted_packets: info.retransmitted_segments,
            rwnd_limited: Some(spent.peer_window),
            sndbuf_limited: Some(spent.send_buffer),
            resumption: self.connection.resumption().to_vec(),
        }
    }

    /// Wakes the tasks for which something happened.
    pub(crate) fn tell(&mut self, now: Time) {
        while let Some(event) = self.connection.poll_event() {
            match event {
                Event::Connected => {
                    self.connected = Some(now);
                    wake(&mut self.opener);
                }
                Event::Readable => wake(&mut self.reader),
                Event::Writable => wake(&mut self.writer),
                Event::Closed(_) => {
                    wake(&mut self.opener);
                    wake(&mut self.reader);
                    wake(&mut self.writer);
                }
            }
        }
    }

    /// When it wants to be called, if that is before all that it said earlier.
    pub(crate) fn next_timeout(&mut self) -> Option<Time> {
        let at = self.connection.poll_timeout()?;
        if self.called_at.is_some_and(|called| called <= at) {
            return None;
        }
        self.called_at = Some(at);
        Some(at)
    }
}

/// Wakes the task that waits, if one does.
pub(crate) fn wake(waiting: &mut Option<Waker>) {
    if let Some(waker) = waiting.take() {
        waker.wake();
    }
}
