//! Sending and receiving one flow.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use bentpipe_net::{Bulk, Known, Net};
use bentpipe_run::{INTERVAL, Table, TransferReport};
use bentpipe_units::{Bytes, Duration, Time};
use tokio::io::AsyncWriteExt;

use super::order::Limit;
use super::pattern::{CHUNK, Pattern};

/// Sends the pattern until the limit is reached or the receiver has had enough.
pub(super) async fn send<N: Net>(net: &N, stream: &mut impl Bulk, limit: Limit) -> io::Result<()> {
    let pattern = Pattern::new();
    let started = net.now();
    let mut sent = 0;
    while !limit.reached(started, net.now(), Bytes::new(sent)) {
        let left = match limit {
            Limit::Bytes(bytes) => bytes.get() - sent,
            Limit::Duration(_) => u64::MAX,
        };
        let content = pattern.at(sent, left);
        sent += poll_fn(|cx| Pin::new(&mut *stream).poll_send_known(cx, &content)).await? as u64;
    }
    stream.shutdown().await
}

/// The receiver of a flow. What it has received so far is not lost when nobody waits any longer.
pub(super) struct Receiver {
    limit: Limit,
    started: Time,
    received: u64,
    first_byte: Option<Time>,
    last_byte: Time,
    progress: Progress,
}

impl Receiver {
    /// A receiver whose time runs from now on.
    pub(super) fn new<N: Net>(net: &N, limit: Limit) -> Self {
        let started = net.now();
        let progress = Progress::new(started);
        Self { limit, started, received: 0, first_byte: None, last_byte: started, progress }
    }

    /// Receives and verifies until the limit is reached or the sender ends.
    pub(super) async fn run<N: Net>(&mut self, net: &N, stream: &mut impl Bulk) -> io::Result<()> {
        let pattern = Pattern::new();
        let mut buffer = vec![0; CHUNK];
        while !self.limit.reached(self.started, net.now(), Bytes::new(self.received)) {
            let known = poll_fn(|cx| Pin::new(&mut *stream).poll_receive_known(cx, &mut buffer)).await?;
            let length = match known {
                Known::Length(length) => length,
                Known::Bytes(length) if pattern.matches(self.received, &buffer[..length]) => length,
                Known::Bytes(_) => {
                    let message = format!("payload differs from the pattern near byte {}", self.received);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
            };
            if length == 0 {
                break;
            }
            self.last_byte = net.now();
            self.first_byte.get_or_insert(self.last_byte);
            self.received += length as u64;
            self.progress.add(self.last_byte, length as u64);
        }
        Ok(())
    }

    /// What was received, as the flow of this index.
    pub(super) fn report(self, flow: u16) -> TransferReport {
        TransferReport {
            flow,
            bytes: Bytes::new(self.received),
            first_byte: self.first_byte.unwrap_or(self.last_byte),
            last_byte: self.last_byte,
            progress: self.progress.finish(),
        }
    }
}

/// Payload per interval.
struct Progress {
    bin_end: Time,
    bin_bytes: u64,
    table: Table,
}

impl Progress {
    fn new(started: Time) -> Self {
        Self { bin_end: started + INTERVAL, bin_bytes: 0, table: Table::default() }
    }

    fn add(&mut self, now: Time, bytes: u64) {
        while now >= self.bin_end {
            self.close_bin();
        }
        self.bin_bytes += bytes;
    }

    fn finish(mut self) -> Table {
        self.close_bin();
        self.table
    }

    fn close_bin(&mut self) {
        let end_s = Duration::from_nanos(self.bin_end.as_nanos()).as_secs_f64();
        self.table.push([("time_s", end_s), ("received_bytes", self.bin_bytes as f64)]);
        self.bin_bytes = 0;
        self.bin_end += INTERVAL;
    }
}
