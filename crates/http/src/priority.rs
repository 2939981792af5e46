//! Extensible priorities of HTTP (RFC 9218).

use http::{HeaderMap, HeaderName, HeaderValue};

/// The request's field (RFC 9218 section 5).
pub const FIELD: HeaderName = HeaderName::from_static("priority");

/// How urgent a response is and how it may be cut, the most urgent first in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority {
    /// 0 to 7, 0 the most urgent (RFC 9218 section 4.1).
    pub urgency: u8,
    /// Whether a part of it is of use.
    pub delivery: Delivery,
}

/// Whether a part of the response is of use (RFC 9218 section 4.2).
///
/// Of equal urgency, those of which it is not go first: the RFC leaves it open, and each of them is complete no
/// later so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delivery {
    /// One after the other, in the order of requests.
    Whole,
    /// Side by side.
    Incremental,
}

impl Priority {
    /// That of a request that names none (RFC 9218 section 4).
    const DEFAULT: Self = Self { urgency: 3, delivery: Delivery::Whole };

    /// What a request asks for: a dictionary (RFC 8941 section 3.2) whose members of another kind or out of range
    /// do not count (RFC 9218 section 4).
    pub fn of_request(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(FIELD).into_iter().filter_map(|value| value.to_str().ok());
        let members = lines.flat_map(|line| line.split(',')).map(str::trim);
        members.fold(Self::DEFAULT, |priority, member| {
            let member = member.split(';').next().unwrap_or(member).trim_end();
            match member.as_bytes() {
                [b'u', b'=', digit @ b'0'..=b'7'] => Self { urgency: digit - b'0', ..priority },
                b"i" | b"i=?1" => Self { delivery: Delivery::Incremental, ..priority },
                b"i=?0" => Self { delivery: Delivery::Whole, ..priority },
                _ => priority,
            }
        })
    }

    /// The field's value.
    pub fn field(self) -> HeaderValue {
        let incremental = match self.delivery {
            Delivery::Whole => "",
            Delivery::Incremental => ", i",
        };
        let value = format!("u={}{incremental}", self.urgency);
        HeaderValue::from_str(&value).expect("a digit and a letter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(lines: &[&'static str]) -> (u8, Delivery) {
        let lines = lines.iter().map(|line| (FIELD, HeaderValue::from_static(line)));
        let priority = Priority::of_request(&lines.collect());
        (priority.urgency, priority.delivery)
    }

    #[test]
    fn a_request_without_a_priority_has_urgency_three_and_is_sent_whole() {
        // RFC 9218 section 4.1: "the default urgency is 3"; section 4.2: "the default value ... is false (0)".
        assert_eq!(parsed(&[]), (3, Delivery::Whole));
    }

    #[test]
    fn both_parameters_are_read_in_any_spelling_that_structured_fields_allow() {
        // RFC 8941 section 3.2: a member without a value is true, spaces may stand between members, parameters are no part
        // of the value, the last of equal keys counts; section 4.2: lines are joined.
        for (lines, expected) in [
            (&["u=5, i"][..], (5, Delivery::Incremental)),
            (&["i,u=0"], (0, Delivery::Incremental)),
            (&["u=2;x=1, i=?1;y"], (2, Delivery::Incremental)),
            (&["u=1,i=?0"], (1, Delivery::Whole)),
            (&["u=1,u=7"], (7, Delivery::Whole)),
            (&["u=4", "i"], (4, Delivery::Incremental)),
        ] {
            assert_eq!(parsed(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn what_is_out_of_range_or_of_another_type_does_not_count() {
        // RFC 9218 section 4: such parameters MUST be ignored.
        for line in
            ["u=8", "u=-1", "u=+1", "u=10", "u=1.5", "u=high", "i=1", "i=?2", "v=1", "", ",,", "u", "U=1"]
        {
            assert_eq!(parsed(&[line]), (3, Delivery::Whole), "{line}");
        }
    }
}
