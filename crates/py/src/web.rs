use bentpipe_emu::LocalFiles;
use bentpipe_run::PageSpec;
use bentpipe_web::page::{INDEX, Place, Resource, Site};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page_files, module)?)?;
    module.add_function(wrap_pyfunction!(page_resources, module)?)
}

/// A resource of a page.
#[derive(IntoPyObject)]
struct ResourceRow {
    host: String,
    path: String,
    content_type: &'static str,
    body: Vec<u8>,
}

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

/// All resources of a page (JSON of its spec) as the origin serves them, by host and path; the document's path is `/`.
#[pyfunction]
fn page_resources(page: &str) -> PyResult<Vec<ResourceRow>> {
    let site = site(page)?;
    let row = |(place, resource): (Place, &Resource)| ResourceRow {
        host: site.hosts().names()[place.host].clone(),
        path: place.path,
        content_type: resource.content_type,
        body: resource.body.to_vec(),
    };
    Ok(site.iter().map(row).collect())
}

fn site(page: &str) -> PyResult<Site> {
    let page: PageSpec = from_json(page)?;
    Site::of(&page, &LocalFiles).map_err(|error| PyValueError::new_err(error.to_string()))
}
