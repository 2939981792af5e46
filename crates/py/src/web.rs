use bentpipe_emu::LocalFiles;
use bentpipe_run::PageSpec;
use bentpipe_web::page::{Place, Resource, Site};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(site_files, module)?)
}

/// Host, path, media type and content of a resource.
type Served = (String, String, &'static str, Vec<u8>);

/// What the origin serves of a page (JSON of its spec) by host and path, the document (`/`) first.
#[pyfunction]
fn site_files(page: &str) -> PyResult<Vec<Served>> {
    let page: PageSpec = from_json(page)?;
    let site = Site::of(&page, &LocalFiles).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let served = |(place, resource): (Place, &Resource)| {
        let host = site.hosts().names()[place.host].clone();
        (host, place.path, resource.content_type, resource.body.to_vec())
    };
    Ok(site.iter().map(served).collect())
}
