//! Where the running kernel's table of a congestion control has its name, its state and its functions, by BTF.

use libbpf_rs::ReferencesType;
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{FuncProto, MemberAttr, Ptr, Struct};

/// Room for a name and its final zero (`TCP_CA_NAME_MAX`).
pub(crate) const NAME_BYTES: usize = 16;
/// Offset of the state, behind a reference count of four bytes (`BPF_STRUCT_OPS_COMMON_VALUE`, later `struct
/// bpf_struct_ops_common_value`).
const STATE: usize = 4;
/// A table that is registered without a link (`enum bpf_struct_ops_state` in `include/linux/bpf.h`).
const IN_USE: u32 = 1;

/// Where the running kernel's table of a congestion control has what.
///
/// It is the value of the table's map as a process reads it, `struct bpf_struct_ops_tcp_congestion_ops`. The
/// members of `struct tcp_congestion_ops` in it stand elsewhere in each kernel; its name is not the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of that type, by which a table of a congestion control is told from others.
    pub value_type: u32,
    name: usize,
    /// Where pointers to functions stand, in whose place a process reads the ids of programs
    /// (`bpf_struct_ops_map_update_elem` in `kernel/bpf/bpf_struct_ops.c`).
    functions: Vec<usize>,
}

impl Layout {
    /// `None` for a kernel that takes no congestion control as a program.
    pub fn of(btf: &Btf<'_>) -> Option<Self> {
        let value = btf.type_by_name::<Struct<'_>>("bpf_struct_ops_tcp_congestion_ops")?;
        let table = offset(&value, "data")?;
        let operations = btf.type_by_name::<Struct<'_>>("tcp_congestion_ops")?;
        let is_function = |id| {
            let pointer = btf.type_by_id::<Ptr<'_>>(id);
            pointer.is_some_and(|pointer| FuncProto::try_from(pointer.referenced_type()).is_ok())
        };
        let functions = operations.iter().filter(|member| is_function(member.ty));
        Some(Self {
            value_type: value.type_id().into(),
            name: table + offset(&operations, "name")?,
            functions: functions.filter_map(|member| Some(table + bytes(member.attr)?)).collect(),
        })
    }

    /// Whether a table's value has this name and no other that contains it.
    pub fn has_name(&self, value: &[u8], name: &str) -> bool {
        let field = value.get(self.name..self.name + NAME_BYTES);
        let until_zero = field.and_then(|field| field.split(|byte| *byte == 0).next());
        until_zero == Some(name.as_bytes())
    }

    /// The ids of a table's programs.
    pub fn programs(&self, value: &[u8]) -> Vec<u32> {
        let number = |at: &usize| Some(u64::from_ne_bytes(*value.get(*at..)?.first_chunk()?));
        let ids = self.functions.iter().filter_map(number).filter(|id| *id != 0);
        ids.filter_map(|id| u32::try_from(id).ok()).collect()
    }

    /// Whether a table without a link is registered: one that was taken back stays as long as sockets use it.
    pub fn is_in_use(value: &[u8]) -> bool {
        value.get(STATE..).and_then(|state| state.first_chunk()) == Some(&IN_USE.to_ne_bytes())
    }
}

fn offset(of: &Struct<'_>, member: &str) -> Option<usize> {
    let member = of.iter().find(|one| one.name.is_some_and(|name| name == member))?;
    bytes(member.attr)
}

/// The offset of a member in bytes; bit fields have none.
fn bytes(attributes: MemberAttr) -> Option<usize> {
    match attributes {
        MemberAttr::Normal { offset } => usize::try_from(offset / 8).ok(),
        MemberAttr::BitField { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        Layout { value_type: 1, name: 32, functions: vec![8, 16, 24] }
    }

    #[test]
    fn a_name_is_the_whole_field_up_to_its_zero() {
        let named = |name: &[u8]| {
            let mut value = vec![0; 64];
            value[32..32 + name.len()].copy_from_slice(name);
            value
        };
        assert!(layout().has_name(&named(b"bp_hybla"), "bp_hybla"));
        for other in ["bp_hybl", "bp_hybla2", "abp_hybla", ""] {
            assert!(!layout().has_name(&named(b"bp_hybla"), other), "{other}");
        }
        assert!(layout().has_name(&named(b"fifteen_letters"), "fifteen_letters"));
        assert!(!layout().has_name(&[0; 40], ""), "a value too short has no name");
    }

    #[test]
    fn the_programs_of_a_table_are_those_of_its_functions() {
        let mut value = vec![0; 48];
        value[8] = 7;
        value[24] = 9;
        value[40] = 5;
        assert_eq!(layout().programs(&value), [7, 9]);
        assert!(layout().programs(&[]).is_empty());
    }

    #[test]
    fn a_table_without_a_link_is_registered_until_it_was_taken_back() {
        let in_state = |state: u32| [[0; 4], state.to_ne_bytes()].concat();
        let states: Vec<_> = (0..4).map(|state| Layout::is_in_use(&in_state(state))).collect();
        assert_eq!(states, [false, true, false, false]);
    }
}
