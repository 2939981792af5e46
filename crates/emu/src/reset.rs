//! Resetting a connection that somebody still has open.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Ends a TCP connection at once with a reset; reads and writes fail from then on.
///
/// Closing with `SO_LINGER` zero would do it too, but only when the last who has the socket lets go, and after what they
/// still send. To connect to no address disconnects a socket at once (`tcp_disconnect`).
pub(crate) fn abort(socket: &impl AsFd) -> io::Result<()> {
    let nowhere = libc::sockaddr { sa_family: libc::AF_UNSPEC as libc::sa_family_t, sa_data: [0; 14] };
    // SAFETY: the address lives during the call and is as long as it says.
    let result = unsafe {
        libc::connect(
            socket.as_fd().as_raw_fd(),
            &raw const nowhere,
            size_of::<libc::sockaddr>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
