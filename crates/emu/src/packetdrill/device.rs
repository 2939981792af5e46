//! A TUN device with virtio headers: super-segments pass it whole.

use std::io;
use std::num::NonZeroU16;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bentpipe_packetdrill::{Packet, wire};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// `struct virtio_net_hdr`, and where it has `gso_type` and `gso_size`.
const VIRTIO_HEADER: usize = 10;
const GSO_TYPE: usize = 1;
const GSO_SIZE: std::ops::Range<usize> = 4..6;
/// `VIRTIO_NET_HDR_GSO_TCPV4`, `VIRTIO_NET_HDR_GSO_TCPV6`.
const GSO_TCP_V4: u8 = 1;
const GSO_TCP_V6: u8 = 4;
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

    /// Hands a packet to the kernel, as one that was joined from segments of so many bytes where that is given.
    pub fn write(&self, packet: &[u8], segment_bytes: Option<NonZeroU16>) -> io::Result<()> {
        let bytes = [&header(packet, segment_bytes), packet].concat();
        let written = nix::unistd::write(self.descriptor.as_fd(), &bytes)?;
        if written == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    /// The next packet.
    pub fn next(&self, patience: Duration) -> Option<Taken> {
        self.packets.recv_timeout(patience).ok()
    }
}

/// What the kernel is told of a packet. The checksum is there and is looked at: `VIRTIO_NET_HDR_F_NEEDS_CSUM` is not set.
fn header(packet: &[u8], segment_bytes: Option<NonZeroU16>) -> [u8; VIRTIO_HEADER] {
    let mut header = [0; VIRTIO_HEADER];
    if let Some(bytes) = segment_bytes {
        // One that is no longer is taken for a single segment all the same (virtio_net_hdr_to_skb).
        header[GSO_TYPE] = if packet[0] >> 4 == 4 { GSO_TCP_V4 } else { GSO_TCP_V6 };
        header[GSO_SIZE].copy_from_slice(&bytes.get().to_le_bytes());
    }
    header
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_told_of_super_segments_of_either_version_of_ip() {
        // struct virtio_net_hdr (linux/virtio_net.h): flags, gso_type, hdr_len, gso_size, csum_start, csum_offset.
        let mss = NonZeroU16::new(1000);
        assert_eq!(header(&[0x45], None), [0; VIRTIO_HEADER]);
        assert_eq!(header(&[0x45], mss), [0, 1, 0, 0, 0xe8, 3, 0, 0, 0, 0]);
        assert_eq!(header(&[0x60], mss), [0, 4, 0, 0, 0xe8, 3, 0, 0, 0, 0]);
    }
}
