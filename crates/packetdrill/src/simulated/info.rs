//! `TCP_INFO` and `SO_MEMINFO` of a simulated connection, as far as the endpoint knows it.

use bentpipe_cc::Demand;
use bentpipe_tcp::{Agreement, Connection, LossRecovery, State};
use bentpipe_units::Time;

use crate::backend::TcpInfo;

/// `TCP_INFINITE_SSTHRESH`.
const INFINITE: i64 = 0x7fff_ffff;
const NANOS_PER_MICROSECOND: u64 = 1000;
const NANOS_PER_MILLISECOND: u64 = 1_000_000;

/// The fields of linux/tcp.h and linux/sock_diag.h.
pub(super) fn tcp_info(now: Time, connection: &Connection) -> TcpInfo {
    let (info, spent) = (connection.info(), connection.time_spent(now));
    let mss = info.mss.get().max(1);
    let segments = |bytes: bentpipe_units::Bytes| (bytes.get() / mss) as i64;
    let micros = |span: bentpipe_units::Duration| (span.as_nanos() / NANOS_PER_MICROSECOND) as i64;
    let fields = [
        ("tcpi_state", state(connection.state())),
        ("tcpi_ca_state", ca_state(info.recovery)),
        ("tcpi_rto", micros(info.rto)),
        ("tcpi_snd_mss", mss as i64),
        ("tcpi_unacked", info.unacknowledged_segments as i64),
        ("tcpi_sacked", info.sacked_segments as i64),
        ("tcpi_lost", info.lost_segments as i64),
        ("tcpi_retrans", info.retransmitted_in_flight as i64),
        ("tcpi_rtt", info.srtt.map_or(0, micros)),
        ("tcpi_rttvar", info.rtt_variance.map_or(0, micros)),
        ("tcpi_snd_ssthresh", info.ssthresh.map_or(INFINITE, segments)),
        ("tcpi_snd_cwnd", segments(info.cwnd)),
        ("tcpi_reordering", info.reordering as i64),
        ("tcpi_reord_seen", info.reorderings as i64),
        ("tcpi_delivered", info.delivered_segments as i64),
        ("tcpi_total_retrans", info.retransmitted_segments as i64),
        ("tcpi_min_rtt", info.min_rtt.map_or(i64::from(u32::MAX), micros)),
        ("tcpi_delivery_rate", info.delivery_rate.map_or(0, |rate| (rate.as_bps() / 8) as i64)),
        ("tcpi_delivery_rate_app_limited", i64::from(info.delivery_demand == Demand::AppLimited)),
        ("tcpi_snd_wnd", info.send_window.get() as i64),
        ("tcpi_options", options(&info.agreement)),
        ("tcpi_snd_wscale", info.agreement.shifts.map_or(0, |(theirs, _)| i64::from(theirs))),
        ("tcpi_rcv_wscale", info.agreement.shifts.map_or(0, |(_, ours)| i64::from(ours))),
        ("tcpi_advmss", info.announced_mss.get() as i64),
        ("tcpi_rcv_mss", info.peer_mss.get() as i64),
        ("tcpi_bytes_received", info.received.get() as i64),
        ("tcpi_backoff", i64::from(info.backoff)),
        ("tcpi_probes", i64::from(info.unanswered_probes)),
        (
            "tcpi_last_data_recv",
            info.data_at.map_or(0, |at| (now.since(at).as_nanos() / NANOS_PER_MILLISECOND) as i64),
        ),
        ("tcpi_notsent_bytes", connection.unsent() as i64),
        ("tcpi_busy_time", micros(spent.busy)),
        ("tcpi_rwnd_limited", micros(spent.peer_window)),
        ("tcpi_sndbuf_limited", micros(spent.send_buffer)),
        ("SK_MEMINFO_RMEM_ALLOC", info.receive_memory.get() as i64),
        ("SK_MEMINFO_RCVBUF", info.receive_buffer.get() as i64),
        ("SK_MEMINFO_SNDBUF", info.send_buffer.get() as i64),
        // What has come is never dropped for want of memory.
        ("SK_MEMINFO_DROPS", 0),
    ];
    TcpInfo(fields.into())
}

/// The same of a socket that has none.
pub(super) fn without_connection(is: State) -> TcpInfo {
    TcpInfo([("tcpi_state", state(is))].into())
}

/// `TCPI_OPT_TIMESTAMPS` and the like.
fn options(agreement: &Agreement) -> i64 {
    let bits = [
        (agreement.timestamps, 1),
        (agreement.sack, 2),
        (agreement.shifts.is_some(), 4),
        (agreement.ecn, 8),
        (agreement.syn_data, 32),
    ];
    bits.into_iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum()
}

/// `TCP_ESTABLISHED` and the like.
const fn state(state: State) -> i64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Closing => 11,
    }
}

/// `TCP_CA_Open` and the like.
const fn ca_state(recovery: LossRecovery) -> i64 {
    match recovery {
        LossRecovery::Open => 0,
        LossRecovery::Disorder => 1,
        LossRecovery::Reduction => 2,
        LossRecovery::Recovery => 3,
        LossRecovery::Loss => 4,
    }
}
