//! ProbeRTT, in which the minimum RTT is measured again.

use bentpipe_units::{Bytes, Duration, Time};

use crate::rate::RateSample;
use crate::round::{Boundary, Rounds};
use crate::{AckSample, Demand};

/// How long inflight stays at the floor, besides one round.
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);

/// One stay in ProbeRTT. Its own lack of packets must not pass for a lack of bandwidth, so packets sent in it count as
/// application-limited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeRtt {
    stage: Stage,
    /// Packets that left at these levels of delivery are of ProbeRTT.
    limited_from: Bytes,
    limited_until: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Draining,
    Holding { until: Time, round: Boundary },
}

impl ProbeRtt {
    pub const fn new(delivered: Bytes) -> Self {
        Self { stage: Stage::Draining, limited_from: delivered, limited_until: delivered }
    }

    /// Takes in an acknowledgement during ProbeRTT; returns whether a round has passed at the floor.
    pub fn on_ack(
        &mut self,
        ack: &AckSample,
        boundary: Boundary,
        floor: Bytes,
        rounds: &mut Rounds,
    ) -> Boundary {
        self.limited_until = ack.delivered + ack.in_flight;
        match &mut self.stage {
            Stage::Draining if ack.in_flight <= floor => {
                self.stage = Stage::Holding { until: ack.now + PROBE_RTT_DURATION, round: Boundary::Inside };
                rounds.restart(ack.delivered);
                Boundary::Inside
            }
            Stage::Draining => Boundary::Inside,
            Stage::Holding { round, .. } => {
                if boundary == Boundary::Start {
                    *round = Boundary::Start;
                }
                *round
            }
        }
    }

    /// Whether the time at the floor is up.
    pub fn is_long_enough(&self, now: Time) -> bool {
        matches!(self.stage, Stage::Holding { until, .. } if now > until)
    }

    /// The sample, as application-limited when its packet left during ProbeRTT.
    pub fn mark(&self, rate: RateSample) -> RateSample {
        if (self.limited_from..=self.limited_until).contains(&rate.prior_delivered) {
            return RateSample { demand: Demand::AppLimited, ..rate };
        }
        rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, at_ms, packets};

    #[test]
    fn inflight_stays_at_the_floor_for_200_ms() {
        // bbr_probe_rtt_mode_ms: 200; draft-ietf-ccwg-bbr, ProbeRTTDuration.
        let mut probe = ProbeRtt::new(packets(100));
        probe.on_ack(&ack(at_ms(1_000), packets(1)), Boundary::Inside, packets(4), &mut Rounds::default());
        assert!(!probe.is_long_enough(at_ms(1_200)));
        assert!(probe.is_long_enough(at_ms(1_200) + Duration::from_nanos(1)));
    }
}
