//! The kernel's counters that scripts look at (`nstat(8)`, linux/snmp.h), as far as the endpoint has them.

use std::collections::BTreeMap;

use bentpipe_tcp::Info;

use crate::backend::Ended;
use crate::commands::Look;
use crate::outcome::Missing;

/// `LINUX_MIB_OUTOFWINDOWICMPS`.
pub(super) const OUT_OF_WINDOW_ICMPS: &str = "TcpExtOutOfWindowIcmps";
const BEYOND_WINDOW: &str = "TcpExtBeyondWindow";
const RETRANSMITTED: &str = "TcpRetransSegs";

/// What was counted since they began.
#[derive(Clone, Debug)]
pub(super) struct Counters(BTreeMap<&'static str, u64>);

/// What a connection had counted when it was asked last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted([u64; 2]);

impl Counters {
    pub fn new() -> Self {
        Self([OUT_OF_WINDOW_ICMPS, BEYOND_WINDOW, RETRANSMITTED].into_iter().map(|name| (name, 0)).collect())
    }

    /// Something was counted.
    pub fn count(&mut self, name: &'static str, times: u64) {
        *self.0.entry(name).or_default() += times;
    }

    /// What a connection has counted since it was asked last.
    pub fn ask(&mut self, info: &Info, counted: &mut Counted) {
        let now = [info.refused_beyond_window, info.retransmitted_segments];
        let before = std::mem::replace(&mut counted.0, now);
        for ((name, now), before) in [BEYOND_WINDOW, RETRANSMITTED].into_iter().zip(now).zip(before) {
            self.count(name, now - before);
        }
    }

    /// Somebody looks.
    ///
    /// # Errors
    /// For a counter that the endpoint does not have.
    pub fn look(&self, look: &Look) -> Result<Ended, Missing> {
        let Look::Moved { name, times } = look else { return Ok(Ended::Well) };
        let found = self.0.iter().find(|(known, _)| known.contains(name.as_str()));
        let (known, found) = found.ok_or_else(|| Missing(format!("the counter {name}")))?;
        let is_met = times.map_or(*found > 0, |times| *found == times);
        Ok(if is_met { Ended::Well } else { Ended::Badly(format!("{known} has moved by {found}")) })
    }
}
