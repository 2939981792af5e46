//! Constants of the system's interface by their names (Linux, `include/uapi`).

use libc::*;

/// The number of a constant.
pub fn value(name: &str) -> Option<i64> {
    let found = KNOWN.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).or_else(|| errno(name).map(i64::from))
}

/// The number of an error.
pub fn errno(name: &str) -> Option<i32> {
    ERRORS.iter().find_map(|(known, value)| (*known == name).then_some(*value))
}

/// The name of an error.
pub fn errno_name(number: i32) -> String {
    let found = ERRORS.iter().find(|(_, value)| *value == number);
    found.map_or_else(|| format!("error {number}"), |(name, _)| (*name).to_owned())
}

/// The name of an option of a socket.
pub fn option_name(level: i64, option: i64) -> String {
    let prefix = match level {
        level if level == i64::from(SOL_SOCKET) => "SO_",
        level if level == i64::from(SOL_TCP) => "TCP_",
        _ => "IP_",
    };
    let found = KNOWN.iter().find(|(name, value)| *value == option && name.starts_with(prefix));
    found.map_or_else(|| format!("{prefix}{option}"), |(name, _)| (*name).to_owned())
}

/// The names of flags of a transfer.
pub fn flag_names(flags: i32) -> String {
    let of = |bit: i64| KNOWN.iter().find(|(name, value)| *value == bit && name.starts_with("MSG_"));
    let bits = (0..i32::BITS).map(|shift| i64::from(flags) & (1 << shift)).filter(|bit| *bit != 0);
    let names =
        bits.map(|bit| of(bit).map_or_else(|| format!("the flag {bit:#x}"), |(name, _)| (*name).to_owned()));
    names.collect::<Vec<_>>().join("|")
}

macro_rules! table {
    ($type:ty: $($name:ident),* $(,)?) => { &[$((stringify!($name), $name as $type)),*] };
}

const ERRORS: &[(&str, i32)] = table![i32:
    EPERM, ENOENT, EINTR, EIO, EBADF, EAGAIN, EWOULDBLOCK, ENOMEM, EACCES, EFAULT, EBUSY, EEXIST, ENODEV, EINVAL,
    EMFILE, ENOTTY, ENOSPC, EPIPE, EDOM, ERANGE, ENOSYS, EMSGSIZE, ENOTSOCK, EDESTADDRREQ, EPROTOTYPE, ENOPROTOOPT,
    EPROTONOSUPPORT, EOPNOTSUPP, EAFNOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH, ENETRESET,
    ECONNABORTED, ECONNRESET, ENOBUFS, EISCONN, ENOTCONN, ESHUTDOWN, ETIMEDOUT, ECONNREFUSED, EHOSTDOWN,
    EHOSTUNREACH, EALREADY, EINPROGRESS, EPROTO, EOVERFLOW, ENOMSG, ENODATA, ETIME, ECANCELED, ENXIO, ESPIPE, EISDIR,
    EFBIG, ENFILE, EBADMSG, EPFNOSUPPORT, ESOCKTNOSUPPORT, EKEYREJECTED, ENOKEY,
];

// Those that the library does not have stand in linux/tcp.h, linux/errqueue.h and asm-generic/socket.h.
pub(crate) const TCP_INQ: i32 = 36;
pub(crate) const TCP_CM_INQ: i32 = 36;
const TCP_TX_DELAY: i32 = 37;
const TCP_RTO_MAX_MS: i32 = 44;
const TCP_RTO_MIN_US: i32 = 45;
const TCP_DELACK_MAX_US: i32 = 46;
const SO_EE_ORIGIN_NONE: i32 = 0;
const SO_EE_ORIGIN_LOCAL: i32 = 1;
const SO_EE_ORIGIN_ICMP: i32 = 2;
pub(crate) const SO_EE_ORIGIN_ZEROCOPY: i32 = 5;
pub(crate) const SO_EE_CODE_ZEROCOPY_COPIED: i32 = 1;
const NULL: i32 = 0;
const SHUT_READ: i32 = SHUT_RD;
pub(crate) const SO_EE_ORIGIN_TIMESTAMPING: i32 = 4;
pub(crate) const SCM_TSTAMP_SND: i32 = 0;
pub(crate) const SCM_TSTAMP_SCHED: i32 = 1;
pub(crate) const SCM_TSTAMP_ACK: i32 = 2;
const SIOCINQ: i32 = 0x541b;
const SIOCOUTQ: i32 = 0x5411;
pub(crate) const SIOCOUTQNSD: i32 = 0x894b;

