//! Objects that the origin sends unasked.

use bentpipe_run::{ObjectSpec, PageLoadSpec};

use crate::hosts::Hosts;

/// How many objects the origin may push; none where a client takes no pushes.
pub(crate) fn promises(load: &PageLoadSpec) -> Option<usize> {
    load.push_percent.map(|_| objects(load).len())
}

/// The objects that the origin pushes: the first ones of those on the page's own host (RFC 9113 section 8.4),
/// of which half a one counts as one.
pub(crate) fn objects(load: &PageLoadSpec) -> Vec<&ObjectSpec> {
    let hosts = Hosts::of_page(&load.page);
    let is_own = |object: &&ObjectSpec| hosts.of_object(object.host.as_deref()) == 0;
    let mut objects: Vec<_> = load.page.objects.iter().filter(is_own).collect();
    let percent = load.push_percent.unwrap_or(0) as usize;
    objects.truncate((objects.len() * percent + 50) / 100);
    objects
}

#[cfg(test)]
mod tests {
    use bentpipe_run::{Http, PageSpec};
    use bentpipe_units::Bytes;

    use super::*;

    fn pushed(objects_of_page: usize, push_percent: Option<u32>) -> Vec<String> {
        let object = |n| ObjectSpec::new(format!("/{n}.jpg"), Bytes::new(1000));
        let page = PageSpec::new("page", (0..objects_of_page).map(object));
        let load = PageLoadSpec { push_percent, ..PageLoadSpec::new(Http::H2, 1, page) };
        objects(&load).iter().map(|object| object.path.clone()).collect()
    }

    #[test]
    fn the_first_objects_are_pushed_and_half_an_object_is_one() {
        assert_eq!(pushed(5, Some(50)), ["/0.jpg", "/1.jpg", "/2.jpg"]);
        // 49 % of 5 are 2.45 objects.
        assert_eq!(pushed(5, Some(49)), ["/0.jpg", "/1.jpg"]);
        // Caviglione's page: 50 % of 642 objects.
        assert_eq!(pushed(642, Some(50)).len(), 321);
    }

    #[test]
    fn what_other_hosts_serve_is_not_pushed() {
        let object = |n| ObjectSpec {
            host: (n % 2 == 0).then(|| "cdn.example".to_owned()),
            ..ObjectSpec::new(format!("/{n}.jpg"), Bytes::new(1000))
        };
        let page = PageSpec::new("page", (0..4).map(object));
        let load = PageLoadSpec { push_percent: Some(100), ..PageLoadSpec::new(Http::H2, 1, page) };
        let paths: Vec<_> = objects(&load).into_iter().map(|object| &*object.path).collect();
        assert_eq!(paths, ["/1.jpg", "/3.jpg"]);
    }

    #[test]
    fn nothing_all_and_more_than_all_are_pushed_as_the_page_allows() {
        for (percent, expected) in [(None, 0), (Some(0), 0), (Some(100), 7), (Some(250), 7)] {
            assert_eq!(pushed(7, percent).len(), expected, "{percent:?}");
        }
        assert_eq!(pushed(0, Some(100)).len(), 0);
    }
}
