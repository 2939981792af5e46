use bentpipe_emu::LocalFiles;
use bentpipe_run::PageSpec;
use bentpipe_web::page::{INDEX, Place, Resource, Site};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page_files, module)?)?;
    module.add_function(wrap_pyfunction!(site_files, module)?)
}

/// Host, path, media type and content of a resource.
type Served = (String, String, &'static str, Vec<u8>);

/// The files of a page's own host (JSON of the page's spec) as the origin serves them: (name, content), `index.html` first.
#[pyfunction]
fn page_files(page: &str) -> PyResult<Vec<(String, Vec<u8>)>> {
    let name = |path: &str| match path {
        INDEX => "index.html".to_owned(),
        path => path.trim_start_matches('/').to_owned(),
    };
    let site = site(page)?;
    let own = site.iter().filter(|(place, _)| place.host == 0);
    Ok(own.map(|(place, resource)| (name(&place.path), resource.body.to_vec())).collect())
}

/// What the origin serves of a page (JSON of its spec), by host and path; the document's path is `/`.
#[pyfunction]
fn site_files(page: &str) -> PyResult<Vec<Served>> {
    let site = site(page)?;
    let served = |(place, resource): (Place, &Resource)| {
        let host = site.hosts().names()[place.host].clone();
        (host, place.path, resource.content_type, resource.body.to_vec())
    };
    Ok(site.iter().map(served).collect())
}

fn site(page: &str) -> PyResult<Site> {
    let page: PageSpec = from_json(page)?;
    Site::of(&page, &LocalFiles).map_err(|error| PyValueError::new_err(error.to_string()))
}
