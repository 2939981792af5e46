//! Processors of hosts in real time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bentpipe_net::Core;
use bentpipe_units::{Duration, Time};

use crate::clock;

/// A core that the thread of a host stands for.
///
/// Work is counted from when it is given, so that what the thread really computes hides in it; for the rest it sleeps, and
/// does nothing else meanwhile, as it would while computing. tokio's timers, of a millisecond, are too coarse.
#[derive(Debug, Default)]
pub(crate) struct ThreadCore {
    idle_at: AtomicU64,
}

impl ThreadCore {
    fn idle_at(&self) -> Time {
        Time::from_nanos(self.idle_at.load(Ordering::Relaxed))
    }
}

impl Core for ThreadCore {
    fn poll_idle(&self, _cx: &mut Context<'_>) -> Poll<()> {
        clock::wait_until(self.idle_at());
        Poll::Ready(())
    }

    fn work(&self, span: Duration) {
        let begin = self.idle_at().max(clock::now());
        self.idle_at.store(begin.saturating_add(span).as_nanos(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;
    use std::thread;

    use super::*;

    /// As long as a test's own instructions may take beside it.
    const SHORT: Duration = Duration::from_millis(5);

    #[test]
    fn what_is_computed_meanwhile_hides_in_the_time_that_a_run_says() {
        let (core, work) = (ThreadCore::default(), Duration::from_millis(20));
        let begin = clock::now();
        core.work(work);
        thread::sleep(Duration::from_millis(10).into());
        assert_eq!(core.poll_idle(&mut Context::from_waker(Waker::noop())), Poll::Ready(()));
        let taken = clock::now().since(begin);
        assert!(work <= taken && taken < work + SHORT, "{taken:?}");
    }

    #[test]
    fn one_thing_is_done_after_the_other() {
        let (core, work) = (ThreadCore::default(), Duration::from_millis(2));
        let begin = clock::now();
        (0..3).for_each(|_| core.work(work));
        assert_eq!(core.poll_idle(&mut Context::from_waker(Waker::noop())), Poll::Ready(()));
        assert!(clock::now().since(begin) >= work * 3);
    }
}
