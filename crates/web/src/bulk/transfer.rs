use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use bentpipe_run::{Table, TransferReport};
use bentpipe_units::{Bytes, Duration, Time};
use tokio::io::AsyncWriteExt;

use super::order::Limit;
use super::pattern::{CHUNK, Pattern};
use crate::net::{Bulk, Known, Net};
use crate::sampler::INTERVAL;

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
        sent += poll_fn(|cx| Pin::new(&mut *stream).poll_send_known(cx, content)).await? as u64;
    }
    stream.shutdown().await
}

/// Receives and verifies until the limit is reached or the sender ends.
pub(super) async fn receive<N: Net>(
    net: &N,
    stream: &mut impl Bulk,
    limit: Limit,
) -> io::Result<TransferReport> {
    let pattern = Pattern::new();
    let started = net.now();
    let mut buffer = vec![0; CHUNK];
    let mut progress = Progress::new(started);
    let mut first_byte = None;
    let mut last_byte = started;
    let mut received = 0;
    while !limit.reached(started, net.now(), Bytes::new(received)) {
        let known = poll_fn(|cx| Pin::new(&mut *stream).poll_receive_known(cx, &mut buffer)).await?;
        let length = match known {
            Known::Length(length) => length,
            Known::Octets(length) if pattern.matches(received, &buffer[..length]) => length,
            Known::Octets(_) => {
                let message = format!("payload differs from the pattern near byte {received}");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        };
        if length == 0 {
            break;
        }
        last_byte = net.now();
        first_byte.get_or_insert(last_byte);
        received += length as u64;
        progress.add(last_byte, length as u64);
    }
    Ok(TransferReport {
        bytes: Bytes::new(received),
        first_byte: first_byte.unwrap_or(last_byte),
        last_byte,
        progress: progress.finish(),
    })
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
