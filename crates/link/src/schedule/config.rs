//! How a direction changes over time, as a spec asks for it. Model page: docs/models/schedule.md.

use bentpipe_units::{Bytes, Duration, Rate};

use crate::schedule::epochs::EpochSpec;
use crate::{SpecError, error::require};

/// How the capacity and the propagation of a direction change from the mark (the start of the workload) on. Before it
/// they stand still as they are at time zero, and open.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum ScheduleSpec {
    /// Rows, each of which holds until the next.
    Table {
        /// At least one, the first at zero, each later than the one before.
        rows: Vec<RowSpec>,
        /// When it starts again; without it the last row holds for ever.
        period_ns: Option<Duration>,
        /// What of it has passed when the workload starts.
        offset_ns: Duration,
    },
    /// Chances to send, counted per millisecond, as Mahimahi and LeoReplayer record them. It starts again after its
    /// last millisecond.
    Opportunities {
        /// How many packets of 1504 bytes may leave until the end of each millisecond, at an even rate within it.
        per_ms: Vec<u32>,
        /// One-way delay in each 10 ms, the last value until the end; none where the direction's own holds.
        delays_ns: Vec<Duration>,
        /// What of it has passed when the workload starts.
        offset_ns: Duration,
    },
    /// Epochs of a constellation, in each of which another satellite may serve.
    Epochs(Box<EpochSpec>),
}

/// What holds from an instant on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RowSpec {
    /// From when on, since the start of the schedule.
    pub at_ns: Duration,
    /// Bits of IP packets per second; the rate of the direction's capacity if none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rate_bps: Option<Rate>,
    /// One-way propagation delay; that of the direction if none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub delay_ns: Option<Duration>,
    /// Probability that a packet is lost, beside the losses of the direction.
    pub loss: f64,
    /// Whether anything leaves and arrives.
    pub state: StateSpec,
}

/// Whether anything leaves and arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum StateSpec {
    /// As ever.
    Open,
    /// Nothing is sent, and the queue is kept.
    Silence,
    /// Packets are sent, and all of them are lost.
    Outage,
}

/// Size of a packet for which an opportunity is (Mahimahi's PACKET_SIZE).
pub const OPPORTUNITY_BYTES: u64 = 1504;
/// Time of one count of opportunities.
pub(crate) const OPPORTUNITY_STEP: Duration = Duration::from_millis(1);
/// Time of one delay beside opportunities (LeoReplayer).
pub(crate) const DELAY_STEP: Duration = Duration::from_millis(10);

impl ScheduleSpec {
    /// Whether it changes the rate, which a constant capacity alone can follow.
    pub(crate) fn sets_rate(&self) -> bool {
        match self {
            Self::Table { rows, .. } => {
                rows.iter().any(|row| row.rate_bps.is_some() || row.state == StateSpec::Silence)
            }
            Self::Opportunities { .. } => true,
            Self::Epochs(epochs) => epochs.sets_rate(),
        }
    }

    /// The shortest and the longest delay of a direction with this delay of its own.
    pub(crate) fn delays(&self, own: Duration) -> (Duration, Duration) {
        let found = match self {
            Self::Table { rows, .. } => bounds(rows.iter().map(|row| row.delay_ns.unwrap_or(own))),
            Self::Opportunities { delays_ns, .. } => bounds(delays_ns.iter().copied()),
            Self::Epochs(epochs) => bounds(epochs.delays(own).into_iter()),
        };
        found.unwrap_or((own, own))
    }

    /// How long it lasts until it starts again; none where it never does.
    pub(crate) fn turn(&self) -> Option<Duration> {
        match self {
            Self::Table { period_ns, .. } => *period_ns,
            Self::Opportunities { per_ms, .. } => Some(OPPORTUNITY_STEP * per_ms.len() as u64),
            Self::Epochs(_) => None,
        }
    }

    /// The mean rate of one that lasts so long, from its first instant to its last or to where it starts again; none
    /// where the rate is the direction's own at some time.
    pub fn mean_rate(&self, duration: Duration) -> Option<Rate> {
        match self {
            Self::Table { rows, .. } => mean_rate_of_rows(rows, duration),
            Self::Opportunities { per_ms, .. } => {
                let count: u64 = per_ms.iter().map(|count| u64::from(*count)).sum();
                Some(Rate::of(Bytes::new(count * OPPORTUNITY_BYTES), duration))
            }
            Self::Epochs(_) => None,
        }
    }

    /// Whether a path can follow it.
    ///
    /// # Errors
    /// When rows are missing or not in order, or a value cannot be.
    pub(crate) fn check(&self) -> Result<(), SpecError> {
        match self {
            Self::Table { rows, period_ns, .. } => check_table(rows, *period_ns),
            Self::Opportunities { per_ms, .. } => {
                require(per_ms.iter().any(|count| *count > 0), "per_ms", "an opportunity to send", "none")
            }
            Self::Epochs(epochs) => epochs.check(),
        }
    }
}

fn mean_rate_of_rows(rows: &[RowSpec], duration: Duration) -> Option<Rate> {
    let rate = |row: &RowSpec| match row.state {
        StateSpec::Silence => Some(Rate::ZERO),
        StateSpec::Open | StateSpec::Outage => row.rate_bps,
    };
    if duration == Duration::ZERO {
        return rows.first().and_then(rate);
    }
    let ends = rows.iter().skip(1).map(|next| next.at_ns).chain([duration]);
    let volumes = rows.iter().zip(ends).map(|(row, end)| {
        rate(row).map(|rate| u128::from(rate.as_bps()) * u128::from(end.saturating_sub(row.at_ns).as_nanos()))
    });
    let volume: u128 = volumes.sum::<Option<u128>>()?;
    u64::try_from(volume / u128::from(duration.as_nanos())).ok().map(Rate::from_bps)
}

/// The shortest and the longest; none of none.
fn bounds(delays: impl Iterator<Item = Duration>) -> Option<(Duration, Duration)> {
    delays.fold(None, |bounds, delay| match bounds {
        None => Some((delay, delay)),
        Some((shortest, longest)) => Some((delay.min(shortest), delay.max(longest))),
    })
}

fn check_table(rows: &[RowSpec], period: Option<Duration>) -> Result<(), SpecError> {
    let first = rows.first().ok_or_else(|| SpecError::new("rows", "one row at least", "none"))?;
    require(first.at_ns == Duration::ZERO, "rows[0].at_ns", "0", first.at_ns.as_nanos())?;
    for (index, row) in rows.iter().enumerate() {
        let field = format!("rows[{index}].loss");
        require((0.0..=1.0).contains(&row.loss), &field, "a probability from 0 to 1", row.loss)?;
    }
    for (index, pair) in rows.windows(2).enumerate() {
        let field = format!("rows[{}].at_ns", index + 1);
        let expected = format!("more than {} ns, the row before", pair[0].at_ns.as_nanos());
        require(pair[0].at_ns < pair[1].at_ns, &field, &expected, pair[1].at_ns.as_nanos())?;
    }
    let last = rows[rows.len() - 1].at_ns;
    let expected = format!("more than {} ns, the last row", last.as_nanos());
    period.map_or(Ok(()), |period| require(period > last, "period_ns", &expected, period.as_nanos()))
}
