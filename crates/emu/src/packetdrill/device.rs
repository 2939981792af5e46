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

/// `struct virtio_net_hdr`.
const VIRTIO_HEADER: usize = 10;
/// The largest packet that segmentation offload makes.
const LARGEST: usize = 65_536 + VIRTIO_HEADER;
/// How often the reader looks whether it should end.
const ATTENTION_MS: u16 = 20;

/// The device, and the thread that reads it.
pub(super) struct Device {
    descriptor: Arc<OwnedFd>,
    packets: Receiver<(Instant, Packet)>,
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
                    // Others than segments over IPv4, such as solicitations, are not the script's.
                    let packet = buffer[..length].get(VIRTIO_HEADER..).and_then(wire::decode);
                    if packet.is_some_and(|packet| sender.send((at, packet)).is_err()) {
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

    /// The next packet, with the instant at which it was read.
    pub fn next(&self, patience: Duration) -> Option<(Instant, Packet)> {
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
