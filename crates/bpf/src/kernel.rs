//! What the running kernel's type information says about it.

use std::io;

use libbpf_rs::ReferencesType;
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{FuncProto, Ptr, Struct};

use crate::layout::Layout;

/// What differs between the kernels that the programs run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// When a registration ends.
    pub lifetime: Lifetime,
    /// Where `cong_control` has its rate sample.
    pub sample: Sample,
    /// Where a registered table has its name and its programs.
    pub layout: Layout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// With the last process that holds it (Linux 6.4).
    Link,
    /// When it is removed.
    Lasting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    SecondArgument,
    /// Since Linux 6.10.
    FourthArgument,
}

impl Kernel {
    pub fn running() -> libbpf_rs::Result<Self> {
        let btf = Btf::from_vmlinux()?;
        let has_links = btf.type_by_name::<Struct<'_>>("bpf_struct_ops_link").is_some();
        let missing = || io::Error::new(io::ErrorKind::Unsupported, "no congestion controls as programs");
        Ok(Self {
            lifetime: if has_links { Lifetime::Link } else { Lifetime::Lasting },
            sample: if arguments_of_cong_control(&btf) == Some(4) {
                Sample::FourthArgument
            } else {
                Sample::SecondArgument
            },
            layout: Layout::of(&btf).ok_or_else(missing)?,
        })
    }
}

fn arguments_of_cong_control(btf: &Btf<'_>) -> Option<usize> {
    let operations = btf.type_by_name::<Struct<'_>>("tcp_congestion_ops")?;
    let member = operations.iter().find(|member| member.name.is_some_and(|name| name == "cong_control"))?;
    let pointer = btf.type_by_id::<Ptr<'_>>(member.ty)?;
    let function = FuncProto::try_from(pointer.referenced_type()).ok()?;
    Some(function.iter().count())
}
