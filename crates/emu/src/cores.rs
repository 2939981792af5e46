//! Which cores a thread may run on.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Those of the calling thread, ascending; none where the kernel does not say.
pub(crate) fn allowed() -> Vec<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    (0..CpuSet::count()).filter(|core| allowed.is_set(*core).unwrap_or(false)).collect()
}

/// Keeps the calling thread, and those that it starts from here on, on one core; best effort.
pub(crate) fn stay_on(core: usize) {
    let mut only = CpuSet::new();
    if only.set(core).is_ok() {
        let _ = sched_setaffinity(Pid::from_raw(0), &only);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_stays_on_one_of_its_cores_and_others_where_they_were() {
        let before = allowed();
        let last = *before.last().unwrap();
        let pinned = thread::spawn(move || {
            stay_on(last);
            allowed()
        });
        assert_eq!(pinned.join().unwrap(), [last]);
        assert_eq!(allowed(), before);
    }
}
