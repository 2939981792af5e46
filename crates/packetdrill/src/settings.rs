//! The lines `--name=value` at a script's head, and those that its user adds.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroU16, NonZeroU32};

use bentpipe_units::Duration;

use crate::cookie;
use crate::expression::{Definitions, Expression};
use crate::script::{Script, Setting};
use crate::verdict::Skip;

/// What a script runs with.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far an event may be from its time.
    pub tolerance: Duration,
    /// The same as hundredths of the time since the event before.
    pub tolerance_percent: u32,
    /// Microseconds that the endpoint's timestamps count; none where their numbers are not looked at.
    pub timestamp_tick_us: Option<NonZeroU32>,
    /// Versions of IP of sockets and packets.
    pub ip_version: IpVersion,
    /// Largest packet of the interface.
    pub mtu: u32,
    /// What a segment of the peer holds that comes in a super-segment; none where each is one of its own.
    pub mss: Option<NonZeroU16>,
    /// Address of the endpoint.
    pub local: IpAddr,
    /// Address of its peer.
    pub remote: IpAddr,
    /// Port that it binds and listens at.
    pub bind_port: u16,
    /// Port that it connects to.
    pub connect_port: u16,
    /// Names that stand for something in calls and cookies.
    pub defined: Definitions,
    /// Shell scripts that run before the first event.
    pub before: Vec<String>,
}

/// Versions of IP that a script runs with (`ip_version`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// `ipv4`.
    #[default]
    V4,
    /// `ipv4-mapped-ipv6`: sockets of IPv6, packets of IPv4 (RFC 4291 section 2.5.5.2).
    V4Mapped,
    /// `ipv6`.
    V6,
}

/// As packetdrill has it without options.
const TOLERANCE: Duration = Duration::from_millis(4);
const MTU: u32 = 1500;
/// What every link carries at least (RFC 791 section 3.2, RFC 8200 section 5), and an IPv4 packet holds at most.
const LEAST_MTU: u32 = 68;
const LEAST_MTU_V6: u32 = 1280;
const LARGEST_MTU: u32 = 65_535;
const PORT: u16 = 8080;
const V4: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::new(192, 168, 0, 1)), IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1))];
/// As Linux runs its scripts.
const V6: [IpAddr; 2] = [
    IpAddr::V6(Ipv6Addr::new(0xfd3d, 0x0a0b, 0x17d6, 0, 0, 0, 0, 1)),
    IpAddr::V6(Ipv6Addr::new(0xfd3d, 0xfa7b, 0xd17d, 0, 0, 0, 0, 1)),
];

/// What says how packetdrill reports, waits or finds its device, and changes nothing here.
const WITHOUT_EFFECT: [&str; 19] = [
    "verbose",
    "v",
    "quiet",
    "dry_run",
    "non_fatal",
    "wire_client",
    "wire_server",
    "wire_client_dev",
    "wire_server_dev",
    "wire_server_ip",
    "wire_server_port",
    "gateway_ip",
    "netmask_ip",
    "speed",
    "persistent_tun_dev",
    "no_cleanup",
    "debug",
    "send_omit_free",
    // Python runs in this process.
    "code_command",
];

impl Settings {
    /// Reads the head of a script; what is `given` beside it counts before what is written there.
    ///
    /// # Errors
    /// For an option that is not understood.
    pub fn of(script: &Script, given: &[Setting]) -> Result<Self, Skip> {
        let all = || script.options.iter().chain(given);
        let ip_version = all()
            .filter(|setting| setting.name == "ip_version")
            .try_fold(IpVersion::default(), |_, setting| {
                IpVersion::named(&setting.value).ok_or_else(|| refused(setting))
            })?;
        let mut settings = Self::new(ip_version);
        all().try_for_each(|setting| settings.take(setting))?;
        let Self { local, remote, mtu, .. } = settings;
        let refuse = |names: &[&str]| all().rfind(|setting| names.contains(&&*setting.name)).map(refused);
        if local.is_ipv4() != remote.is_ipv4() {
            return Err(Skip { line: 1, what: "addresses of two versions of IP".to_owned() });
        }
        let is_out_of_bounds = local.is_ipv4() == (ip_version == IpVersion::V6) || local == remote;
        if let Some(skip) = refuse(&["local_ip", "remote_ip"]).filter(|_| is_out_of_bounds) {
            return Err(skip);
        }
        for (name, address) in [("local_ip", local), ("remote_ip", remote)] {
            if let Some(skip) = refuse(&[name]).filter(|_| !is_host(address)) {
                return Err(skip);
            }
        }
        let least = if ip_version == IpVersion::V6 { LEAST_MTU_V6 } else { LEAST_MTU };
        if let Some(skip) = refuse(&["mtu"]).filter(|_| !(least..=LARGEST_MTU).contains(&mtu)) {
            return Err(skip);
        }
        cookie::define(&mut settings.defined, remote, local);
        Ok(settings)
    }

