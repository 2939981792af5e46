//! Proportional rate reduction (RFC 9937; `tcp_cwnd_reduction`).

/// The state of one recovery, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prr {
    /// The window when the losses were found.
    prior_cwnd: u64,
    delivered: u64,
    out: u64,
    /// The window now.
    cwnd: u64,
}

/// What one acknowledgement brought, in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub delivered: u64,
    pub newly_lost: u64,
    pub in_flight: u64,
    /// The window to which the algorithm wants to come down.
    pub ssthresh: u64,
    /// Whether the cumulative acknowledgement moved.
    pub una_advanced: bool,
}

impl Prr {
    pub const fn new(prior_cwnd: u64) -> Self {
        Self { prior_cwnd, delivered: 0, out: 0, cwnd: prior_cwnd }
    }

    pub const fn cwnd(&self) -> u64 {
        self.cwnd
    }

    pub const fn on_sent(&mut self) {
        self.out += 1;
    }

    pub fn on_ack(&mut self, ack: Progress) {
        if ack.delivered == 0 {
            return;
        }
        self.delivered += ack.delivered;
        let may_send = if ack.in_flight > ack.ssthresh {
            // Section 3: sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out.
            (self.delivered * ack.ssthresh).div_ceil(self.prior_cwnd.max(1)).saturating_sub(self.out)
        } else {
            let mut bound = self.delivered.saturating_sub(self.out).max(ack.delivered);
            // One more where the recovery makes good progress (PRR-SSRB).
            if ack.una_advanced && ack.newly_lost == 0 {
                bound += 1;
            }
            bound.min(ack.ssthresh - ack.in_flight)
        };
        // The fast retransmission itself is always allowed.
        let at_least = u64::from(self.out == 0);
        self.cwnd = ack.in_flight + may_send.max(at_least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_segments_leave_for_ten_that_arrive() {
        // 100 out, one lost, target 70: RFC 6937 spreads the reduction over the round trip.
        let mut prr = Prr::new(100);
        let (mut in_flight, mut sent) = (99, 0);
        for delivered in 1..=30 {
            in_flight -= 1;
            prr.on_ack(Progress {
                delivered: 1,
                newly_lost: 0,
                in_flight,
                ssthresh: 70,
                una_advanced: false,
            });
            while in_flight < prr.cwnd() {
                prr.on_sent();
                in_flight += 1;
                sent += 1;
            }
            assert_eq!(sent, (delivered * 70_u64).div_ceil(100));
        }
    }
}
