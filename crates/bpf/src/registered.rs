//! What is registered with the kernel already.

use std::iter;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use libbpf_rs::libbpf_sys::{bpf_link_get_fd_by_id, bpf_link_get_next_id};
use libbpf_rs::query::{LinkInfo, LinkTypeInfo, MapInfo, MapInfoIter};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, Result};

use crate::Control;
use crate::hold::{BPF_F_LINK, Hold, ONLY_KEY};
use crate::layout::Layout;
use crate::load::program_names;
use crate::marker::Marker;
use crate::programs::Programs;

/// A congestion control that somebody's programs have registered.
#[derive(Debug)]
pub(crate) struct Registered {
    pub hold: Hold,
    pub programs: Programs,
}

impl Registered {
    /// The one of this name; none too where the kernel's own code has the name, or this process may not look.
    ///
    /// What vanishes while it is looked at is passed over, and so is a link that is just being made: whoever knows
    /// that the name is taken looks again.
    pub fn find(name: &str, layout: &Layout) -> Option<Self> {
        let mut tables: Vec<Table> =
            MapInfoIter::default().filter_map(|map| Table::named(name, &map, layout)).collect();
        match tables.iter().position(Table::is_registered_without_link) {
            Some(index) => Some(Self::lasting(tables.swap_remove(index), layout)),
            None => Self::linked(&tables, layout),
        }
    }

    fn lasting(table: Table, layout: &Layout) -> Self {
        let programs = Programs::with_ids(&layout.programs(&table.value));
        Self { hold: Hold::Table(table.map), programs }
    }

    /// A table outlives its link as long as a socket uses it, so that it is the link that counts.
    fn linked(tables: &[Table], layout: &Layout) -> Option<Self> {
        link_ids().filter_map(open_link).find_map(|link| {
            let info = LinkInfo::from_fd(link.as_fd()).ok()?;
            let table = tables.iter().find(|table| is_of(&info, table))?;
            let programs = Programs::with_ids(&layout.programs(&table.value));
            Some(Self { hold: Hold::Link { _link: link }, programs })
        })
    }

    /// What a killed process has left behind of a control as it can before Linux 6.4.
    ///
    /// # Errors
    /// When the programs' names cannot be read.
    pub fn leftover(control: &Control, name: &str, layout: &Layout) -> Result<Option<Self>> {
        match Self::find(name, layout) {
            Some(found) if found.is_left_over(control, name, 0)? => Ok(Some(found)),
            Some(_) | None => Ok(None),
        }
    }

    /// Whether it is ours, of this version or another one, and no process uses it but `known` ones.
    pub fn is_left_over(&self, control: &Control, name: &str, known: usize) -> Result<bool> {
        let lasts = matches!(self.hold, Hold::Table(_)) && Marker::count(name) <= known;
        Ok(lasts && self.programs.are_named(&program_names(control)?))
    }

    /// Removes one that does not end by itself; whether it was there.
    pub fn remove(&self) -> bool {
        matches!(&self.hold, Hold::Table(table) if remove(table))
    }
}

/// Takes back what a table without a link has registered; sockets that use it keep it until they are closed.
pub(crate) fn remove(table: &MapHandle) -> bool {
    table.delete(&ONLY_KEY).is_ok()
}

/// A congestion control's table of operations, registered or not.
struct Table {
    id: u32,
    map: MapHandle,
    value: Vec<u8>,
    /// Whether it takes a link to register it.
    has_link: bool,
}

impl Table {
    fn named(name: &str, map: &MapInfo, layout: &Layout) -> Option<Self> {
        if map.ty != MapType::StructOps || map.btf_vmlinux_value_type_id != layout.value_type {
            return None;
        }
        let handle = MapHandle::from_map_id(map.id).ok()?;
        let value = handle.lookup(&ONLY_KEY, MapFlags::ANY).ok()??;
        let has_link = map.map_flags & BPF_F_LINK != 0;
        layout.has_name(&value, name).then_some(Self { id: map.id, map: handle, value, has_link })
    }

    fn is_registered_without_link(&self) -> bool {
        !self.has_link && Layout::is_in_use(&self.value)
    }
}

fn is_of(link: &LinkInfo, table: &Table) -> bool {
    matches!(&link.info, LinkTypeInfo::StructOps(info) if info.map_id == table.id)
}

/// The ids of all links that the kernel has, in their order.
fn link_ids() -> impl Iterator<Item = u32> {
    let mut last = 0;
    iter::from_fn(move || {
        // SAFETY: a system call that writes one number, to `last`.
        let has_more = unsafe { bpf_link_get_next_id(last, &mut last) } == 0;
        has_more.then_some(last)
    })
}

/// Another descriptor of a link, whoever made it.
fn open_link(id: u32) -> Option<OwnedFd> {
    // SAFETY: a system call with a number.
    let fd = unsafe { bpf_link_get_fd_by_id(id) };
    // SAFETY: the kernel has just made the descriptor, for us.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}