    fn new(ip_version: IpVersion) -> Self {
        let [local, remote] = if ip_version == IpVersion::V6 { V6 } else { V4 };
        let (level, kind) = ip_version.error_message();
        // The names that scripts for each version have for what differs.
        let defined = [("CMSG_LEVEL_IP", level), ("CMSG_TYPE_RECVERR", kind)]
            .map(|(name, value)| (name.to_owned(), Expression::Symbol(value.to_owned())));
        Self {
            tolerance: TOLERANCE,
            tolerance_percent: 0,
            timestamp_tick_us: None,
            ip_version,
            mtu: MTU,
            mss: None,
            local,
            remote,
            bind_port: PORT,
            connect_port: PORT,
            defined: defined.into(),
            before: Vec::new(),
        }
    }

    fn take(&mut self, setting: &Setting) -> Result<(), Skip> {
        let value = setting.value.as_str();
        let need = || refused(setting);
        match setting.name.as_str() {
            "tolerance_usecs" => {
                self.tolerance =
                    value.parse::<u32>().map(|us| Duration::from_micros(us.into())).map_err(|_| need())?;
            }
            "tolerance_percent" => self.tolerance_percent = value.parse().map_err(|_| need())?,
            "tcp_ts_tick_usecs" => {
                self.timestamp_tick_us = NonZeroU32::new(value.parse().map_err(|_| need())?);
            }
            "mtu" => self.mtu = value.parse().map_err(|_| need())?,
            "mss" => self.mss = Some(value.parse().map_err(|_| need())?),
            "local_ip" => self.local = value.parse().map_err(|_| need())?,
            "remote_ip" => self.remote = value.parse().map_err(|_| need())?,
            "bind_port" => self.bind_port = value.parse().map_err(|_| need())?,
            "connect_port" => self.connect_port = value.parse().map_err(|_| need())?,
            "ip_version" => {}
            "init_scripts" => self.before.extend(value.split(',').map(str::to_owned)),
            "define" | "D" => {
                let (name, value) = value.split_once('=').ok_or_else(need)?;
                self.defined.insert(name.trim().to_owned(), definition(value.trim().trim_matches('"')));
            }
            name if WITHOUT_EFFECT.contains(&name) => {}
            _ => return Err(need()),
        }
        Ok(())
    }

    /// How far an event may be from a time so long after the one before.
    pub(crate) fn tolerance_of(&self, span: Duration) -> Duration {
        let part = span.as_nanos() / 100 * u64::from(self.tolerance_percent.min(100));
        self.tolerance.max(Duration::from_nanos(part))
    }

    /// How many ticks a timestamp of the endpoint may be off; none where it may be any.
    pub(crate) fn timestamp_tolerance(&self) -> Option<u64> {
        let tick = Duration::from_micros(self.timestamp_tick_us?.get().into());
        Some(self.tolerance.as_nanos() / tick.as_nanos())
    }
}

impl IpVersion {
    /// Level and type of the control messages of the error queue of a socket.
    pub(crate) const fn error_message(self) -> (&'static str, &'static str) {
        match self {
            Self::V4 => ("SOL_IP", "IP_RECVERR"),
            Self::V4Mapped | Self::V6 => ("SOL_IPV6", "IPV6_RECVERR"),
        }
    }

    /// The name that the option has for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::V4 => "ipv4",
            Self::V4Mapped => "ipv4-mapped-ipv6",
            Self::V6 => "ipv6",
        }
    }

    /// By the name that the option has for it.
    pub fn named(name: &str) -> Option<Self> {
        [Self::V4, Self::V4Mapped, Self::V6].into_iter().find(|version| version.name() == name)
    }
}

