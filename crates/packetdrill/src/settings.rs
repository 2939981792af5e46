//! The lines `--name=value` at a script's head.

use std::net::Ipv4Addr;

use bentpipe_units::Duration;

use crate::expression::{Definitions, Expression};
use crate::script::{Script, Setting};
use crate::verdict::Need;

/// What a script runs with.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far an event may be from its time.
    pub tolerance: Duration,
    /// Largest packet of the interface.
    pub mtu: u32,
    /// Address of the endpoint.
    pub local: Ipv4Addr,
    /// Address of its peer.
    pub remote: Ipv4Addr,
    /// Port that it binds and listens at.
    pub bind_port: u16,
    /// Port that it connects to.
    pub connect_port: u16,
    /// Names that stand for something in calls.
    pub defined: Definitions,
}

/// As packetdrill has it without options.
const TOLERANCE: Duration = Duration::from_millis(4);
const MTU: u32 = 1500;
const LOCAL: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 1);
const REMOTE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const PORT: u16 = 8080;

/// What says how packetdrill reports, waits or finds its device, and changes nothing here.
const WITHOUT_EFFECT: [&str; 14] = [
    "verbose",
    "v",
    "quiet",
    "dry_run",
    "non_fatal",
    "wire_client",
    "wire_server",
    "gateway_ip",
    "netmask_ip",
    "speed",
    "persistent_tun_dev",
    "no_cleanup",
    "debug",
    "send_omit_free",
];

impl Settings {
    /// Reads the head of a script.
    ///
    /// # Errors
    /// For an option that is not understood.
    pub fn of(script: &Script) -> Result<Self, Need> {
        let mut settings = Self {
            tolerance: TOLERANCE,
            mtu: MTU,
            local: LOCAL,
            remote: REMOTE,
            bind_port: PORT,
            connect_port: PORT,
            defined: Definitions::new(),
        };
        script.options.iter().try_for_each(|setting| settings.take(setting))?;
        Ok(settings)
    }

    fn take(&mut self, setting: &Setting) -> Result<(), Need> {
        let value = setting.value.as_str();
        let need = || Need { line: setting.line, what: format!("the option --{}={value}", setting.name) };
        match setting.name.as_str() {
            "tolerance_usecs" => {
                self.tolerance =
                    value.parse::<u32>().map(|us| Duration::from_micros(us.into())).map_err(|_| need())?;
            }
            "mtu" => self.mtu = value.parse().map_err(|_| need())?,
            "local_ip" => self.local = value.parse().map_err(|_| need())?,
            "remote_ip" => self.remote = value.parse().map_err(|_| need())?,
            "bind_port" => self.bind_port = value.parse().map_err(|_| need())?,
            "connect_port" => self.connect_port = value.parse().map_err(|_| need())?,
            "ip_version" if value == "ipv4" => {}
            "define" => {
                let (name, value) = value.split_once('=').ok_or_else(need)?;
                let text = value.trim_matches('"');
                let value = match text.parse() {
                    Ok(number) => Expression::Number(number),
                    Err(_) => Expression::Symbol(text.to_owned()),
                };
                self.defined.insert(name.to_owned(), value);
            }
            name if WITHOUT_EFFECT.contains(&name) => {}
            _ => return Err(need()),
        }
        Ok(())
    }
}
