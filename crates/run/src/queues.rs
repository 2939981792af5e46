//! What the link's queues did that mark packets, class by class.

use bentpipe_units::Duration;

use crate::{Direction, LinkReport, QueueClassReport, QueueRecord, RunSpec};

/// The classes of both directions, those of what goes down to the client first.
pub(crate) fn records(spec: &RunSpec, link: &LinkReport) -> Vec<QueueRecord> {
    let of = |direction: Direction| {
        let classes = &link.direction(spec.link_direction(direction)).queue_classes;
        classes.iter().map(move |class| record(direction, class))
    };
    of(Direction::Down).chain(of(Direction::Up)).collect()
}

fn record(direction: Direction, of: &QueueClassReport) -> QueueRecord {
    let seconds = |wait: Option<Duration>| wait.map(Duration::as_secs_f64);
    QueueRecord {
        direction,
        class: of.name.clone(),
        packets: of.packets,
        marked_packets: of.marked_packets,
        dropped_packets: of.dropped_packets,
        wait_p50_s: seconds(of.wait_p50),
        wait_p99_s: seconds(of.wait_p99),
        wait_max_s: seconds(of.wait_max),
    }
}
