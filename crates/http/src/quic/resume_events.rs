//! The phases of Careful Resume as events of qlog (draft-ietf-tsvwg-careful-resume-qlog-02 section 4.1).

use bentpipe_cc::careful_resume::{Phase, Transition};
use serde_json::{Map, Value, json};

use super::event_logs::ConnectionLog;

/// Writes those of one connection into its log, each once.
#[derive(Clone, Debug)]
pub(super) struct ResumeEvents {
    log: ConnectionLog,
    written: usize,
    /// Numbers of the first and the last unvalidated packet; zero before there are any.
    first_unvalidated: u64,
    last_unvalidated: u64,
}

impl ResumeEvents {
    pub(super) fn new(log: ConnectionLog) -> Self {
        Self { log, written: 0, first_unvalidated: 0, last_unvalidated: 0 }
    }

    /// Writes what is new of `transitions`; `next_packet` is the number of the next packet to leave.
    pub(super) fn write(&mut self, transitions: &[Transition], next_packet: u64) {
        for index in self.written..transitions.len() {
            let before = index.checked_sub(1).map(|before| transitions[before].phase);
            let step = &transitions[index];
            if step.phase == Phase::Unvalidated {
                self.first_unvalidated = next_packet;
            } else if before == Some(Phase::Unvalidated) {
                self.last_unvalidated = next_packet.saturating_sub(1);
            }
            self.log.write_record(&self.event(before, step));
        }
        self.written = transitions.len();
    }

    /// `QUICCarefulResumePhaseUpdated`.
    fn event(&self, before: Option<Phase>, step: &Transition) -> Value {
        let mut state = json!({
            "pipesize": step.pipe_size.get(),
            "first_unvalidated_packet": self.first_unvalidated,
            "last_unvalidated_packet": self.last_unvalidated,
            "congestion_window": step.cwnd.get(),
        });
        if let Some(ssthresh) = step.ssthresh {
            state["ssthresh"] = ssthresh.get().into();
        }
        let mut data = Map::new();
        if let Some(before) = before {
            data.insert("old".to_owned(), json!(before));
        }
        data.insert("new".to_owned(), json!(step.phase));
        data.insert("state_data".to_owned(), state);
        let restored = json!({
            "saved_congestion_window": step.saved_cwnd.get(),
            "saved_rtt": step.saved_rtt.as_secs_f64() * 1e3,
        });
        data.insert("restored_data".to_owned(), restored);
        if let Some(trigger) = step.trigger {
            data.insert("trigger".to_owned(), json!(trigger));
        }
        json!({
            "time": step.at.as_nanos() as f64 / 1e6,
            "name": "quic:careful_resume_phase_updated",
            "data": data,
        })
    }
}
