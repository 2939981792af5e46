//! How a process shows others that it uses a congestion control: an empty eBPF map with its name.

use libbpf_rs::libbpf_sys::{bpf_map_create_opts, size_t};
use libbpf_rs::query::{MapInfo, MapInfoIter};
use libbpf_rs::{MapHandle, MapType, Result};

/// Bytes of a marker's one element, by which it is told from an array of somebody else.
const VALUE_BYTES: u32 = 24;

/// Says that a process uses a congestion control: an empty array with the control's name.
///
/// The kernel keeps it exactly as long as the process has its descriptor, and shows it to every container, where a
/// process id or a file in `/run` means nothing.
#[derive(Debug)]
pub(crate) struct Marker {
    _array: MapHandle,
}

impl Marker {
    pub fn set(name: &str) -> Result<Self> {
        let options =
            bpf_map_create_opts { sz: size_of::<bpf_map_create_opts>() as size_t, ..Default::default() };
        let array = MapHandle::create(MapType::Array, Some(name), 4, VALUE_BYTES, 1, &options)?;
        Ok(Self { _array: array })
    }

    /// How many there are.
    pub fn count(name: &str) -> usize {
        let is_marker = |map: &MapInfo| {
            map.ty == MapType::Array
                && map.value_size == VALUE_BYTES
                && map.max_entries == 1
                && map.name == name
        };
        MapInfoIter::default().filter(is_marker).count()
    }
}
