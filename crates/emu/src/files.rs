//! The files of this machine, for whoever serves them as objects of a page.

use std::io;
use std::path::{Component, Path};

use bentpipe_run::FileSpec;
use bentpipe_web::page::Files;

/// Files on this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

impl Files for LocalFiles {
    /// Reads none but regular files below the folder: others may have no end, or nothing to read for ever.
    fn read(&self, file: &FileSpec) -> io::Result<Vec<u8>> {
        let name = Path::new(&file.name);
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a path below the folder"));
        }
        let path = Path::new(&file.folder).join(name);
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file"));
        }
        std::fs::read(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Result<Vec<u8>, io::ErrorKind> {
        let folder = env!("CARGO_MANIFEST_DIR").to_owned();
        let file = FileSpec { folder, name: name.to_owned(), sha256: String::new() };
        LocalFiles.read(&file).map_err(|error| error.kind())
    }

    #[test]
    fn files_below_the_folder_are_read() {
        assert_eq!(read("src/files.rs").unwrap(), include_bytes!("files.rs"));
        assert_eq!(read("src/none.rs"), Err(io::ErrorKind::NotFound));
    }

    #[test]
    fn what_leads_out_of_the_folder_is_not_read() {
        let absolute = concat!(env!("CARGO_MANIFEST_DIR"), "/src/files.rs");
        for name in [absolute, "/dev/zero", "../emu/src/files.rs", "src/../src/files.rs"] {
            assert_eq!(read(name), Err(io::ErrorKind::InvalidInput), "{name}");
        }
    }

    #[test]
    fn what_is_no_regular_file_is_not_read() {
        assert_eq!(read("src"), Err(io::ErrorKind::InvalidInput));
        assert_eq!(read(""), Err(io::ErrorKind::InvalidInput));
    }
}
