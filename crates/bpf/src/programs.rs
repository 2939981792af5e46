//! Whether a registered congestion control is the same program with the same constants as ours.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, ProgramHandle, Result};

use crate::hold::ONLY_KEY;

/// Letters that the kernel keeps of a program's name (`BPF_OBJ_NAME_LEN` without the final zero).
const NAME_BYTES: usize = 15;
/// How the names of constants start.
const CONSTANTS: &[u8] = b".rodata";

/// Loaded programs as far as one asks whether they are the same as others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Programs {
    /// By name the kernel's hash of the instructions as they were loaded (`bpf_prog_calc_tag`), in which it does
    /// not matter which maps they refer to.
    tags: BTreeMap<OsString, [u8; 8]>,
    /// By name the constants that they refer to: parameters, and what differs from kernel to kernel.
    constants: BTreeMap<OsString, Vec<u8>>,
}

impl Programs {
    pub fn of(object: &Object) -> Result<Self> {
        let ids = object.progs_mut().map(|program| Ok(ProgramHandle::try_from(&program)?.id()));
        Ok(Self::with_ids(&ids.collect::<Result<Vec<_>>>()?))
    }

    pub fn with_ids(ids: &[u32]) -> Self {
        let mut programs = Self { tags: BTreeMap::new(), constants: BTreeMap::new() };
        let options = ProgInfoQueryOptions::default().include_map_ids(true);
        for program in ProgInfoIter::with_query_opts(options).filter(|program| ids.contains(&program.id)) {
            programs.tags.insert(program.name, program.tag.0);
            programs.constants.extend(program.map_ids.into_iter().filter_map(constants));
        }
        programs
    }

    /// Whether both do the same. What could not be read is not the same.
    pub fn are_those_of(&self, other: &Self) -> bool {
        !self.tags.is_empty() && self == other
    }

    /// Whether they have these names, in which all versions of a control agree.
    pub fn are_named(&self, names: &[OsString]) -> bool {
        let mut names: Vec<_> = names.iter().map(|name| shortened(name)).collect();
        names.sort();
        self.tags.keys().map(OsString::as_os_str).eq(names)
    }
}

fn shortened(name: &OsStr) -> &OsStr {
    OsStr::from_bytes(&name.as_bytes()[..name.len().min(NAME_BYTES)])
}

fn constants(id: u32) -> Option<(OsString, Vec<u8>)> {
    let map = MapHandle::from_map_id(id).ok()?;
    if !map.name().as_bytes().starts_with(CONSTANTS) {
        return None;
    }
    let value = map.lookup(&ONLY_KEY, MapFlags::ANY).ok()??;
    Some((map.name().to_owned(), value))
}
