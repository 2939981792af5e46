use bentpipe_run::PageSpec;
use bentpipe_web::HOST;
use bentpipe_web::page::{INDEX, Resource, Site};
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page_files, module)?)?;
    module.add_function(wrap_pyfunction!(site_files, module)?)
}

/// The files of a page (JSON of its spec) as the origin serves them: (name, content), `index.html` first.
#[pyfunction]
fn page_files(page: &str) -> PyResult<Vec<(String, Vec<u8>)>> {
    let site = Site::of(&from_json::<PageSpec>(page)?);
    let name = |path: &str| match path {
        INDEX => "index.html".to_owned(),
        path => path.trim_start_matches('/').to_owned(),
    };
    Ok(site.iter().map(|(path, resource)| (name(path), resource.body.to_vec())).collect())
}

/// What the origin serves of a page (JSON of its spec): (host, path, media type, content).
#[pyfunction]
fn site_files(page: &str) -> PyResult<Vec<(String, String, &'static str, Vec<u8>)>> {
    let site = Site::of(&from_json::<PageSpec>(page)?);
    let file = |(path, resource): (&str, &Resource)| {
        (HOST.to_owned(), path.to_owned(), resource.content_type, resource.body.to_vec())
    };
    Ok(site.iter().map(file).collect())
}
