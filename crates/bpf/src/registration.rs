//! A congestion control that the kernel offers as long as somebody holds it (`bpf_struct_ops`), shared by name.

use libbpf_rs::ErrorKind;

use crate::hold::Hold;
use crate::kernel::Kernel;
use crate::layout::NAME_BYTES;
use crate::load::{load, register};
use crate::lock::Pause;
use crate::marker::Marker;
use crate::programs::Programs;
use crate::registered::{Registered, remove};
use crate::{Control, Obstacle, lock, obstacle};

/// Looks at what is registered before a name counts as taken: what takes it may be coming or going.
const LOOKS: usize = 10;

/// A congestion control that the kernel offers by name for as long as this lives, or another one of the same
/// program in whichever process.
#[derive(Debug)]
pub struct Registration {
    name: String,
    hold: Hold,
    /// Always some until the end.
    marker: Option<Marker>,
    pause: Pause,
}

/// Why a control could not be registered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine or the build cannot do it at all.
    #[error("no congestion controls as eBPF: {0}")]
    Obstacle(Obstacle),
    /// Something else has the name. It is left alone.
    #[error(
        "the congestion control {0} is registered with another program or other parameters, as another version \
         of Bentpipe may do; wait until that ends"
    )]
    Taken(String),
    /// libbpf or the kernel's verifier refused; libbpf has written why on standard error.
    #[error("the kernel does not take {name}: {error}")]
    Refused {
        /// The control.
        name: String,
        /// What libbpf says.
        error: libbpf_rs::Error,
    },
}

impl Registration {
    /// Loads `control` and registers it by [`Control::name`], or shares the registration that is there.
    ///
    /// # Errors
    /// When something is missing, another program has the name, or the kernel refuses the programs.
    pub fn new(control: &Control, pause: Pause) -> Result<Self, Error> {
        Self::with_name(control, control.name(), pause)
    }

    /// The same by another name.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// When the name has more than 15 bytes.
    pub fn with_name(control: &Control, name: &str, pause: Pause) -> Result<Self, Error> {
        assert!(name.len() < NAME_BYTES, "{name} is too long for the kernel");
        if let Some(obstacle) = obstacle() {
            return Err(Error::Obstacle(obstacle));
        }
        let kernel = Kernel::running().map_err(|error| Error::Refused { name: name.to_owned(), error })?;
        Self::on(&kernel, control, name, pause)
    }

    fn on(kernel: &Kernel, control: &Control, name: &str, pause: Pause) -> Result<Self, Error> {
        let refused = |error| Error::Refused { name: name.to_owned(), error };
        let mut object = load(control, name, kernel).map_err(refused)?;
        let programs = Programs::of(&object).map_err(refused)?;
        let _lock = lock::take(pause);
        // Before looking, so that whoever ends meanwhile leaves the registration to us.
        let marker = Marker::set(name).map_err(refused)?;
        let shared = |hold| Self { name: name.to_owned(), hold, marker: Some(marker), pause };
        for _ in 0..LOOKS {
            match Registered::find(name, &kernel.layout) {
                None => match register(&mut object) {
                    Ok(hold) => return Ok(shared(hold)),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => pause(),
                    Err(error) => return Err(refused(error)),
                },
                Some(found) if found.is_left_over(control, name, 1).map_err(refused)? => {
                    found.remove();
                }
                Some(found) if programs.are_those_of(&found.programs) => return Ok(shared(found.hold)),
                Some(_) => break,
            }
        }
        Err(Error::Taken(name.to_owned()))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // The kernel counts who has a link.
        let Hold::Table(table) = &self.hold else { return };
        let _lock = lock::take(self.pause);
        drop(self.marker.take());
        if Marker::count(&self.name) == 0 {
            remove(table);
        }
    }
}

#[cfg(test)]
mod tests;
