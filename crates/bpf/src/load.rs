//! From the object file to programs in the kernel.

use std::ffi::OsString;
use std::os::fd::AsFd;

use libbpf_rs::{MapCore, MapHandle, MapMut, MapType, Object, ObjectBuilder, OpenObject, Result};

use crate::Control;
use crate::hold::{BPF_F_LINK, Hold};
use crate::kernel::{Kernel, Lifetime, Sample};
use crate::layout::NAME_BYTES;

/// Where a program keeps its parameters.
const VALUES: &str = ".rodata.values";
/// Where a program keeps what differs from kernel to kernel.
const KERNEL: &str = ".rodata.kernel";

fn open(control: &Control) -> Result<OpenObject> {
    let binary = control.object().expect("an obstacle was looked for");
    ObjectBuilder::default().open_memory(binary)
}

/// The names of a control's programs.
pub(crate) fn program_names(control: &Control) -> Result<Vec<OsString>> {
    Ok(open(control)?.progs().map(|program| program.name().to_owned()).collect())
}

/// Has the kernel verify a control's programs; they are not registered yet.
pub(crate) fn load(control: &Control, name: &str, kernel: &Kernel) -> Result<Object> {
    let mut object = open(control)?;
    configure(&mut object, control, name, kernel)?;
    object.load()
}

/// Registers loaded programs by the name that they were loaded with. The kernel keeps them by itself from then on.
///
/// # Errors
/// With `AlreadyExists` when the kernel has a congestion control of that name.
pub(crate) fn register(object: &mut Object) -> Result<Hold> {
    let mut operations = operations_of(object);
    let table = MapHandle::try_from(&*operations)?;
    let mut link = operations.attach_struct_ops()?;
    if table.info()?.info.map_flags & BPF_F_LINK != 0 {
        return Ok(Hold::Link { _link: link.as_fd().try_clone_to_owned()? });
    }
    // There is no link: what libbpf calls one would remove the registration when it is dropped.
    link.disconnect();
    Ok(Hold::Table(table))
}

fn operations_of(object: &mut Object) -> MapMut<'_> {
    let is_table = |map: &MapMut<'_>| map.map_type() == MapType::StructOps;
    object.maps_mut().find(is_table).expect("every program has its table of operations")
}

/// Sets what cannot change any more once the object is loaded.
fn configure(open: &mut OpenObject, control: &Control, name: &str, kernel: &Kernel) -> Result<()> {
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
