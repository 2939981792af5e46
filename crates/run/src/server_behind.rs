//! Behind which end of the satellite link the server is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the server is, where that is not behind the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServerBehind {
    /// Behind the satellite terminal, with the client at the gateway: what it sends takes the return direction.
    Terminal,
}
