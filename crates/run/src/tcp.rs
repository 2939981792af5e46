use bentpipe_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Switch;

/// TCP settings, applied through socket options or the namespace's sysctls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpSpec {
    /// Initial window in segments (RFC 6928: 10).
    pub initial_window: u32,
    /// Upper limit of receive-buffer auto-tuning (third value of `tcp_rmem`).
    pub receive_buffer_bytes: Bytes,
    /// Upper limit of send-buffer auto-tuning (third value of `tcp_wmem`).
    pub send_buffer_bytes: Bytes,
    /// Whether the window collapses after an idle RTO (`tcp_slow_start_after_idle`, RFC 2861).
    pub slow_start_after_idle: bool,
    /// TCP Fast Open (RFC 7413) at both ends.
    #[serde(default, skip_serializing_if = "Switch::is_off")]
    pub fast_open: Switch,
    /// Nagle's algorithm (RFC 9293 section 3.7.4); off as browsers and servers have it.
    #[serde(default, skip_serializing_if = "Switch::is_off")]
    pub nagle: Switch,
    /// Whether each segment is acknowledged at once (the route's `quickack`) rather than by Linux's own rules.
    #[serde(default, skip_serializing_if = "Switch::is_off")]
    pub quick_ack: Switch,
    /// A page's client that has no connection after this time opens a second one beside it (Chromium: 250 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect_retry_ns: Option<Duration>,
    /// A page's client resets a connection that has been idle for this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_reset_ns: Option<Duration>,
}
