use bentpipe_run::PageSpec;
use bentpipe_web::page::{INDEX, Site};
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(page_files, module)?)
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
