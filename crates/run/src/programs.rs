//! Programs of others in place of our loader and origin.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A browser in place of our loader (emulate only).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Browser {
    /// Chromium.
    Chromium,
    /// Firefox.
    Firefox,
}

/// A web server in place of our origin (emulate only).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Server {
    /// nginx: HTTP/1.1 and HTTP/2.
    Nginx,
    /// Caddy: HTTP/1.1, HTTP/2 and HTTP/3.
    Caddy,
}
