//! The flows of a run's spec.

use bentpipe_http::quic::Sender;
use bentpipe_run::{Algorithm, Direction, Dscp, FlowSpec, FlowsSpec, RunSpec, Transport, Workload};
use bentpipe_units::{Bytes, Duration, Time};

use super::order::Limit;
use crate::Ports;

/// One flow of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// Its place in the spec.
    pub(super) index: u16,
    pub(super) cc: Algorithm,
    /// What both ends mark its packets with.
    pub(super) dscp: Dscp,
    pub(super) transport: Transport,
    pub(super) direction: Direction,
    /// When it starts, from the start of the workload.
    pub(super) start: Duration,
    end: End,
}

/// When a flow ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// After so much payload.
    Bytes(Bytes),
    /// So long after it was ordered.
    After(Duration),
    /// So long after the start of the workload, as all flows beside it.
    With(Duration),
}

impl Flow {
    /// The flows of a run; none when its workload is another.
    pub(super) fn all(spec: &RunSpec) -> Vec<Self> {
        let Some(FlowsSpec { direction, bytes, duration_ns, flows }) = spec.flows() else {
            return Vec::new();
        };
        let end = match (bytes, duration_ns, &spec.workload) {
            (None, Some(duration), Workload::Flows(_)) => End::With(duration),
            (None, Some(duration), _) => End::After(duration),
            // A flow without any limit is one of no bytes.
            (bytes, ..) => End::Bytes(bytes.unwrap_or(Bytes::ZERO)),
        };
        let flow = |(index, FlowSpec { cc, transport, start_ns, dscp })| Self {
            index,
            cc,
            dscp: dscp.unwrap_or(Dscp::DEFAULT),
            transport,
            direction,
            start: start_ns,
            end,
        };
        (0..).zip(flows).map(flow).collect()
    }

    /// The origin's port for this flow alone: what listens there has its congestion control from the first segment on.
    pub(super) fn port(self, ports: Ports) -> u16 {
        ports.bulk + self.index
    }

    /// What its QUIC endpoints send as.
    pub(super) fn sender(self) -> Sender {
        Sender::new(self.cc, self.index, self.dscp)
    }

    /// Its limit when it is ordered at `now`, in a workload that started at `started`.
    pub(super) fn limit(self, started: Time, now: Time) -> Limit {
        match self.end {
            End::Bytes(bytes) => Limit::Bytes(bytes),
            End::After(duration) => Limit::Duration(duration),
            End::With(duration) => Limit::Duration((started + duration).since(now)),
        }
    }

    /// When its receiver stops waiting for data, in a workload that started at `started`.
    pub(super) fn deadline(self, started: Time) -> Option<Time> {
        match self.end {
            End::With(duration) => Some(started + duration),
            End::Bytes(_) | End::After(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_run::BulkSpec;

    use super::*;

    const STARTED: Time = Time::from_nanos(5);
    const MINUTE: Duration = Duration::from_secs(60);

    fn spec(workload: Workload) -> RunSpec {
        let sample = include_str!("../../../run/tests/data/spec.json");
        RunSpec { workload, ..serde_json::from_str(sample).unwrap() }
    }

    fn one(bytes: Option<Bytes>, duration_ns: Option<Duration>) -> Flow {
        let (transport, direction) = (Transport::Quic, Direction::Down);
        Flow::all(&spec(Workload::Bulk(BulkSpec { transport, direction, bytes, duration_ns })))[0]
    }

    fn several(bytes: Option<Bytes>, duration_ns: Option<Duration>) -> Vec<Flow> {
        let flow = |cc, start| FlowSpec {
            cc,
            transport: Transport::Tcp,
            start_ns: Duration::from_secs(start),
            dscp: None,
        };
        let flows = vec![flow(Algorithm::Bbr, 0), flow(Algorithm::Hybla, 10)];
        Flow::all(&spec(Workload::Flows(FlowsSpec { direction: Direction::Up, bytes, duration_ns, flows })))
    }

    #[test]
    fn a_single_flow_has_the_congestion_control_of_the_run_and_the_port_that_bulk_flows_always_had() {
        let flow = one(Some(Bytes::new(9)), None);
        assert_eq!((flow.cc, flow.transport), (Algorithm::Cubic, Transport::Quic));
        assert_eq!((flow.port(Ports::STANDARD), flow.start), (Ports::STANDARD.bulk, Duration::ZERO));
    }

    #[test]
    fn each_of_several_flows_has_its_own_congestion_control_and_port() {
        let flows = several(Some(Bytes::new(9)), None);
        let own: Vec<_> = flows.iter().map(|flow| (flow.cc, flow.port(Ports::STANDARD))).collect();
        let first = Ports::STANDARD.bulk;
        assert_eq!(own, [(Algorithm::Bbr, first), (Algorithm::Hybla, first + 1)]);
    }

    #[test]
    fn a_flow_is_marked_as_its_run_unless_it_has_a_mark_of_its_own() {
        let [expedited, assured] = [46, 10].map(|code_point| Dscp::new(code_point).unwrap());
        let marks = |run| -> Vec<_> {
            let flow = |dscp| FlowSpec {
                cc: Algorithm::Bbr,
                transport: Transport::Tcp,
                start_ns: Duration::ZERO,
                dscp,
            };
            let flows = [None, Some(assured)].map(flow).to_vec();
            let (direction, bytes, duration_ns) = (Direction::Up, None, Some(MINUTE));
            let flows = Workload::Flows(FlowsSpec { direction, bytes, duration_ns, flows });
            let spec = RunSpec { dscp: run, ..spec(flows) };
            Flow::all(&spec).iter().map(|flow| (flow.dscp, flow.sender().dscp)).collect()
        };
        assert_eq!(marks(Some(expedited)), [(expedited, expedited), (assured, assured)]);
        assert_eq!(marks(None), [(Dscp::DEFAULT, Dscp::DEFAULT), (assured, assured)]);
    }

    #[test]
    fn a_scenario_limited_by_length_and_time_is_limited_by_length() {
        let (bytes, limit) = (Some(Bytes::new(9)), Limit::Bytes(Bytes::new(9)));
        assert_eq!(one(bytes, Some(MINUTE)).limit(STARTED, STARTED), limit);
        assert_eq!(several(bytes, Some(MINUTE))[1].limit(STARTED, STARTED), limit);
    }

    #[test]
    fn a_single_flow_lasts_from_its_order_on_and_several_have_one_end() {
        let ordered = STARTED + Duration::from_secs(12);
        let alone = one(None, Some(MINUTE));
        assert_eq!(alone.limit(STARTED, ordered), Limit::Duration(MINUTE));
        assert_eq!(alone.deadline(STARTED), None);
        for flow in several(None, Some(MINUTE)) {
            assert_eq!(flow.limit(STARTED, ordered), Limit::Duration(Duration::from_secs(48)));
            assert_eq!(flow.deadline(STARTED), Some(STARTED + MINUTE));
        }
    }

    #[test]
    fn a_flow_that_is_ordered_after_the_common_end_carries_nothing() {
        let late = STARTED + Duration::from_secs(61);
        assert_eq!(several(None, Some(MINUTE))[0].limit(STARTED, late), Limit::Duration(Duration::ZERO));
    }

    #[test]
    fn other_workloads_have_no_flows() {
        let sample: RunSpec =
            serde_json::from_str(include_str!("../../../run/tests/data/spec.json")).unwrap();
        assert!(Flow::all(&sample).is_empty());
    }
}
