//! Pages already made.

use std::sync::{Arc, Mutex};

use bentpipe_run::PageSpec;

use super::error::PageError;
use super::files::{Files, NoFiles};
use super::site::Site;

/// Pages that are kept: the studies have a dozen.
const MOST: usize = 16;

/// Pages already made. Drawing one takes longer than a simulated load of it, and its bytes follow from its spec.
#[derive(Debug)]
pub struct Sites {
    kept: Mutex<Vec<(PageSpec, Arc<Site>)>>,
    files: Arc<dyn Files>,
}

impl Default for Sites {
    /// Of pages without files.
    fn default() -> Self {
        Self::with_files(Arc::new(NoFiles))
    }
}

impl Sites {
    /// Of pages whose files are read there.
    pub fn with_files(files: Arc<dyn Files>) -> Self {
        Self { kept: Mutex::default(), files }
    }

    /// The page of `spec`, made unless it is there.
    ///
    /// # Errors
    /// As [`Site::of`].
    ///
    /// # Panics
    /// When another thread panicked while it looked.
    pub fn of(&self, spec: &PageSpec) -> Result<Arc<Site>, PageError> {
        if let Some(site) = self.find(spec) {
            return Ok(site);
        }
        // Without the lock: threads that want other pages go on.
        let site = Arc::new(Site::of(spec, &*self.files)?);
        let mut kept = self.kept.lock().expect("no panic while looking");
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((spec.clone(), Arc::clone(&site)));
        Ok(site)
    }

    fn find(&self, spec: &PageSpec) -> Option<Arc<Site>> {
        let kept = self.kept.lock().expect("no panic while looking");
        kept.iter().find(|(page, _)| page == spec).map(|(_, site)| Arc::clone(site))
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_run::ObjectSpec;
    use bentpipe_units::Bytes;

    use super::*;

    fn page(bytes: u64) -> PageSpec {
        let object = ObjectSpec::new("/object.jpg", Bytes::new(bytes));
        PageSpec::new("page", [object])
    }

    #[test]
    fn a_page_is_made_once_and_is_the_one_asked_for() {
        let sites = Sites::default();
        let site = sites.of(&page(1_000)).unwrap();
        assert!(Arc::ptr_eq(&site, &sites.of(&page(1_000)).unwrap()));
        assert_eq!(sites.of(&page(2_000)).unwrap().get("/object.jpg").unwrap().body.len(), 2_000);
    }

    #[test]
    fn of_too_many_pages_the_oldest_goes() {
        let sites = Sites::default();
        let oldest = sites.of(&page(1_000)).unwrap();
        let kept = (1..=MOST as u64).map(|n| sites.of(&page(1_000 + n)).unwrap()).last().unwrap();
        assert!(Arc::ptr_eq(&kept, &sites.of(&page(1_000 + MOST as u64)).unwrap()));
        assert!(!Arc::ptr_eq(&oldest, &sites.of(&page(1_000)).unwrap()));
    }
}
