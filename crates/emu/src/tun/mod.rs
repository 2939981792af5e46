//! TUN devices: packet by packet, or with segmentation offload in both directions.
//!
//! With offload (`IFF_VNET_HDR`; `tun.rst` and `segmentation-offloads.rst` of the kernel's documentation) a host hands over
//! a burst of a TCP connection as one super-segment, without checksums. It is cut into its packets here, before the link
//! sees it. Packets that leave the link together go to the host as one again, as far as generic receive offload would merge them.

mod buffer;
mod split;
mod tcp_segment;
#[cfg(test)]
mod tests;
mod train;
mod virtio;

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::uio::writev;
use nix::unistd;

pub(crate) use buffer::{Buffer, Pool};
pub(crate) use train::Train;

use split::SuperSegment;
use virtio::Header;

/// The longest super-segment: `GSO_LEGACY_MAX_SIZE` of the kernel, without jumbo frames in IPv4.
const LONGEST: usize = 65_536;

/// A TUN device.
#[derive(Debug)]
pub(crate) struct Device {
    descriptor: OwnedFd,
    /// Where super-segments are read to; none without offload.
    staging: Option<Box<[u8]>>,
}

/// What came of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// So many packets.
    Packets(usize),
    /// Something that is no packet, or no super-segment of such packets as the link carries.
    Garbage,
    /// There is nothing to read.
    Nothing,
}

impl Device {
    /// A device whose descriptor the orchestrator has opened for this process alone, non-blocking from here on. With
    /// `IFF_VNET_HDR` it is told what can be cut here.
    pub(crate) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        let flags = OFlag::from_bits_truncate(fcntl(&descriptor, FcntlArg::F_GETFL)?);
        fcntl(&descriptor, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        let has_headers = has_headers(descriptor.as_raw_fd())?;
        if has_headers {
            offer_offload(descriptor.as_raw_fd())?;
        }
        let staging = has_headers.then(|| vec![0; virtio::LENGTH + LONGEST].into());
        Ok(Self { descriptor, staging })
    }

    /// Whether it hands over super-segments and takes them.
    pub(crate) const fn has_offload(&self) -> bool {
        self.staging.is_some()
    }

    /// Reads once, and gives what was read to `packets`, in order.
    pub(crate) fn read(
        &mut self,
        pool: &mut Pool,
        mtu: usize,
        mut packets: impl FnMut(&mut Pool, Buffer) -> io::Result<()>,
    ) -> io::Result<Taken> {
        let Some(staging) = &mut self.staging else {
            let mut packet = pool.take();
            return match unistd::read(&self.descriptor, packet.room()) {
                Ok(length) => {
                    packet.set_length(length, None);
                    packets(pool, packet)?;
                    Ok(Taken::Packets(1))
                }
                Err(error) => {
                    pool.give(packet);
                    nothing_or(error)
                }
            };
        };
        let length = match unistd::read(&self.descriptor, staging) {
            Ok(length) => length,
            Err(error) => return nothing_or(error),
        };
        let Some((header, bytes)) = staging[..length].split_first_chunk() else { return Ok(Taken::Garbage) };
        let Some(header) = Header::parse(*header) else { return Ok(Taken::Garbage) };
        if header.segmentation.is_none() {
            let mut packet = pool.take();
            if !packet.fill(bytes, header.owed) {
                pool.give(packet);
                return Ok(Taken::Garbage);
            }
            packets(pool, packet)?;
            return Ok(Taken::Packets(1));
        }
        let Some(burst) = SuperSegment::parse(&header, bytes, mtu) else { return Ok(Taken::Garbage) };
        for number in 0..burst.count() {
            let mut packet = pool.take();
            burst.put(number, &mut packet);
            packets(pool, packet)?;
        }
        Ok(Taken::Packets(burst.count()))
    }

    /// Hands a train over to the host; false when the device does not take it.
    pub(crate) fn write(&self, train: &mut Train) -> io::Result<bool> {
        let written = match (&self.staging, train.packets()) {
            (None, packets) => packets
                .iter()
                .try_for_each(|(_, packet)| unistd::write(&self.descriptor, packet.as_slice()).map(drop)),
            (Some(_), _) => train.written(|slices| writev(&self.descriptor, slices).map(drop)),
        };
        match written {
            Ok(()) => Ok(true),
            // The packets are lost, and the run says so.
            Err(error) if is_refusal(error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

fn nothing_or(error: Errno) -> io::Result<Taken> {
    if error == Errno::EAGAIN { Ok(Taken::Nothing) } else { Err(error.into()) }
}

/// Whether the device did not take this packet and may take the next (`tun_get_user` in `drivers/net/tun.c`).
///
/// It is down (EIO) or out of memory (EAGAIN, ENOBUFS, ENOMEM), or the packet is neither of IPv4 nor of IPv6
/// (EINVAL): any program in the client's or the server's namespace may send such a one by a packet socket.
fn is_refusal(error: Errno) -> bool {
    matches!(error, Errno::EIO | Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM | Errno::EINVAL)
}

/// Whether a header stands before each packet of a device.
fn has_headers(device: RawFd) -> io::Result<bool> {
    // SAFETY: all zeros are an ifreq.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    // SAFETY: the kernel writes an ifreq.
    Errno::result(unsafe { libc::ioctl(device, libc::TUNGETIFF, &raw mut request) })?;
    // SAFETY: the request answers with flags.
    let flags = unsafe { request.ifr_ifru.ifru_flags };
    Ok(libc::c_int::from(flags) & libc::IFF_VNET_HDR != 0)
}

/// The host may hand over packets without checksums and super-segments of TCP over IPv4, but for those with CWR, of which there is
/// one in a window.
fn offer_offload(device: RawFd) -> io::Result<()> {
    let offload = libc::c_ulong::from(libc::TUN_F_CSUM | libc::TUN_F_TSO4);
    // SAFETY: the request takes a number.
    Errno::result(unsafe { libc::ioctl(device, libc::TUNSETOFFLOAD, offload) })?;
    Ok(())
}
