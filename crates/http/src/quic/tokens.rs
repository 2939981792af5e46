//! Address tokens (RFC 9000 section 8.1.3).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bentpipe_run::{RunSpec, Visit, Workload};
use noq::{ServerConfig, TokenLog, TokenReuseError, ValidationTokenConfig};

use crate::tls::FrozenClock;

/// Has an origin whose clients come back give them address tokens (RFC 9000 section 8.1.3), by which their next
/// connection is not held to three times what it has sent before its address is known (section 8.1).
pub(super) fn give_out(config: &mut ServerConfig, spec: &RunSpec) {
    let Workload::PageLoad(load) = &spec.workload else { return };
    if load.visit != Some(Visit::Repeat) {
        return;
    }
    let mut tokens = ValidationTokenConfig::default();
    tokens.sent(1).log(Arc::new(Spent::default()));
    config.validation_token_config(tokens).time_source(Arc::new(FrozenClock));
}

/// The tokens that were used: each is good for once (RFC 9000 section 8.1.4).
#[derive(Debug, Default)]
struct Spent(Mutex<BTreeSet<u128>>);

impl TokenLog for Spent {
    fn check_and_insert(&self, nonce: u128, _: SystemTime, _: Duration) -> Result<(), TokenReuseError> {
        let is_new = self.0.lock().expect("no panic while looking up").insert(nonce);
        is_new.then_some(()).ok_or(TokenReuseError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_once() {
        let spent = Spent::default();
        let use_it = |nonce| spent.check_and_insert(nonce, SystemTime::UNIX_EPOCH, Duration::ZERO).is_ok();
        assert_eq!([use_it(1), use_it(2), use_it(1)], [true, true, false]);
    }
}
