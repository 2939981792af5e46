//! TCP Fast Open (RFC 7413) as sockets ask for it; the namespace's `net.ipv4.tcp_fastopen` must allow it.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::socket::{setsockopt, sockopt};

/// The client's end: asks for a cookie, or, where the kernel has one, puts off the SYN to the first write.
///
/// # Errors
/// When the namespace does not allow it (bit 1 of `net.ipv4.tcp_fastopen`).
pub(crate) fn defer_connect(socket: &impl AsFd) -> io::Result<()> {
    setsockopt(socket, sockopt::TcpFastOpenConnect, &true)
        .map_err(|error| refused("TCP_FASTOPEN_CONNECT", &error.into()))
}

/// The server's end: takes data from SYNs of up to `waiting` connections whose handshake is not complete.
///
/// The kernel allows it without effect where bit 2 of `net.ipv4.tcp_fastopen` is not set.
pub(crate) fn accept(socket: &impl AsFd, waiting: u32) -> io::Result<()> {
    let waiting = waiting as libc::c_int;
    // SAFETY: the option's value is an integer that lives during the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_FASTOPEN,
            (&raw const waiting).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(refused("TCP_FASTOPEN", &io::Error::last_os_error())),
    }
}

fn refused(option: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("run.tcp.fast_open: {option}: {error}"))
}
