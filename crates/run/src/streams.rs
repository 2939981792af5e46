//! Connections and streams of a page load, counted from its objects.

use std::collections::{BTreeMap, BTreeSet};

use crate::ObjectSighting;

/// How many connections carried objects.
pub(crate) fn connections_used(objects: &[ObjectSighting]) -> u64 {
    objects.iter().map(|object| object.connection).collect::<BTreeSet<_>>().len() as u64
}

/// The most objects that one connection had under way at a time.
pub(crate) fn most(objects: &[ObjectSighting]) -> u64 {
    let mut by_connection = BTreeMap::<_, Vec<_>>::new();
    for object in objects {
        // At one instant what ends goes before what starts: the next request follows an answer.
        by_connection
            .entry(object.connection)
            .or_default()
            .extend([(object.last_byte, -1), (object.requested, 1)]);
    }
    by_connection.into_values().map(most_at_once).max().unwrap_or(0)
}

fn most_at_once<T: Ord>(mut changes: Vec<(T, i64)>) -> u64 {
    changes.sort_unstable();
    let under_way = changes.iter().scan(0, |sum, (_, change)| {
        *sum += change;
        Some(*sum)
    });
    under_way.max().unwrap_or(0).unsigned_abs()
}
