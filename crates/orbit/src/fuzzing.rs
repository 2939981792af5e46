//! What a fuzzer calls with bytes that may be anything: `crates/fuzz`. Panics when a promise is broken.

use crate::instant::Instant;
use crate::tle::{self, TleError};

/// From 1970 to the end of what an instant can be.
const INSTANTS: [i64; 3] = [0, 1_700_000_000_000_000_000, i64::MAX];

/// The reader of element sets names a line of the text (or the one after its end), or gives satellites that are
/// somewhere or nowhere.
pub fn tle(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    match tle::read(&text) {
        Ok(satellites) => {
            assert!(!satellites.is_empty());
            for satellite in satellites.iter().take(4) {
                for place in INSTANTS.into_iter().filter_map(|at| satellite.position(Instant::new(at))) {
                    assert!(place.length().is_finite());
                }
            }
        }
        Err(TleError { line, .. }) => assert!((1..=text.lines().count() + 1).contains(&line)),
    }
}
