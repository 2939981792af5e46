use bentpipe_link::{SpecError, check, nominal_rate};
use bentpipe_run::{CapacitySpec, LinkSpec};
use bentpipe_units::Bytes;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(link_nominal_bps, module)?)?;
    module.add_function(wrap_pyfunction!(check_link, module)?)
}

/// Bits per second of full IP packets in clear sky, of a capacity in JSON.
///
/// ValueError says which field cannot be as it is, what was expected and what was found.
#[pyfunction]
fn link_nominal_bps(capacity_json: &str, mtu_bytes: u64) -> PyResult<u64> {
    let capacity: CapacitySpec = from_json(capacity_json)?;
    Ok(nominal_rate(&capacity, Bytes::new(mtu_bytes)).map_err(value_error)?.as_bps())
}

/// Raises ValueError with the field, what was expected and what was found when there can be no such link.
#[pyfunction]
fn check_link(link_json: &str) -> PyResult<()> {
    check(&from_json::<LinkSpec>(link_json)?).map_err(value_error)
}

fn value_error(error: SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
