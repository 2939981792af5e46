use std::io;

use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{ErrorKind, Link, MapCore, MapFlags, MapHandle, MapType, Object, ObjectBuilder, OpenObject};

use crate::kernel::{Kernel, Lifetime, Sample};
use crate::lock::NameLock;
use crate::{Control, Obstacle, obstacle};

/// Flag of a map that is registered through a link (`include/uapi/linux/bpf.h`).
const BPF_F_LINK: u32 = 1 << 13;
/// Where a program keeps its parameters.
const VALUES: &str = ".rodata.values";
/// Where a program keeps what differs from kernel to kernel.
const KERNEL: &str = ".rodata.kernel";
/// A table of operations is a map with one element.
const ONLY_KEY: [u8; 4] = 0u32.to_ne_bytes();
/// Room for a name and its final zero (`TCP_CA_NAME_MAX`).
const NAME_BYTES: usize = 16;

/// A congestion control that the kernel offers by name for as long as this lives.
#[derive(Debug)]
pub struct Registration {
    // In this order: the name is taken back, then the programs go, then the name is free.
    _link: Link,
    _object: Object,
    _lock: NameLock,
}

/// Why a control could not be registered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine or the build cannot do it at all.
    #[error("no congestion controls as eBPF: {0}")]
    Obstacle(Obstacle),
    /// Another process has registered the name.
    #[error("the congestion control {0} is registered by another process; wait until that ends")]
    Taken(String),
    /// The lock of the name cannot be had.
    #[error("lock of a congestion control: {0}")]
    Lock(#[from] io::Error),
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
    /// Loads `control` and registers it by [`Control::name`].
    ///
    /// # Errors
    /// When something is missing, the name is taken, or the kernel refuses the programs.
    pub fn new(control: &Control) -> Result<Self, Error> {
        Self::with_name(control, control.name())
    }

    /// The same by another name.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// When the name has more than 15 bytes.
    pub fn with_name(control: &Control, name: &str) -> Result<Self, Error> {
        assert!(name.len() < NAME_BYTES, "{name} is too long for the kernel");
        if let Some(obstacle) = obstacle() {
            return Err(Error::Obstacle(obstacle));
        }
        let lock = NameLock::take(name)?.ok_or_else(|| Error::Taken(name.to_owned()))?;
        let refused = |error| Error::Refused { name: name.to_owned(), error };
        let kernel = Kernel::running().map_err(refused)?;
        remove_leftovers(name).map_err(refused)?;
        let (object, link) = load(control, name, kernel).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Taken(name.to_owned()),
            _ => refused(error),
        })?;
        Ok(Self { _link: link, _object: object, _lock: lock })
    }
}

fn load(control: &Control, name: &str, kernel: Kernel) -> libbpf_rs::Result<(Object, Link)> {
    let binary = control.object().expect("an obstacle was looked for");
    let mut open = ObjectBuilder::default().open_memory(binary)?;
    configure(&mut open, control, name, kernel)?;
    let mut object = open.load()?;
    let mut operations = object
        .maps_mut()
        .find(|map| map.map_type() == MapType::StructOps)
        .expect("every program has its table of operations");
    let link = operations.attach_struct_ops()?;
    Ok((object, link))
}

/// Sets what cannot change any more once the object is loaded.
fn configure(open: &mut OpenObject, control: &Control, name: &str, kernel: Kernel) -> libbpf_rs::Result<()> {
    for mut map in open.maps_mut() {
        if map.map_type() == MapType::StructOps {
            if kernel.lifetime == Lifetime::Lasting {
                let flags = map.map_flags() & !BPF_F_LINK;
                map.set_map_flags(flags)?;
            }
            let operations = map.initial_value_mut().expect("a table of operations has a value");
            let field = operations.last_chunk_mut::<NAME_BYTES>().expect("the name is its last member");
            field.fill(0);
            field[..name.len()].copy_from_slice(name.as_bytes());
        } else if map.name() == VALUES {
            map.set_initial_value(&control.values())?;
        } else if map.name() == KERNEL {
            map.set_initial_value(&u32::from(kernel.sample == Sample::FourthArgument).to_ne_bytes())?;
        }
    }
    Ok(())
}

/// Takes back what a killed process left registered under the name, as it can before Linux 6.4.
fn remove_leftovers(name: &str) -> libbpf_rs::Result<()> {
    let wanted = [name.as_bytes(), &[0]].concat();
    let tables = MapInfoIter::default().filter(|map| map.ty == MapType::StructOps);
    for table in tables.filter(|map| map.map_flags & BPF_F_LINK == 0) {
        let map = MapHandle::from_map_id(table.id)?;
        let value = map.lookup(&ONLY_KEY, MapFlags::ANY)?.unwrap_or_default();
        if value.windows(wanted.len()).any(|bytes| bytes == wanted) {
            map.delete(&ONLY_KEY)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that nothing else uses, and the running kernel; none, said aloud, where nothing can be loaded.
    fn attempt(test: char) -> Option<(String, Kernel)> {
        if let Some(obstacle) = obstacle() {
            eprintln!("SKIPPED: {obstacle}");
            return None;
        }
        Some((format!("bpu{test}{}", std::process::id()), Kernel::running().unwrap()))
    }

    #[test]
    fn what_a_killed_process_left_as_before_linux_6_4_is_taken_back_by_the_next() {
        let Some((name, kernel)) = attempt('l') else { return };
        let left = load(&Control::HYBLA, &name, Kernel { lifetime: Lifetime::Lasting, ..kernel }).unwrap();
        std::mem::forget(left);
        drop(Registration::with_name(&Control::HYBLA, &name).unwrap());
    }

    #[test]
    fn the_verifier_sees_only_the_place_of_the_rate_sample_that_the_kernel_has() {
        let Some((name, kernel)) = attempt('s') else { return };
        let elsewhere = match kernel.sample {
            Sample::SecondArgument => Sample::FourthArgument,
            Sample::FourthArgument => Sample::SecondArgument,
        };
        assert!(load(&Control::VIVACE, &name, Kernel { sample: elsewhere, ..kernel }).is_err());
        assert!(load(&Control::VIVACE, &name, kernel).is_ok());
    }
}
