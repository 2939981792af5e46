//! Names that a script has for values of the endpoint: its timestamps, and cookies of Fast Open.

use std::collections::BTreeMap;

use crate::expression::Definitions;
use crate::packet::{Packet, TcpOption};
use crate::parse::hexadecimal;
use crate::script::{OptionPattern, OptionsPattern, PacketPattern};

/// What stands for what on the wire, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The endpoint's timestamps on the wire by those of the script.
    timestamps: BTreeMap<u32, u32>,
    /// Cookies by their names.
    cookies: BTreeMap<String, Vec<u8>>,
}

impl Names {
    /// Names that the script's head or its user defines.
    pub fn of(defined: &Definitions) -> Self {
        let cookie = |value: &crate::Expression| hexadecimal(value.to_string().trim_start_matches("0x"));
        let cookies = defined.iter().filter_map(|(name, value)| Some((name.clone(), cookie(value)?)));
        Self { timestamps: BTreeMap::new(), cookies: cookies.collect() }
    }

    /// Learns from a segment of the endpoint what stands for what.
    pub fn learn(&mut self, pattern: &PacketPattern, packet: &Packet) {
        let OptionsPattern::Exactly(options) = &pattern.options else { return };
        for (expected, found) in options.iter().zip(&packet.options) {
            match (expected, found) {
                (
                    OptionPattern::Option(TcpOption::Timestamps { value, .. }),
                    TcpOption::Timestamps { value: found, .. },
                ) => {
                    self.timestamps.insert(*value, *found);
                }
                (
                    OptionPattern::Cookie { name, .. },
                    TcpOption::FastOpen(found) | TcpOption::FastOpenExperimental(found),
                ) => {
                    self.cookies.entry(name.clone()).or_insert_with(|| found.clone());
                }
                _ => {}
            }
        }
    }

    /// The endpoint's timestamp that the script has another number for. One that it has not named yet is as far from the
    /// last named before as it says; 0 is none (RFC 7323 section 3.2).
    pub fn timestamp(&self, written: u32) -> u32 {
        if let Some(known) = self.timestamps.get(&written) {
            return *known;
        }
        let nearest = self.timestamps.range(..written).next_back().or_else(|| self.timestamps.iter().next());
        match nearest {
            Some((name, value)) if written != 0 => value.wrapping_add(written.wrapping_sub(*name)),
            _ => written,
        }
    }

    /// The cookie of that name.
    pub fn cookie(&self, name: &str) -> Option<Vec<u8>> {
        self.cookies.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Flags;
    use crate::{Action, parse};

    fn pattern(line: &str) -> PacketPattern {
        match parse(line).unwrap().events.remove(0).action {
            Action::Expect(pattern) => pattern,
            other => panic!("{other:?}"),
        }
    }

    fn learned(line: &str, options: Vec<TcpOption>) -> Names {
        let mut names = Names::default();
        names.learn(&pattern(line), &Packet { flags: Flags::SYN, options, ..Packet::default() });
        names
    }

    #[test]
    fn a_timestamp_that_was_not_named_counts_from_one_that_was() {
        let names =
            learned("0 > S 0:0(0) <TS val 100 ecr 0>", vec![TcpOption::Timestamps { value: 5000, echo: 0 }]);
        assert_eq!([100, 107, 90, 0].map(|written| names.timestamp(written)), [5000, 5007, 4990, 0]);
        assert_eq!(Names::default().timestamp(7), 7);
    }

    #[test]
    fn a_cookie_is_what_the_endpoint_sent_first_or_what_is_defined() {
        let names = learned("0 > S 0:0(0) <FO COOKIE>", vec![TcpOption::FastOpen(vec![1, 2])]);
        assert_eq!(names.cookie("COOKIE"), Some(vec![1, 2]));
        let script = parse("--define=COOKIE=0102\n0 close(3) = 0").unwrap();
        let defined = crate::Settings::of(&script, &[]).unwrap().defined;
        assert_eq!(Names::of(&defined).cookie("COOKIE"), Some(vec![1, 2]));
    }
}
