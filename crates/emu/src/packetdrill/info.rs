//! `TCP_INFO` and `SO_MEMINFO` by the names of their fields.

use bentpipe_packetdrill::{Handle, TcpInfo};

/// `struct tcp_info` of linux/tcp.h: names and bytes. Two fields of bits share `wscale`, two the byte behind.
const FIELDS: [(&str, usize); 66] = [
    ("tcpi_state", 1),
    ("tcpi_ca_state", 1),
    ("tcpi_retransmits", 1),
    ("tcpi_probes", 1),
    ("tcpi_backoff", 1),
    ("tcpi_options", 1),
    ("tcpi_wscale", 1),
    ("tcpi_delivery_rate_app_limited", 1),
    ("tcpi_rto", 4),
    ("tcpi_ato", 4),
    ("tcpi_snd_mss", 4),
    ("tcpi_rcv_mss", 4),
    ("tcpi_unacked", 4),
    ("tcpi_sacked", 4),
    ("tcpi_lost", 4),
    ("tcpi_retrans", 4),
    ("tcpi_fackets", 4),
    ("tcpi_last_data_sent", 4),
    ("tcpi_last_ack_sent", 4),
    ("tcpi_last_data_recv", 4),
    ("tcpi_last_ack_recv", 4),
    ("tcpi_pmtu", 4),
    ("tcpi_rcv_ssthresh", 4),
    ("tcpi_rtt", 4),
    ("tcpi_rttvar", 4),
    ("tcpi_snd_ssthresh", 4),
    ("tcpi_snd_cwnd", 4),
    ("tcpi_advmss", 4),
    ("tcpi_reordering", 4),
    ("tcpi_rcv_rtt", 4),
    ("tcpi_rcv_space", 4),
    ("tcpi_total_retrans", 4),
    ("tcpi_pacing_rate", 8),
    ("tcpi_max_pacing_rate", 8),
    ("tcpi_bytes_acked", 8),
    ("tcpi_bytes_received", 8),
    ("tcpi_segs_out", 4),
    ("tcpi_segs_in", 4),
    ("tcpi_notsent_bytes", 4),
    ("tcpi_min_rtt", 4),
    ("tcpi_data_segs_in", 4),
    ("tcpi_data_segs_out", 4),
    ("tcpi_delivery_rate", 8),
    ("tcpi_busy_time", 8),
    ("tcpi_rwnd_limited", 8),
    ("tcpi_sndbuf_limited", 8),
    ("tcpi_delivered", 4),
    ("tcpi_delivered_ce", 4),
    ("tcpi_bytes_sent", 8),
    ("tcpi_bytes_retrans", 8),
    ("tcpi_dsack_dups", 4),
    ("tcpi_reord_seen", 4),
    ("tcpi_rcv_ooopack", 4),
    ("tcpi_snd_wnd", 4),
    ("tcpi_rcv_wnd", 4),
    ("tcpi_rehash", 4),
    ("tcpi_total_rto", 2),
    ("tcpi_total_rto_recoveries", 2),
    ("tcpi_total_rto_time", 4),
    ("tcpi_received_ce", 4),
    ("tcpi_delivered_e1_bytes", 4),
    ("tcpi_delivered_e0_bytes", 4),
    ("tcpi_delivered_ce_bytes", 4),
    ("tcpi_received_e1_bytes", 4),
    ("tcpi_received_e0_bytes", 4),
    ("tcpi_received_ce_bytes", 4),
];
/// What `SO_MEMINFO` tells, four bytes each (linux/sock_diag.h).
const MEMORY: [&str; 9] = [
    "SK_MEMINFO_RMEM_ALLOC",
    "SK_MEMINFO_RCVBUF",
    "SK_MEMINFO_WMEM_ALLOC",
    "SK_MEMINFO_SNDBUF",
    "SK_MEMINFO_FWD_ALLOC",
    "SK_MEMINFO_WMEM_QUEUED",
    "SK_MEMINFO_OPTMEM",
    "SK_MEMINFO_BACKLOG",
    "SK_MEMINFO_DROPS",
];
/// More than the fields above take.
const ROOM: usize = 512;

/// What the kernel tells of a socket; fields that it does not have are left out.
pub(super) fn tcp_info(socket: Handle) -> Option<TcpInfo> {
    let mut info = fields(&option(socket, libc::IPPROTO_TCP, libc::TCP_INFO)?);
    let memory = option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO).unwrap_or_default();
    info.0.extend(MEMORY.into_iter().zip(memory.chunks_exact(4).map(|bytes| number(bytes) as i64)));
    Some(info)
}

/// An option of a socket, as it is in memory; none where the socket does not have it.
fn option(socket: Handle, level: libc::c_int, name: libc::c_int) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; ROOM];
    let mut length = ROOM as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, which the buffer has.
    let result = unsafe {
        libc::getsockopt(socket.0 as libc::c_int, level, name, bytes.as_mut_ptr().cast(), &mut length)
    };
    bytes.truncate(length as usize);
    (result == 0).then_some(bytes)
}

fn fields(bytes: &[u8]) -> TcpInfo {
    let mut info = TcpInfo::default();
    let mut rest = bytes;
    for (name, width) in FIELDS {
        let Some((field, behind)) = rest.split_at_checked(width) else { break };
        let number = number(field);
        match name {
            "tcpi_wscale" => {
                info.0.insert("tcpi_snd_wscale", (number & 0xf) as i64);
                info.0.insert("tcpi_rcv_wscale", (number >> 4) as i64);
            }
            "tcpi_delivery_rate_app_limited" => {
                info.0.insert(name, (number & 1) as i64);
                info.0.insert("tcpi_fastopen_client_fail", (number >> 1 & 3) as i64);
            }
            _ => {
                info.0.insert(name, number as i64);
            }
        }
        rest = behind;
    }
    info
}

/// The number of bytes of which the least comes first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_linux_has_them() {
        // linux/tcp.h: tcpi_snd_cwnd is at byte 80 and tcpi_rto at 8 (tests/emulate/test_tcp_knobs.py).
        let mut bytes = [0; 232];
        (bytes[8], bytes[80], bytes[6], bytes[7]) = (7, 10, 0x87, 6);
        let info = fields(&bytes);
        assert_eq!([info.0["tcpi_rto"], info.0["tcpi_snd_cwnd"]], [7, 10]);
        assert_eq!([info.0["tcpi_snd_wscale"], info.0["tcpi_rcv_wscale"]], [7, 8]);
        // tcpi_delivery_rate_app_limited:1, tcpi_fastopen_client_fail:2.
        assert_eq!([info.0["tcpi_delivery_rate_app_limited"], info.0["tcpi_fastopen_client_fail"]], [0, 3]);
    }
}