/// Whether it may be that of a host beyond a device (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5).
fn is_host(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    !(address.is_unspecified() || address.is_loopback() || address.is_multicast() || is_broadcast)
}

fn refused(setting: &Setting) -> Skip {
    let Setting { line, name, value } = setting;
    let what = if value.is_empty() {
        format!("the option --{name}")
    } else {
        format!("the option --{name}={value}")
    };
    Skip { line: *line, what }
}

/// A number, or a name; digits that begin with 0 are no number, but a cookie.
fn definition(text: &str) -> Expression {
    let is_number = text == "0" || !text.starts_with('0');
    match text.parse() {
        Ok(number) if is_number => Expression::Number(number),
        _ => Expression::Symbol(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn settings(head: &str, given: &[(&str, &str)]) -> Result<Settings, Skip> {
        let given: Vec<_> = given
            .iter()
            .map(|(name, value)| Setting { line: 1, name: (*name).to_owned(), value: (*value).to_owned() })
            .collect();
        Settings::of(&parse(&format!("{head}\n0 close(3) = 0")).unwrap(), &given)
    }

    #[test]
    fn what_the_user_gives_counts_before_what_the_script_has() {
        let found = settings("--mtu=1400\n--bind_port=80", &[("mtu", "1520")]).unwrap();
        assert_eq!((found.mtu, found.bind_port), (1520, 80));
    }

    #[test]
    fn the_version_of_ip_decides_the_addresses_that_are_not_written() {
        assert!(settings("--ip_version=ipv6", &[]).unwrap().local.is_ipv6());
        let mapped = settings("", &[("ip_version", "ipv4-mapped-ipv6")]).unwrap();
        assert!(mapped.local.is_ipv4());
        let mixed = settings("--local_ip=fd3d::1", &[]).unwrap_err();
        assert_eq!(mixed.what, "addresses of two versions of IP");
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        assert_eq!(settings("--mss=0", &[]).unwrap_err().what, "the option --mss=0");
        assert_eq!(settings("--udp_encaps=sctp", &[]).unwrap_err().what, "the option --udp_encaps=sctp");
        assert_eq!(settings("", &[("ip_version", "ipv5")]).unwrap_err().what, "the option --ip_version=ipv5");
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_by_name_and_line() {
        // RFC 791 section 3.2 and RFC 8200 section 5 for MTUs, RFC 1122 section 3.2.1.3 for addresses.
        for (head, expected) in [
            ("--bind_port=80\n--mtu=67", (2, "the option --mtu=67")),
            ("--mtu=65536", (1, "the option --mtu=65536")),
            ("--ip_version=ipv6\n--mtu=1279", (2, "the option --mtu=1279")),
            ("--local_ip=0.0.0.0", (1, "the option --local_ip=0.0.0.0")),
            ("--remote_ip=224.0.0.1", (1, "the option --remote_ip=224.0.0.1")),
            ("--remote_ip=127.0.0.1", (1, "the option --remote_ip=127.0.0.1")),
            ("--remote_ip=192.168.0.1", (1, "the option --remote_ip=192.168.0.1")),
            ("--local_ip=fd3d::1\n--remote_ip=fd3d::2", (2, "the option --remote_ip=fd3d::2")),
            ("--local_ip=1.2.3.400", (1, "the option --local_ip=1.2.3.400")),
        ] {
            let skip = settings(head, &[]).unwrap_err();
            assert_eq!((skip.line, skip.what.as_str()), expected);
        }
        assert_eq!(settings("--mtu=68", &[]).unwrap().mtu, 68);
        assert_eq!(settings("--mtu=65535\n--ip_version=ipv6", &[]).unwrap().mtu, 65_535);
    }

    #[test]
    fn a_tolerance_is_a_time_or_a_part_of_the_time_that_passed() {
        let found = settings("--tolerance_usecs=1000\n--tolerance_percent=10", &[]).unwrap();
        assert_eq!(found.tolerance_of(Duration::ZERO), Duration::from_millis(1));
        assert_eq!(found.tolerance_of(Duration::from_secs(1)), Duration::from_millis(100));
        assert_eq!(found.timestamp_tolerance(), None);
        let ticking = settings("--tolerance_usecs=4000\n--tcp_ts_tick_usecs=1000", &[]).unwrap();
        assert_eq!(ticking.timestamp_tolerance(), Some(4));
    }
}