const KNOWN: &[(&str, i64)] = table![i64:
    AF_INET, AF_INET6, PF_INET, PF_INET6, SOCK_STREAM, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC,
    IPPROTO_IP, IPPROTO_IPV6, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, INADDR_ANY,
    SOL_SOCKET, SOL_IP, SOL_IPV6, SOL_TCP, SOL_UDP,
    SO_ACCEPTCONN, SO_ATTACH_FILTER, SO_BINDTODEVICE, SO_BROADCAST, SO_BUSY_POLL, SO_DEBUG, SO_DONTROUTE, SO_ERROR,
    SO_INCOMING_CPU, SO_KEEPALIVE, SO_LINGER, SO_MARK, SO_MAX_PACING_RATE, SO_NO_CHECK, SO_OOBINLINE, SO_PRIORITY,
    SO_PROTOCOL, SO_RCVBUF, SO_RCVBUFFORCE, SO_RCVLOWAT, SO_RCVTIMEO, SO_REUSEADDR, SO_REUSEPORT, SO_SNDBUF,
    SO_SNDBUFFORCE, SO_SNDLOWAT, SO_SNDTIMEO, SO_TIMESTAMP, SO_TIMESTAMPING, SO_TXTIME, SO_TYPE, SO_ZEROCOPY,
    TCP_NODELAY, TCP_MAXSEG, TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_SYNCNT, TCP_LINGER2,
    TCP_DEFER_ACCEPT, TCP_WINDOW_CLAMP, TCP_INFO, TCP_QUICKACK, TCP_CONGESTION, TCP_MD5SIG, TCP_THIN_LINEAR_TIMEOUTS,
    TCP_THIN_DUPACK, TCP_USER_TIMEOUT, TCP_REPAIR, TCP_FASTOPEN, TCP_TIMESTAMP, TCP_NOTSENT_LOWAT, TCP_CC_INFO,
    TCP_SAVE_SYN, TCP_SAVED_SYN, TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_KEY, TCP_FASTOPEN_NO_COOKIE, TCP_ULP,
    TCP_INQ, TCP_CM_INQ, TCP_TX_DELAY, TCP_RTO_MAX_MS, TCP_RTO_MIN_US, TCP_DELACK_MAX_US,
    IP_TOS, IP_TTL, IP_MTU_DISCOVER, IP_PMTUDISC_WANT, IP_PMTUDISC_DONT, IP_PMTUDISC_DO, IP_PMTUDISC_PROBE,
    IP_RECVERR, IP_MTU, IP_TRANSPARENT, IP_FREEBIND, IP_BIND_ADDRESS_NO_PORT, IP_RECVTOS, IP_RECVTTL,
    IPV6_TCLASS, IPV6_RECVERR, IPV6_MTU, IPV6_V6ONLY, IPV6_UNICAST_HOPS,
    MSG_OOB, MSG_PEEK, MSG_DONTROUTE, MSG_CTRUNC, MSG_TRUNC, MSG_DONTWAIT, MSG_EOR, MSG_WAITALL, MSG_CONFIRM,
    MSG_ERRQUEUE, MSG_NOSIGNAL, MSG_MORE, MSG_FASTOPEN, MSG_ZEROCOPY,
    SO_EE_ORIGIN_NONE, SO_EE_ORIGIN_LOCAL, SO_EE_ORIGIN_ICMP, SO_EE_ORIGIN_ZEROCOPY, SO_EE_CODE_ZEROCOPY_COPIED,
    SO_EE_ORIGIN_TIMESTAMPING, SCM_TSTAMP_SND, SCM_TSTAMP_SCHED, SCM_TSTAMP_ACK, SCM_TIMESTAMPING,
    SOF_TIMESTAMPING_TX_HARDWARE, SOF_TIMESTAMPING_TX_SOFTWARE, SOF_TIMESTAMPING_RX_HARDWARE,
    SOF_TIMESTAMPING_RX_SOFTWARE, SOF_TIMESTAMPING_SOFTWARE, SOF_TIMESTAMPING_SYS_HARDWARE,
    SOF_TIMESTAMPING_RAW_HARDWARE, SOF_TIMESTAMPING_OPT_ID, SOF_TIMESTAMPING_TX_SCHED, SOF_TIMESTAMPING_TX_ACK,
    SOF_TIMESTAMPING_OPT_CMSG, SOF_TIMESTAMPING_OPT_TSONLY, SOF_TIMESTAMPING_OPT_STATS,
    SPLICE_F_MOVE, SPLICE_F_NONBLOCK, SPLICE_F_MORE, SPLICE_F_GIFT, NULL,
    F_GETFL, F_SETFL, F_GETFD, F_SETFD, O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK, FD_CLOEXEC,
    FIONREAD, FIONBIO, SIOCINQ, SIOCOUTQ, SIOCOUTQNSD,
    SHUT_RD, SHUT_READ, SHUT_WR, SHUT_RDWR, SOMAXCONN,
    POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL, POLLRDNORM, POLLRDBAND, POLLWRNORM, POLLWRBAND, POLLRDHUP,
    EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL, EPOLL_CLOEXEC, EPOLLIN, EPOLLPRI, EPOLLOUT, EPOLLERR, EPOLLHUP,
    EPOLLRDHUP, EPOLLRDNORM, EPOLLRDBAND, EPOLLWRNORM, EPOLLWRBAND, EPOLLMSG, EPOLLET, EPOLLONESHOT, EPOLLEXCLUSIVE,
    EPOLLWAKEUP,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_numbers_of_linux() {
        // include/uapi/linux/tcp.h, asm-generic/errno-base.h.
        assert_eq!(value("TCP_NODELAY"), Some(1));
        assert_eq!(value("EAGAIN"), Some(11));
        assert_eq!(value("NO_SUCH_NAME"), None);
    }

    #[test]
    fn numbers_have_names() {
        assert_eq!(errno_name(ECONNRESET), "ECONNRESET");
        assert_eq!(flag_names(MSG_ZEROCOPY | MSG_EOR), "MSG_EOR|MSG_ZEROCOPY");
        assert_eq!(option_name(i64::from(SOL_TCP), i64::from(TCP_CORK)), "TCP_CORK");
    }
}
