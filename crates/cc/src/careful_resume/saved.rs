//! What is kept of paths between connections (RFC 9959 sections 2.1 and 3.1).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use bentpipe_units::{Bytes, Duration, Time};

/// The parameters of one path, as a connection observed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// `saved_cwnd`: the capacity in use, as bytes delivered in a round trip.
    pub cwnd: Bytes,
    /// `saved_rtt`: the smallest RTT then.
    pub rtt: Duration,
    /// The end of their lifetime: they may not be used at this instant or later.
    pub expires: Time,
}

/// What a sender remembers of the paths to its peers: of each remote endpoint one set of parameters at most. Clones are
/// the same memory.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Paths>>);

#[derive(Debug, Default)]
struct Paths {
    known: BTreeMap<IpAddr, Saved>,
    /// Remote endpoints of which what was saved before the run has been taken in.
    told: BTreeSet<IpAddr>,
}

/// What it remembers of the path to one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct PathMemory {
    memory: Memory,
    remote: IpAddr,
}

impl Memory {
    /// That of the path to `remote`.
    pub fn path(&self, remote: IpAddr) -> PathMemory {
        PathMemory { memory: self.clone(), remote }
    }

    /// The same, with what was saved before the run. That is so once: what is deleted stays away.
    pub(super) fn path_knowing(&self, before: Option<Saved>, remote: IpAddr) -> PathMemory {
        let path = self.path(remote);
        if self.paths().told.insert(remote)
            && let Some(saved) = before
        {
            path.save(saved);
        }
        path
    }

    fn paths(&self) -> MutexGuard<'_, Paths> {
        self.0.lock().expect("no panic while a path is looked up")
    }
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PathMemory {
    /// Keeps what was observed, in place of what was known before.
    pub fn save(&self, saved: Saved) {
        self.memory.paths().known.insert(self.remote, saved);
    }

    /// What is known, unless its lifetime is over; then it is deleted.
    pub fn look(&self, now: Time) -> Option<Saved> {
        let mut paths = self.memory.paths();
        let saved = paths.known.get(&self.remote).copied()?;
        if now >= saved.expires {
            paths.known.remove(&self.remote);
            return None;
        }
        Some(saved)
    }

    /// Takes what is known for use by one connection: nobody else finds it until it is saved again.
    pub fn take(&self, now: Time) -> Option<Saved> {
        let saved = self.look(now)?;
        self.delete();
        Some(saved)
    }

    /// Saves a set that was taken, unless something newer has been observed meanwhile.
    pub fn give_back(&self, saved: Saved) {
        self.memory.paths().known.entry(self.remote).or_insert(saved);
    }

    /// Forgets the path.
    pub fn delete(&self) {
        self.memory.paths().known.remove(&self.remote);
    }
}
