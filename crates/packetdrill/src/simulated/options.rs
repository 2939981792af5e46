//! Options of sockets: what it does to a connection when one is set, and what is read of it (`sk_getsockopt`,
//! `do_tcp_getsockopt`).

use bentpipe_units::{Bytes, Duration};

use super::error_queue::TX_RECORDED;
use super::socket::Kind;
use super::socket_options::{MICROS, Setting};
use super::sockets::{Attempt, done, error};
use super::tcp_options::seconds_of;
use super::{Simulated, socket_options, tcp_options};
use crate::call::{OptionValue, SocketOption};
use crate::outcome::{Missing, Outcome, Output};
use crate::symbols::option_name;

const NANOS_PER_SECOND: u64 = 1_000_000_000;
/// Linux 6.1: bytes are counted from the next that is written.
const SOF_TIMESTAMPING_OPT_ID_TCP: u32 = 1 << 16;
/// What `SO_TIMESTAMPING` may ask for here: without hardware, its times are none.
const TIMESTAMPING: u32 = TX_RECORDED
    | libc::SOF_TIMESTAMPING_RX_HARDWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_RAW_HARDWARE
    | libc::SOF_TIMESTAMPING_OPT_ID
    | libc::SOF_TIMESTAMPING_OPT_CMSG
    | libc::SOF_TIMESTAMPING_OPT_TSONLY
    | SOF_TIMESTAMPING_OPT_ID_TCP;
/// `TCP_MSS_DEFAULT`, of a socket without a connection.
const DEFAULT_SEGMENT_SIZE: i64 = 536;

