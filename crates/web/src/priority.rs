use bentpipe_run::Switch;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::page::INDEX;

/// The request's field (RFC 9218 section 5).
pub(crate) const FIELD: HeaderName = HeaderName::from_static("priority");

/// How urgent a response is and how it may be cut, the most urgent first in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Priority {
    /// 0 to 7, 0 the most urgent (RFC 9218 section 4.1).
    pub(crate) urgency: u8,
    pub(crate) delivery: Delivery,
}

/// Whether a part of the response is of use (RFC 9218 section 4.2).
///
/// Of equal urgency, those of which it is not go first: the RFC leaves it open, and each of them is complete no
/// later so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Delivery {
    /// One after the other, in the order of requests.
    Whole,
    /// Side by side.
    Incremental,
}

impl Priority {
    /// That of a request that names none (RFC 9218 section 4).
    const DEFAULT: Self = Self { urgency: 3, delivery: Delivery::Whole };

    /// What Firefox asks for, whose header fields the loader has.
    ///
    /// The document 0 and incremental, an image 5 and incremental, a style sheet, a script or a font of the head 2
    /// ("Firefox Network Prioritization and Scheduling", for version 132 and later). A page's spec names no types, hence by
    /// extension.
    fn of_path(path: &str) -> Self {
        let file = path.split(['?', '#']).next().unwrap_or(path);
        match file.rsplit_once('.').map(|(_, extension)| extension) {
            _ if path == INDEX => Self { urgency: 0, delivery: Delivery::Incremental },
            Some("css" | "js" | "woff" | "woff2") => Self { urgency: 2, delivery: Delivery::Whole },
            _ => Self { urgency: 5, delivery: Delivery::Incremental },
        }
    }

    /// What a request asks for: a dictionary (RFC 8941 section 3.2) whose members of another kind or out of range
    /// do not count (RFC 9218 section 4).
    pub(crate) fn of_request(headers: &HeaderMap) -> Self {
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
    fn field(self) -> HeaderValue {
        let incremental = match self.delivery {
            Delivery::Whole => "",
            Delivery::Incremental => ", i",
        };
        let value = format!("u={}{incremental}", self.urgency);
        HeaderValue::from_str(&value).expect("a digit and a letter")
    }
}

/// Gives a request for `path` its priority, where requests have one.
pub(crate) fn state(headers: &mut HeaderMap, path: &str, priorities: Switch) {
    if priorities == Switch::On {
        headers.insert(FIELD, Priority::of_path(path).field());
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

    #[test]
    fn requests_state_what_firefox_does() {
        for (path, expected) in [
            ("/", "u=0, i"),
            ("/object-1.jpg", "u=5, i"),
            ("/no-extension", "u=5, i"),
            ("/style.css?v=2", "u=2"),
            ("/app.js", "u=2"),
        ] {
            let mut headers = HeaderMap::new();
            state(&mut headers, path, Switch::On);
            assert_eq!(headers[FIELD], expected, "{path}");
            assert_eq!(Priority::of_request(&headers), Priority::of_path(path), "{path}");
            headers.clear();
            state(&mut headers, path, Switch::Off);
            assert!(headers.is_empty(), "{path}");
        }
    }
}
