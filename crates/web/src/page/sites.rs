use std::sync::{Arc, Mutex};

use bentpipe_run::PageSpec;

use super::Site;

/// Pages that are kept: the studies have a dozen.
const MOST: usize = 16;

/// Pages already made. Drawing one takes longer than a simulated load of it, and its bytes follow from its spec.
#[derive(Debug, Default)]
pub struct Sites(Mutex<Vec<(PageSpec, Arc<Site>)>>);

impl Sites {
    /// The page of `spec`, made unless it is there.
    ///
    /// # Panics
    /// When another thread panicked while it looked.
    pub fn of(&self, spec: &PageSpec) -> Arc<Site> {
        if let Some(site) = self.find(spec) {
            return site;
        }
        // Without the lock: threads that want other pages go on.
        let site = Arc::new(Site::of(spec));
        let mut kept = self.0.lock().expect("no panic while looking");
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push((spec.clone(), Arc::clone(&site)));
        site
    }

    fn find(&self, spec: &PageSpec) -> Option<Arc<Site>> {
        let kept = self.0.lock().expect("no panic while looking");
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
        let site = sites.of(&page(1_000));
        assert!(Arc::ptr_eq(&site, &sites.of(&page(1_000))));
        assert_eq!(sites.of(&page(2_000)).get("/object.jpg").unwrap().body.len(), 2_000);
    }

    #[test]
    fn of_too_many_pages_the_oldest_goes() {
        let sites = Sites::default();
        let oldest = sites.of(&page(1_000));
        let kept = (1..=MOST as u64).map(|n| sites.of(&page(1_000 + n))).last().unwrap();
        assert!(Arc::ptr_eq(&kept, &sites.of(&page(1_000 + MOST as u64))));
        assert!(!Arc::ptr_eq(&oldest, &sites.of(&page(1_000))));
    }
}
