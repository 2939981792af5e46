//! What a client asks a proxy for, by the default URI template (RFC 9298 section 3).

use std::net::Ipv6Addr;

/// What the path of a request starts with by the default template (RFC 9298 section 2).
const PREFIX: &str = "/.well-known/masque/udp/";
/// The longest name of a host (RFC 1035 section 2.3.4).
const MOST_NAME_BYTES: usize = 253;

/// The host and port to which UDP packets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// A name or an address.
    pub host: String,
    /// Not zero.
    pub port: u16,
}

/// Why a path has no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is of another resource.
    #[error("the path is not {PREFIX}HOST/PORT/")]
    OtherPath,
    /// RFC 9298 section 3: what is no host.
    #[error("the path has no name or address for a host")]
    NoHost,
    /// RFC 9298 section 3: an integer between 1 and 65535.
    #[error("the path has no port between 1 and 65535")]
    NoPort,
}

impl Target {
    /// Reads the path of a request.
    ///
    /// # Errors
    /// When it is another path, or names no host or no port.
    pub fn of_path(path: &str) -> Result<Self, TargetError> {
        let rest = path.strip_prefix(PREFIX).ok_or(TargetError::OtherPath)?;
        let mut segments = rest.split('/');
        let (Some(host), Some(port), Some(""), None) =
            (segments.next(), segments.next(), segments.next(), segments.next())
        else {
            return Err(TargetError::OtherPath);
        };
        let host = decoded(host).filter(|host| is_host(host)).ok_or(TargetError::NoHost)?;
        // Digits alone: a sign would be read as a number, too.
        let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| is_number && *port != 0).ok_or(TargetError::NoPort)?;
        Ok(Self { host, port })
    }

    /// The path that asks for it. The colons of an IPv6 address are percent-encoded (RFC 9298 section 3).
    pub fn path(&self) -> String {
        format!("{PREFIX}{}/{}/", self.host.replace(':', "%3A"), self.port)
    }
}

/// A name, an IPv4 address or an IPv6 address without a zone (RFC 9298 section 3).
fn is_host(host: &str) -> bool {
    let is_name = !host.is_empty()
        && host.len() <= MOST_NAME_BYTES
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    is_name || host.parse::<Ipv6Addr>().is_ok()
}

/// Percent-decoded (RFC 3986 section 2.1); nothing where that is not possible, or not text.
fn decoded(segment: &str) -> Option<String> {
    let (mut bytes, mut decoded) = (segment.bytes(), Vec::with_capacity(segment.len()));
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                (high << 4 | low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn target(host: &str, port: u16) -> Target {
        Target { host: host.to_owned(), port }
    }

    #[test]
    fn the_paths_of_the_rfc_name_their_targets() {
        // RFC 9298 sections 2 and 3: 192.0.2.6, port 443, and 2001:db8::42, port 443.
        for (path, host) in [
            ("/.well-known/masque/udp/192.0.2.6/443/", "192.0.2.6"),
            ("/.well-known/masque/udp/2001%3Adb8%3A%3A42/443/", "2001:db8::42"),
            ("/.well-known/masque/udp/2001%3adb8%3a%3a42/443/", "2001:db8::42"),
            ("/.well-known/masque/udp/origin.bentpipe.test/443/", "origin.bentpipe.test"),
        ] {
            assert_eq!(Target::of_path(path), Ok(target(host, 443)), "{path}");
        }
        assert_eq!(target("2001:db8::42", 443).path(), "/.well-known/masque/udp/2001%3Adb8%3A%3A42/443/");
    }

    #[test]
    fn other_paths_hosts_and_ports_are_refused() {
        use TargetError::{NoHost, NoPort, OtherPath};
        for (path, error) in [
            ("/", OtherPath),
            ("/.well-known/masque/udp/", OtherPath),
            ("/.well-known/masque/udp/a/1", OtherPath),
            ("/.well-known/masque/udp/a/1//", OtherPath),
            ("/.well-known/masque/udp/a/1/?x", OtherPath),
            ("/.well-known/masque/ip/a/1/", OtherPath),
            ("/.well-known/masque/udp//1/", NoHost),
            ("/.well-known/masque/udp/a%/1/", NoHost),
            ("/.well-known/masque/udp/a%4/1/", NoHost),
            ("/.well-known/masque/udp/a%zz/1/", NoHost),
            ("/.well-known/masque/udp/%ff/1/", NoHost),
            ("/.well-known/masque/udp/a%2Fb/1/", NoHost),
            ("/.well-known/masque/udp/a%00/1/", NoHost),
            ("/.well-known/masque/udp/fe80%3A%3A1%25eth0/1/", NoHost),
            ("/.well-known/masque/udp/a/0/", NoPort),
            ("/.well-known/masque/udp/a/65536/", NoPort),
            ("/.well-known/masque/udp/a/+1/", NoPort),
            ("/.well-known/masque/udp/a//", NoPort),
            ("/.well-known/masque/udp/a/https/", NoPort),
        ] {
            assert_eq!(Target::of_path(path), Err(error), "{path}");
        }
    }

    proptest! {
        #[test]
        fn a_target_s_path_names_it(host in "[a-z0-9.-]{1,40}|[0-9a-f]{1,4}::[0-9a-f]{1,4}", port in 1_u16..) {
            let target = target(&host, port);
            prop_assert_eq!(Target::of_path(&target.path()), Ok(target));
        }

        #[test]
        fn any_path_has_a_target_that_is_a_host_or_none(rest in "[-a-z0-9%/:.]{0,60}") {
            if let Ok(found) = Target::of_path(&format!("{PREFIX}{rest}")) {
                prop_assert!(is_host(&found.host) && found.port > 0);
            }
        }
    }
}
