//! Two TUN devices in a network namespace of their own, and packets put into them from outside.
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::Command;
use std::thread;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use socket2::{Domain, Protocol, Socket, Type};

use crate::common::say;

/// The devices' ends, which only a process started from here has besides.
pub struct Devices {
    pub client: OwnedFd,
    pub server: OwnedFd,
}

/// Runs a test beside two devices, `client` and `server`, in a network namespace, where this user may make one.
pub fn with_devices(test: impl FnOnce(Devices) + Send + 'static) {
    with_devices_of(0, test);
}

/// The same with devices that have virtio headers, as fast links have them.
pub fn with_offloading_devices(test: impl FnOnce(Devices) + Send + 'static) {
    with_devices_of(libc::IFF_VNET_HDR, test);
}

fn with_devices_of(flags: libc::c_int, test: impl FnOnce(Devices) + Send + 'static) {
    let thread = thread::spawn(move || {
        match unshare(CloneFlags::CLONE_NEWNET) {
            Ok(()) => {}
            Err(Errno::EPERM) => return say("SKIPPED: network namespaces need root"),
            Err(error) => panic!("{error}"),
        }
        keep_quiet();
        test(Devices { client: device("client", flags), server: device("server", flags) });
    });
    thread.join().unwrap();
}

/// Without IPv6 the kernel sends nothing by itself, as in a run (`engine/testbed/netns.py`). Where there is none, neither.
fn keep_quiet() {
    if let Err(error) = fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") {
        assert_eq!(error.kind(), io::ErrorKind::NotFound, "{error}");
    }
}

/// A device that is up, as `engine/testbed/netns.py` opens one.
fn device(name: &str, flags: libc::c_int) -> OwnedFd {
    let file = File::options().read(true).write(true).open("/dev/net/tun").unwrap();
    // SAFETY: all zeros are an ifreq.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI | flags) as libc::c_short;
    // SAFETY: the kernel reads and writes an ifreq.
    let made = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &mut request) };
    assert_eq!(made, 0, "{}", io::Error::last_os_error());
    // The link's process inherits it.
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();
    let up = Command::new("ip").args(["link", "set", name, "up"]).status().unwrap();
    assert!(up.success());
    file.into()
}

/// A packet socket of a device: what is sent goes into the device as it is, what is received has come out of it.
pub struct Outside(Socket);

impl Outside {
    pub fn of(device: &str) -> Self {
        Self::of_kind(device, Type::DGRAM)
    }

    /// One that puts a `virtio_net_hdr` before each packet that it sends (packet(7), PACKET_VNET_HDR).
    pub fn with_headers(device: &str) -> Self {
        let Self(socket) = Self::of_kind(device, Type::RAW);
        let on: libc::c_int = 1;
        let (value, length) = ((&raw const on).cast(), size_of_val(&on) as libc::socklen_t);
        // SAFETY: the kernel reads a number.
        let set = unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_PACKET, libc::PACKET_VNET_HDR, value, length)
        };
        assert_eq!(set, 0, "{}", io::Error::last_os_error());
        Self(socket)
    }

    fn of_kind(device: &str, kind: Type) -> Self {
        let ipv4 = (libc::ETH_P_IP as u16).to_be();
        let socket = Socket::new(Domain::PACKET, kind, Some(Protocol::from(i32::from(ipv4)))).unwrap();
        // SAFETY: all zeros are a sockaddr_ll.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = ipv4;
        address.sll_ifindex = if_nametoindex(device).unwrap() as i32;
        let length = size_of_val(&address) as libc::socklen_t;
        // SAFETY: the kernel reads a sockaddr_ll.
        let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
        assert_eq!(bound, 0, "{}", io::Error::last_os_error());
        Self(socket)
    }

    pub fn send(&self, packet: &[u8]) {
        assert_eq!(self.0.send(packet).unwrap(), packet.len());
    }

    /// Whether the kernel takes a packet.
    pub fn offers(&self, packet: &[u8]) -> bool {
        self.0.send(packet).is_ok()
    }

    /// The next packet of at most 100 bytes; none when there is none for two seconds.
    pub fn receive(&self) -> Option<Vec<u8>> {
        let mut ready = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ready, PollTimeout::from(2_000_u16)).unwrap() == 0 {
            return None;
        }
        let mut packet = vec![0; 100];
        let length = (&self.0).read(&mut packet).unwrap();
        packet.truncate(length);
        Some(packet)
    }
}