impl Simulated<'_> {
    /// Sets an option.
    pub(super) fn set_option(&mut self, option: SocketOption, value: &OptionValue) -> Attempt {
        let Some(found) = self.sockets.get_mut(&option.socket) else { return error(libc::EBADF) };
        let (level, name) = (option.level as i32, option.name as i32);
        let setting = match level {
            libc::SOL_IP | libc::SOL_IPV6 => return self.set_ip_option(option, value),
            libc::SOL_SOCKET if name == libc::SO_TIMESTAMPING => return self.set_timestamping(option, value),
            libc::SOL_SOCKET => socket_options::set(&mut found.options, name, value),
            libc::SOL_TCP => {
                let connection = match found.kind {
                    Kind::Connection(id) => self.connections.get_mut(&id),
                    _ => None,
                };
                let connection = connection.map(|connected| &mut connected.connection);
                tcp_options::set(&mut found.options, name, value, connection)?
            }
            _ => Setting::Unknown,
        };
        match setting {
            Setting::Set(kept) => {
                found.options.kept.extend(kept.map(|kept| ((option.level, option.name), kept)));
                self.after_option(option)
            }
            Setting::Refused => error(libc::EINVAL),
            Setting::Unknown => Err(Missing(option_name(option.level, option.name))),
        }
    }

    /// `sock_set_timestamping`.
    fn set_timestamping(&mut self, option: SocketOption, value: &OptionValue) -> Attempt {
        let OptionValue::Integer(flags) = value else {
            return Err(Missing(option_name(option.level, option.name)));
        };
        let flags = *flags as u32;
        if flags & !TIMESTAMPING != 0 {
            return Err(Missing(format!("SO_TIMESTAMPING with {flags:#x}")));
        }
        let before = self.sockets.get(&option.socket).map_or(0, |found| found.options.timestamping);
        if flags & !before & libc::SOF_TIMESTAMPING_OPT_ID != 0 {
            let Ok(connected) = self.connected(option.socket) else { return error(libc::EINVAL) };
            if flags & SOF_TIMESTAMPING_OPT_ID_TCP != 0 {
                connected.errors.count_from_next();
            } else {
                let unacknowledged = connected.connection.unacknowledged();
                connected.errors.count_from(unacknowledged);
            }
        }
        if let Some(found) = self.sockets.get_mut(&option.socket) {
            found.options.timestamping = flags;
            found.options.kept.insert((option.level, option.name), i64::from(flags));
        }
        done(Outcome::of(0))
    }

    /// A connection has what its socket was given, as have those to come of a listening one.
    fn after_option(&mut self, option: SocketOption) -> Attempt {
        let Some(found) = self.sockets.get(&option.socket) else { return error(libc::EBADF) };
        match found.kind {
            Kind::Connection(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    self.host.apply_options(&found.options, &mut connected.connection, self.now);
                }
            }
            Kind::Listening { .. } => {
                let config = self.host.listening(&found.options)?;
                let port = self.settings.bind_port;
                self.endpoint.close_listener(port);
                self.endpoint.listen(port, config).expect("the port is free again");
            }
            _ => {}
        }
        done(Outcome::of(0))
    }

    /// Reads an option.
    pub(super) fn get_option(&mut self, option: SocketOption) -> Attempt {
        let Some(found) = self.sockets.get(&option.socket) else { return error(libc::EBADF) };
        let options = &found.options;
        let kept = options.kept.get(&(option.level, option.name)).copied();
        let integer = |number: i64| done(Outcome { output: Output::Integer(number), ..Outcome::of(0) });
        let bytes = |bytes: Option<Bytes>, otherwise: Bytes| integer(bytes.unwrap_or(otherwise).get() as i64);
        let missing = || Err(Missing(option_name(option.level, option.name)));
        match (option.level as i32, option.name as i32) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                let connected = self.connected(option.socket).ok();
                let error = connected.and_then(|it| it.error.take().or_else(|| it.soft_error.take()));
                integer(error.map_or(0, i64::from))
            }
            (libc::SOL_SOCKET, libc::SO_SNDBUF) if options.send_buffer.is_some() => {
                bytes(options.send_buffer, Bytes::ZERO)
            }
            (libc::SOL_SOCKET, libc::SO_RCVBUF) if options.receive_buffer.is_some() => {
                bytes(options.receive_buffer, Bytes::ZERO)
            }
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO) => time(options.read_limit),
            (libc::SOL_SOCKET, libc::SO_SNDTIMEO) => time(options.write_limit),
            (libc::SOL_TCP, libc::TCP_MAXSEG) => {
                let chosen = options.segment_size.map_or(DEFAULT_SEGMENT_SIZE, i64::from);
                match self.connected(option.socket) {
                    Ok(connected) => integer(connected.connection.info().mss.get() as i64),
                    Err(_) => integer(chosen),
                }
            }
            (libc::SOL_TCP, libc::TCP_KEEPIDLE) => {
                integer(whole_seconds(options.probing.idle.unwrap_or(self.host.keep_alive.idle)))
            }
            (libc::SOL_TCP, libc::TCP_KEEPINTVL) => {
                integer(whole_seconds(options.probing.interval.unwrap_or(self.host.keep_alive.interval)))
            }
            (libc::SOL_TCP, libc::TCP_KEEPCNT) => {
                integer(i64::from(options.probing.probes.unwrap_or(self.host.keep_alive.probes)))
            }
            (libc::SOL_TCP, libc::TCP_SYNCNT) => {
                integer(i64::from(options.syn_retries.unwrap_or(self.host.config.retries.syn)))
            }
            (libc::SOL_TCP, libc::TCP_DEFER_ACCEPT) => integer(seconds_of(options.deferred_waits)),
            (libc::SOL_TCP, libc::TCP_CONGESTION) => {
                let chosen = options.congestion_control.unwrap_or(self.host.config.congestion_control);
                let name = chosen.kernel_name().unwrap_or_default().to_owned();
                done(Outcome { output: Output::Text(name), ..Outcome::of(0) })
            }
            (libc::SOL_TCP, libc::TCP_CORK | libc::TCP_NODELAY | libc::TCP_USER_TIMEOUT) => {
                integer(kept.unwrap_or(0))
            }
            (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT) => bytes(options.max_unsent, Bytes::ZERO),
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => integer(i64::from(options.probing.is_on)),
            _ => kept.map_or_else(missing, integer),
        }
    }
}

fn time(limit: Option<Duration>) -> Attempt {
    let micros = (limit.map_or(0, Duration::as_nanos) / 1_000) as i64;
    done(Outcome { output: Output::Time(micros / MICROS, micros % MICROS), ..Outcome::of(0) })
}

const fn whole_seconds(time: Duration) -> i64 {
    (time.as_nanos() / NANOS_PER_SECOND) as i64
}
