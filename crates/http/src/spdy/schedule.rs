//! Whose turn it is to send.

use std::collections::VecDeque;

use super::{Priority, StreamId};

/// Streams that have something to send: by priority, and in turn within one.
#[derive(Debug, Default)]
pub(super) struct Schedule([VecDeque<StreamId>; Priority::COUNT]);

impl Schedule {
    /// Lets a stream wait for its turn behind the others of its priority.
    pub(super) fn add(&mut self, priority: Priority, stream: StreamId) {
        self.0[usize::from(priority.get())].push_back(stream);
    }

    /// Lets a stream have the next turn of its priority.
    pub(super) fn put_back(&mut self, priority: Priority, stream: StreamId) {
        self.0[usize::from(priority.get())].push_front(stream);
    }

    /// Forgets a stream.
    pub(super) fn remove(&mut self, priority: Priority, stream: StreamId) {
        self.0[usize::from(priority.get())].retain(|other| *other != stream);
    }

    /// Takes the first stream that can send.
    pub(super) fn take(&mut self, can_send: impl Fn(StreamId) -> bool) -> Option<StreamId> {
        self.0.iter_mut().find_map(|queue| {
            let place = queue.iter().position(|stream| can_send(*stream))?;
            queue.remove(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_go_by_priority_and_in_turn_within_one() {
        let mut schedule = Schedule::default();
        let (high, low) = (Priority::HIGHEST, Priority::LOWEST);
        for (priority, stream) in [(low, 1), (high, 3), (high, 5), (low, 7)] {
            schedule.add(priority, stream);
        }
        let mut turns = Vec::new();
        for _ in 0..4 {
            let stream = schedule.take(|_| true).unwrap();
            turns.push(stream);
            schedule.add(if stream == 3 || stream == 5 { high } else { low }, stream);
        }
        assert_eq!(turns, [3, 5, 3, 5]);
        assert_eq!(schedule.take(|stream| stream != 3 && stream != 5), Some(1));
        schedule.remove(high, 3);
        schedule.remove(high, 5);
        assert_eq!(schedule.take(|_| true), Some(7));
        assert_eq!(schedule.take(|_| true), None);
    }
}
