//! `SO_MAX_PACING_RATE`: TCP paced by its own timers, whatever the congestion control (`SK_PACING_NEEDED`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use bentpipe_units::Rate;

/// Paces a socket, and those that it accepts, at `max` at most.
pub(crate) fn pace(socket: &impl AsFd, max: Rate) -> io::Result<()> {
    // An eighth of what 64 bits hold is never ~0, and zero is no rate: both ask for no pacing (sk_setsockopt,
    // tcp_update_skb_after_send).
    let bytes_per_second: libc::c_ulong = (max.as_bps() / 8).max(1);
    // SAFETY: the option's value is an integer that lives during the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MAX_PACING_RATE,
            (&raw const bytes_per_second).cast(),
            size_of::<libc::c_ulong>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => {
            let error = io::Error::last_os_error();
            Err(io::Error::new(error.kind(), format!("run.tcp: SO_MAX_PACING_RATE: {error}")))
        }
    }
}

/// What a socket is paced at, at most, in bytes per second; ~0 where it is not.
#[cfg(test)]
pub(crate) fn max_bytes_per_second(socket: &impl AsFd) -> libc::c_ulong {
    let mut found: libc::c_ulong = 0;
    let mut length = size_of::<libc::c_ulong>() as libc::socklen_t;
    // SAFETY: the kernel writes an integer of that length.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MAX_PACING_RATE,
            (&raw mut found).cast(),
            &mut length,
        )
    };
    assert_eq!(result, 0);
    found
}
