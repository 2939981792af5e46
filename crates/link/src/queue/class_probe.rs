//! The series of classes: bytes that wait in each class of a direction.

use bentpipe_units::{Bytes, Time};

use crate::counters::bins::Bins;
use crate::{ClassSpec, Direction, Table};

/// What waits in each class of one direction over time; nothing where there are no classes.
pub(crate) struct ClassProbe {
    /// The classes with their names; the last is that of the packets of no class.
    gauges: Vec<(String, Bins<Bytes>)>,
}

impl ClassProbe {
    pub(crate) fn new<'a>(classes: impl IntoIterator<Item = &'a ClassSpec>, start: Time) -> Self {
        let gauge = |name: &str| (name.to_owned(), Bins::new(start, Bytes::ZERO));
        let mut gauges: Vec<_> = classes.into_iter().map(|class| gauge(&class.name)).collect();
        if !gauges.is_empty() {
            gauges.push(gauge("other"));
        }
        Self { gauges }
    }

    pub(crate) fn mark(&mut self, now: Time) {
        for (_, bytes) in &mut self.gauges {
            bytes.mark(now);
        }
    }

    /// So many bytes of a class wait from `at` on. Calls come in order of time.
    pub(crate) fn waiting(&mut self, class: usize, at: Time, bytes: Bytes) {
        if let Some((_, gauge)) = self.gauges.get_mut(class) {
            gauge.from(at, |bin| *bin = bytes);
        }
    }
}

/// The classes of the directions that have any; none where none has.
pub(crate) fn table<'a>(
    probes: impl IntoIterator<Item = (Direction, Option<&'a mut ClassProbe>)>,
    now: Time,
) -> Option<Table> {
    let mut ends = Vec::new();
    let mut columns = Vec::new();
    for (direction, probe) in probes {
        for (class, bytes) in probe.into_iter().flat_map(|probe| &mut probe.gauges) {
            let rows = bytes
                .until(now)
                .map(|(end, bytes)| (end.since(Time::ZERO).as_secs_f64(), bytes.get() as f64));
            let waiting;
            (ends, waiting) = rows.unzip();
            columns.push((format!("{}_{class}_queue_bytes", direction.name()), waiting));
        }
    }
    let has_classes = !columns.is_empty();
    columns.push(("time_s".to_owned(), ends));
    has_classes.then(|| columns.into_iter().collect())
}
