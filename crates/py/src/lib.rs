//! `bentpipe._core`: the Rust side of Bentpipe as a Python module. Conversions only, no logic.

mod emulate;
mod link;
mod packetdrill;
mod record;
mod recording;
mod simulate;
mod tables;
mod units;
mod web;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    units::register(module)?;
    tables::register(module)?;
    record::register(module)?;
    web::register(module)?;
    link::register(module)?;
    recording::register(module)?;
    emulate::register(module)?;
    packetdrill::register(module)?;
    simulate::register(module)
}
