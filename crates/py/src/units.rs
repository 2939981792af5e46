//! Quantities as they are written in scenarios, read and printed.

use bentpipe_units::{Bytes, Duration, ParseError, Rate, parse_fraction as fraction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse_duration_ns, module)?)?;
    module.add_function(wrap_pyfunction!(parse_rate_bps, module)?)?;
    module.add_function(wrap_pyfunction!(parse_size_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(parse_fraction, module)?)?;
    module.add_function(wrap_pyfunction!(format_duration, module)?)?;
    module.add_function(wrap_pyfunction!(format_rate, module)?)?;
    module.add_function(wrap_pyfunction!(format_size, module)?)
}

/// Nanoseconds in "250 ms".
#[pyfunction]
fn parse_duration_ns(text: &str) -> PyResult<u64> {
    text.parse().map(Duration::as_nanos).map_err(value_error)
}

/// Bits per second in "10 Mbit/s".
#[pyfunction]
fn parse_rate_bps(text: &str) -> PyResult<u64> {
    text.parse().map(Rate::as_bps).map_err(value_error)
}

/// Bytes in "36 MB".
#[pyfunction]
fn parse_size_bytes(text: &str) -> PyResult<u64> {
    text.parse().map(Bytes::get).map_err(value_error)
}

/// The fraction of one in "1 %" or "1e-6".
#[pyfunction]
fn parse_fraction(text: &str) -> PyResult<f64> {
    fraction(text).map_err(value_error)
}

/// "250 ms" of 250 000 000.
#[pyfunction]
fn format_duration(ns: u64) -> String {
    Duration::from_nanos(ns).to_string()
}

/// "10 Mbit/s" of 10 000 000.
#[pyfunction]
fn format_rate(bps: u64) -> String {
    Rate::from_bps(bps).to_string()
}

/// "36 MB" of 36 000 000.
#[pyfunction]
fn format_size(bytes: u64) -> String {
    Bytes::new(bytes).to_string()
}

fn value_error(error: ParseError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
