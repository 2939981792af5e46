//! Transport protocols.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Transport of a bulk flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// The kernel's TCP, or the simulator's.
    Tcp,
    /// QUIC version 1.
    Quic,
}

impl Transport {
    /// The name that scenarios use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Quic => "quic",
        }
    }
}
