//! A TUN device with virtio headers: super-segments pass it whole.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bentpipe_packetdrill::{Packet, wire};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// `struct virtio_net_hdr`, and where it has `gso_size`.
const VIRTIO_HEADER: usize = 10;
const GSO_SIZE: std::ops::Range<usize> = 4..6;
/// The largest packet that segmentation offload makes.
const LARGEST: usize = 65_536 + VIRTIO_HEADER;
/// How often the reader looks whether it should end.
const ATTENTION_MS: u16 = 20;

/// A packet that was read from the device.
#[derive(Debug)]
pub(super) struct Taken {
    /// When it was read.
    pub at: Instant,
    /// What was.
    pub packet: Packet,
    /// Bytes of each segment that offload would make of it, but the last.
    pub segment_bytes: Option<u32>,
}

/// The device, and the thread that reads it.
pub(super) struct Device {
    descriptor: Arc<OwnedFd>,
    packets: Receiver<Taken>,
    is_over: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Device {
    /// Reads from now on.
    pub fn new(descriptor: OwnedFd) -> io::Result<Self> {
        let descriptor = Arc::new(descriptor);
        let (sender, packets) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let (device, ends) = (Arc::clone(&descriptor), Arc::clone(&is_over));
        let reader = std::thread::Builder::new().name("packets".to_owned()).spawn(move || {
            let mut buffer = vec![0; LARGEST];
            while !ends.load(Ordering::Relaxed) {
                let mut ready = [PollFd::new(device.as_fd(), PollFlags::POLLIN)];
                let _ = poll(&mut ready, PollTimeout::from(ATTENTION_MS));
                while let Ok(length) = nix::unistd::read(device.as_fd(), &mut buffer) {
                    let at = Instant::now();
                    // Others than segments, such as solicitations, are not the script's.
                    let Some((header, bytes)) = buffer[..length].split_at_checked(VIRTIO_HEADER) else {
                        continue;
                    };
                    let size = header[GSO_SIZE].try_into().map_or(0, u16::from_le_bytes);
                    let segment_bytes = (size > 0).then_some(size.into());
                    let taken = wire::decode(bytes).map(|packet| Taken { at, packet, segment_bytes });
                    if taken.is_some_and(|taken| sender.send(taken).is_err()) {
                        return;
                    }
                }
            }
        })?;
        Ok(Self { descriptor, packets, is_over, reader: Some(reader) })
    }

    /// Hands a packet to the kernel.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        // No offload is asked for: the checksums are there.
        let bytes = [&[0; VIRTIO_HEADER], packet].concat();
        let written = nix::unistd::write(self.descriptor.as_fd(), &bytes)?;
        if written == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    /// The next packet.
    pub fn next(&self, patience: Duration) -> Option<Taken> {
        self.packets.recv_timeout(patience).ok()
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").field(&self.descriptor.as_raw_fd()).finish()
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
