//! `TCP_INFO` and `TCP_CONGESTION` read back from the kernel.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd};

use bentpipe_net::TcpSample;
use bentpipe_units::{Bytes, Duration, Rate};
use socket2::SockRef;

/// States of net/tcp_states.h.
const TCP_SYN_SENT: u8 = 2;
const TCP_CLOSE: u8 = 7;

/// `struct tcp_info` of linux/tcp.h as far as it is read here; the kernel fills what it is given room for.
#[repr(C)]
#[derive(Clone, Copy)]
struct TcpInfo {
    state: u8,
    ca_state: u8,
    retransmits: u8,
    probes: u8,
    backoff: u8,
    options: u8,
    wscale: u8,
    flags: u8,
    rto_us: u32,
    ato_us: u32,
    snd_mss: u32,
    rcv_mss: u32,
    unacked: u32,
    sacked: u32,
    lost: u32,
    retrans: u32,
    fackets: u32,
    last_data_sent_ms: u32,
    last_ack_sent_ms: u32,
    last_data_recv_ms: u32,
    last_ack_recv_ms: u32,
    pmtu: u32,
    rcv_ssthresh: u32,
    rtt_us: u32,
    rttvar_us: u32,
    snd_ssthresh: u32,
    snd_cwnd: u32,
    advmss: u32,
    reordering: u32,
    rcv_rtt_us: u32,
    rcv_space: u32,
    total_retrans: u32,
    pacing_rate: u64,
    max_pacing_rate: u64,
    bytes_acked: u64,
    bytes_received: u64,
    segs_out: u32,
    segs_in: u32,
    notsent_bytes: u32,
    min_rtt_us: u32,
    data_segs_in: u32,
    data_segs_out: u32,
    delivery_rate: u64,
    busy_time_us: u64,
    rwnd_limited_us: u64,
    sndbuf_limited_us: u64,
}

/// Where a connection is in its life, as far as its owner must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The SYN is not answered; with Fast Open it may not even be out.
    SynSent,
    /// Data can be exchanged, or could be.
    Open,
    /// It is over.
    Closed,
}

/// Where the connection is in its life.
pub(crate) fn state(socket: &impl AsFd) -> io::Result<State> {
    Ok(match read(socket)?.state {
        TCP_SYN_SENT => State::SynSent,
        TCP_CLOSE => State::Closed,
        _ => State::Open,
    })
}

/// The sender's state now.
pub(crate) fn sample(socket: &impl AsFd) -> io::Result<TcpSample> {
    let info = read(socket)?;
    let packets = |count: u32| Bytes::new(u64::from(count) * u64::from(info.snd_mss));
    let micros = |us: u32| Some(Duration::from_micros(us.into())).filter(|_| us > 0 && us < u32::MAX);
    // tcp_packets_in_flight(): what is out, less what has left the network, plus what was retransmitted.
    let in_flight = (info.unacked + info.retrans).saturating_sub(info.sacked + info.lost);
    Ok(TcpSample {
        connected: None,
        congestion_control: congestion_control(socket)?,
        cwnd: packets(info.snd_cwnd),
        in_flight: packets(in_flight),
        srtt: micros(info.rtt_us),
        min_rtt: micros(info.min_rtt_us),
        delivery_rate: Some(Rate::from_bps(info.delivery_rate.saturating_mul(8))),
        retransmitted_packets: info.total_retrans.into(),
        rwnd_limited: Some(Duration::from_micros(info.rwnd_limited_us)),
        sndbuf_limited: Some(Duration::from_micros(info.sndbuf_limited_us)),
        resumption: Vec::new(),
    })
}

fn congestion_control(socket: &impl AsFd) -> io::Result<String> {
    let name = SockRef::from(socket).tcp_congestion()?;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

fn read(socket: &impl AsFd) -> io::Result<TcpInfo> {
    let mut info = MaybeUninit::<TcpInfo>::zeroed();
    let mut length = size_of::<TcpInfo>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `info`, which is that long and plain integers;
    // what an older kernel leaves out stays zero.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroed above; every bit pattern is a valid integer.
    Ok(unsafe { info.assume_init() })
}
