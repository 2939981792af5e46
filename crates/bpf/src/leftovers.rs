//! Congestion controls that killed processes have left registered: found, and removed.

use crate::kernel::Kernel;
use crate::registered::Registered;
use crate::{Control, Pause, lock, obstacle};

/// Names that killed processes have left registered, as they can before Linux 6.4; none where this process cannot
/// look.
pub fn leftovers() -> Vec<&'static str> {
    names(|_| true)
}

/// Removes what [`leftovers`] finds and returns the names that were removed.
pub fn remove_leftovers(pause: Pause) -> Vec<&'static str> {
    let _lock = if obstacle().is_none() { lock::take(pause) } else { None };
    names(Registered::remove)
}

/// The names of our controls whose leftovers fulfil a condition.
fn names(condition: impl Fn(&Registered) -> bool) -> Vec<&'static str> {
    if obstacle().is_some() {
        return Vec::new();
    }
    let Ok(kernel) = Kernel::running() else { return Vec::new() };
    let is_left = |control: &Control| {
        let found = Registered::leftover(control, control.name(), &kernel.layout);
        found.ok().flatten().is_some_and(|found| condition(&found))
    };
    Control::ALL.iter().filter(|control| is_left(control)).map(Control::name).collect()
}
