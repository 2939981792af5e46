//! What can be seen of a connection (`tcp_get_info`).

use bentpipe_cc::Demand;
use bentpipe_units::{Bytes, Time};

use super::Connection;
use crate::info::{Agreement, Info, TimeSpent};
use crate::options::SackPermitted;
use crate::send::FIRST;
use crate::state::State;

impl Connection {
    /// A look at the state.
    pub fn info(&self) -> Info {
        let cc = self.send.cc();
        let mss = Bytes::new(self.send.mss());
        let latest_rate = self.send.latest_rate();
        Info {
            congestion_control: cc.map(bentpipe_cc::CongestionControl::name),
            cwnd: Bytes::new(self.send.cwnd() * mss.get()),
            ssthresh: cc.and_then(|cc| cc.state().ssthresh),
            in_flight: self.send.in_flight(),
            mss,
            srtt: self.send.rtt().srtt(),
            min_rtt: self.send.rtt().min(),
            rto: self.send.rtt().rto(),
            rtt_variance: self.send.rtt().variance(),
            unacknowledged_segments: self.send.scoreboard().len(),
            sacked_segments: self.send.scoreboard().sacked(),
            lost_segments: self.send.scoreboard().lost(),
            retransmitted_in_flight: self.send.scoreboard().retransmitted(),
            reordering: self.send.reordering(),
            reorderings: self.send.reorderings(),
            recovery: self.send.loss_recovery(),
            delivery_rate: latest_rate.map(|sample| sample.rate()),
            delivery_demand: latest_rate.map_or(Demand::AppLimited, |sample| sample.demand),
            delivered_segments: self.send.delivered_segments()
                + u64::from(self.is_open() && self.state != State::SynReceived),
            refused_beyond_window: self.beyond_window,
            retransmitted_segments: self.send.retransmitted_segments()
                + u64::from(self.handshake.retransmissions),
            send_window: self.send.peer_window(),
            receive_window: Bytes::new(self.receive.window().size()),
            receive_buffer: Bytes::new(self.receive.window().buffer()),
            receive_memory: Bytes::new(self.receive.memory()),
            send_buffer: self.send.buffer_limit(),
            agreement: self.agreement(),
            announced_mss: Bytes::new(u64::from(self.announced_mss)),
            peer_mss: Bytes::new(self.receive.peer_mss()),
            data_at: self.is_open().then(|| self.receive.data_at()),
            received: Bytes::new(self.receive.next().saturating_sub(FIRST)),
            backoff: self.send.backoff(),
            unanswered_probes: self.send.unanswered_probes() + self.keep_alive.unanswered,
        }
    }

    /// What the sender has spent its time on until now. A connection that was reset goes on counting.
    pub fn time_spent(&self, now: Time) -> TimeSpent {
        self.send.time_spent(now)
    }

    fn agreement(&self) -> Agreement {
        let shift = self.receive.window().offered_shift();
        Agreement {
            timestamps: self.peer.timestamp.is_some(),
            sack: self.peer.sack == Some(SackPermitted::Yes),
            shifts: self.peer.shift.map(|theirs| (theirs, shift)),
            ecn: self.ecn.is_agreed(),
            syn_data: self.handshake.syn_data_taken,
        }
    }
}
