use std::io;
use std::path::Path;

use bentpipe_run::FileSpec;
use bentpipe_web::page::Files;

/// Files on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

impl Files for LocalFiles {
    fn read(&self, file: &FileSpec) -> io::Result<Vec<u8>> {
        std::fs::read(Path::new(&file.folder).join(&file.name))
    }
}
