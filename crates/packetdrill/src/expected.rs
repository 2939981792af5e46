//! What a script expects of a call.

use crate::expression::Definitions;
use crate::outcome::{ControlMessage, Outcome, Output};
use crate::script::CallLine;
use crate::symbols::errno_name;

/// What is expected of what a call writes to its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedOutput {
    /// Anything.
    Any,
    /// Just this.
    Exactly(Output),
    /// Of a message: its flags and the control messages beside it, as far as they are written.
    Message(Option<i64>, Option<Vec<ControlMessage>>),
}

impl ExpectedOutput {
    fn fits(&self, found: &Output) -> bool {
        match (self, found) {
            (Self::Any, _) => true,
            // Scripts write the same 32 bits with a sign or without one.
            (Self::Exactly(Output::Integer(expected)), Output::Integer(found)) => {
                expected == found
                    || (i64::from(i32::MIN)..0).contains(found) && *expected == found + (1 << 32)
            }
            (Self::Exactly(expected), found) => expected == found,
            (Self::Message(flags, control), Output::Message(found_flags, found)) => {
                let all_fit = |expected: &Vec<ControlMessage>| {
                    expected.len() == found.len()
                        && expected.iter().zip(found).all(|(one, other)| one.fits(other))
                };
                flags.is_none_or(|flags| flags == *found_flags) && control.as_ref().is_none_or(all_fit)
            }
            (Self::Message(..), _) => false,
        }
    }
}

impl std::fmt::Display for ExpectedOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Exactly(output) => output.fmt(f),
            Self::Message(flags, control) => {
                if let Some(flags) = flags {
                    write!(f, "msg_flags={flags:#x} ")?;
                }
                control.iter().flatten().try_for_each(|message| message.fmt(f))
            }
        }
    }
}

/// What differs between what a call returned and what is expected; nothing when all is well.
pub(crate) fn difference(
    line: &CallLine,
    defined: &Definitions,
    expected: &ExpectedOutput,
    outcome: &Outcome,
) -> Option<(String, String)> {
    let found = match outcome.errno {
        Some(errno) => format!("{} returns -1 {}", line.name, errno_name(errno)),
        None => format!("{} returns {}", line.name, outcome.result),
    };
    let Some(result) = &line.result else { return None };
    let gives_descriptor = matches!(line.name.as_str(), "socket" | "accept" | "accept4" | "open")
        || line.name.starts_with("epoll_create");
    let number = result.number(defined);
    let as_written = match (number, &line.errno) {
        (Some(-1), Some(name)) => outcome.errno.is_some() && outcome.errno == crate::symbols::errno(name),
        (Some(number), _) if number >= 0 && gives_descriptor => outcome.result >= 0,
        (number, _) => number == Some(outcome.result),
    };
    if !as_written {
        let errno = line.errno.as_ref().map_or(String::new(), |name| format!(" {name}"));
        return Some((format!("{} returns {result}{errno}", line.name), found));
    }
    if outcome.errno.is_none() && !expected.fits(&outcome.output) {
        return Some((format!("{} writes {expected}", line.name), outcome.output.to_string()));
    }
    None
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("nothing"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Linger(on, seconds) => write!(f, "{{onoff={on}, linger={seconds}}}"),
            Self::Time(seconds, micros) => write!(f, "{{tv_sec={seconds}, tv_usec={micros}}}"),
            Self::Address(address) => address.fmt(f),
            Self::Descriptors([one, other]) => write!(f, "[{one}, {other}]"),
            Self::Message(flags, control) => {
                write!(f, "msg_flags={flags:#x} ")?;
                control.iter().try_for_each(|message| message.fmt(f))
            }
            Self::Events(events) => {
                let each: Vec<_> = events.iter().map(|events| format!("{events:#x}")).collect();
                write!(f, "events {}", each.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_32_bits_may_be_written_with_a_sign_or_without() {
        let fits = |expected, found| {
            ExpectedOutput::Exactly(Output::Integer(expected)).fits(&Output::Integer(found))
        };
        assert!(fits(0xffff_ffff, -1) && fits(-1, -1) && fits(0x8000_0000, -0x8000_0000));
        assert!(!fits(0xffff_fffe, -1) && !fits(1 << 32, 0) && !fits(-1, 0xffff_ffff));
    }
}
