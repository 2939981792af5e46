//! The seam: specs, records and metrics: all files in one program, since each program is linked by itself.

mod common;
mod flows;
mod handshakes;
mod json;
mod metrics;
mod schema;
mod tunnel;
mod validity;
