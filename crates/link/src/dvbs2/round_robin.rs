//! Queues served in turns of as many bytes: deficit round robin (Shreedhar and Varghese 1996).

use std::collections::VecDeque;

use bentpipe_units::Bytes;

/// Whose turn it is among queues that have something to send.
pub(super) struct RoundRobin {
    /// Those queues, the one whose turn it is first.
    active: VecDeque<usize>,
    /// Of every queue: bytes that it may send beyond what it has sent, and whether it is active.
    accounts: Vec<Account>,
    /// What a turn adds; no packet is longer, so that each turn sends one at least.
    quantum: u64,
    /// Whether the first queue has got it for this turn.
    is_granted: bool,
}

#[derive(Clone, Copy, Default)]
struct Account {
    deficit: u64,
    is_active: bool,
}

impl RoundRobin {
    /// So many queues, all of them empty.
    pub(super) fn new(queues: usize, longest_packet: Bytes) -> Self {
        Self {
            active: VecDeque::new(),
            accounts: vec![Account::default(); queues],
            quantum: longest_packet.get(),
            is_granted: false,
        }
    }

    /// A queue has something to send.
    pub(super) fn activate(&mut self, queue: usize) {
        if !std::mem::replace(&mut self.accounts[queue].is_active, true) {
            self.active.push_back(queue);
        }
    }

    /// The queue that sends next. `first` is the length of the first packet of a queue, none when it is empty.
    pub(super) fn turn(&mut self, first: impl Fn(usize) -> Option<u64>) -> Option<usize> {
        loop {
            let queue = *self.active.front()?;
            let Some(bytes) = first(queue) else {
                self.leave();
                continue;
            };
            let account = &mut self.accounts[queue];
            if !self.is_granted {
                account.deficit += self.quantum;
                self.is_granted = true;
            }
            if bytes <= account.deficit {
                return Some(queue);
            }
            self.active.rotate_left(1);
            self.is_granted = false;
        }
    }

    /// The queue whose turn it was has sent so many bytes, and has more to send or not.
    pub(super) fn sent(&mut self, bytes: u64, has_more: bool) {
        if let Some(queue) = self.active.front() {
            let account = &mut self.accounts[*queue];
            account.deficit = account.deficit.saturating_sub(bytes);
            if !has_more {
                self.leave();
            }
        }
    }

    /// An empty queue keeps nothing of its turn.
    fn leave(&mut self) {
        if let Some(queue) = self.active.pop_front() {
            self.accounts[queue] = Account::default();
        }
        self.is_granted = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends from queues of packets of these lengths until so many turns are over; bytes sent of each.
    fn served(lengths: &[u64], packets: usize) -> Vec<u64> {
        let mut turns = RoundRobin::new(lengths.len(), Bytes::new(1_500));
        (0..lengths.len()).for_each(|queue| turns.activate(queue));
        let mut sent = vec![0; lengths.len()];
        for _ in 0..packets {
            let queue = turns.turn(|queue| Some(lengths[queue])).expect("all have something to send");
            sent[queue] += lengths[queue];
            turns.sent(lengths[queue], true);
        }
        sent
    }

    #[test]
    fn queues_send_as_many_bytes_however_long_their_packets_are() {
        let sent = served(&[1_500, 40, 700], 100_000);
        // Whoever is ahead is so by a quantum at most, and what is left of a turn is less than a packet.
        let (least, most) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
        assert!(most - least <= 2 * 1_500, "{sent:?}");
    }

    #[test]
    fn a_queue_that_empties_loses_its_turn_and_comes_last_again() {
        let mut turns = RoundRobin::new(2, Bytes::new(1_500));
        turns.activate(0);
        turns.activate(1);
        assert_eq!(turns.turn(|_| Some(100)), Some(0));
        turns.sent(100, false);
        turns.activate(0);
        assert_eq!(turns.turn(|_| Some(1_500)), Some(1));
        turns.sent(1_500, true);
        assert_eq!(turns.turn(|_| Some(1_500)), Some(0));
        assert_eq!(turns.turn(|_| None), None, "what was dropped meanwhile takes no turn");
    }
}
