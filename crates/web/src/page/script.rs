//! Scripts, which call for what they name.

use bentpipe_run::ObjectKind;

use super::filler::fill_code;
use super::reference::{quoted, reference};
use super::tree::Tree;

/// What documents define for scripts to call.
pub(super) const DEFINITION: &str = include_str!("bentpipe.js");

/// The name of what [`DEFINITION`] defines.
pub(crate) const CALL: &str = "bentpipe";

const NANOSECONDS_PER_MILLISECOND: u64 = 1_000_000;

/// A script of an object's length that loads what it names.
pub(super) fn script(tree: &Tree<'_>, at: usize, length: usize) -> Vec<u8> {
    let mut code: String = tree.named_by(at).iter().map(|named| call(tree, *named)).collect();
    fill_code(&mut code, length);
    code.into_bytes()
}

/// Loads an object after its wait. In scripts URLs are relative to the document.
pub(super) fn call(tree: &Tree<'_>, at: usize) -> String {
    let object = tree.object(at);
    let kind = match object.kind {
        ObjectKind::Image => "image",
        ObjectKind::Script => "script",
        ObjectKind::Style => "style",
        ObjectKind::Font => "font",
        ObjectKind::Other => "other",
    };
    let wait = milliseconds(object.wait_ns.map_or(0, bentpipe_units::Duration::as_nanos));
    format!("{CALL}(\"{kind}\",{},{wait});\n", quoted(&reference(tree, at, 0)))
}

/// As `setTimeout` counts (HTML standard section 8.6), of which browsers heed the whole ones.
fn milliseconds(ns: u64) -> String {
    let (whole, rest) = (ns / NANOSECONDS_PER_MILLISECOND, ns % NANOSECONDS_PER_MILLISECOND);
    let decimal = format!("{whole}.{rest:06}");
    decimal.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_written_to_the_nanosecond() {
        for (ns, expected) in [(0, "0"), (50_000_000, "50"), (1_500_000, "1.5"), (1, "0.000001")] {
            assert_eq!(milliseconds(ns), expected);
        }
    }
}
