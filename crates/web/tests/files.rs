//! Pages of files: all that is in the page is loaded once, however a file names it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use bentpipe_net::testing::MemoryNet;
use bentpipe_run::{ClientReport, FileSpec, Http, ObjectKind, ObjectSpec, PageLoadSpec, PageSpec, Workload};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::page::{Files, Sites};
use bentpipe_web::{Client, loader};
use ring::digest::{SHA256, digest};

use crate::common::{client, page_load, start_origin_of};

const INDEX: &str = "index.html";

/// A folder without a file system.
#[derive(Debug)]
struct Folder(BTreeMap<String, String>);

impl Files for Folder {
    fn read(&self, file: &FileSpec) -> io::Result<Vec<u8>> {
        let content = self.0.get(&file.name).ok_or(io::ErrorKind::NotFound)?;
        Ok(content.clone().into_bytes())
    }
}

/// A file that is an object: its path, its content, and the index of what names it, unless that is the
/// document.
type Object = (&'static str, &'static str, Option<usize>);

fn file(name: &str, content: &str) -> FileSpec {
    let digest = digest(&SHA256, content.as_bytes());
    let sha256 = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    FileSpec { folder: "/folder".to_owned(), name: name.to_owned(), sha256 }
}

fn object((path, content, after): &Object) -> ObjectSpec {
    let kind = match path.rsplit_once('.') {
        Some((_, "css")) => ObjectKind::Style,
        Some((_, "js")) => ObjectKind::Script,
        Some((_, "png")) => ObjectKind::Image,
        _ => ObjectKind::Other,
    };
    let (after, file) = (*after, Some(file(path, content)));
    ObjectSpec { kind, after, file, ..ObjectSpec::new(*path, Bytes::new(content.len() as u64)) }
}

fn page(document: &str, objects: &[Object]) -> PageSpec {
    let document = Some(file(INDEX, document));
    PageSpec { document, ..PageSpec::new("files", objects.iter().map(object)) }
}

fn loaded(page: PageSpec, document: &'static str, objects: &[Object]) -> ClientReport {
    let files = objects.iter().map(|(path, content, _)| (*path, *content)).chain([(INDEX, document)]);
    let folder = Folder(files.map(|(name, content)| (name.to_owned(), content.to_owned())).collect());
    let sites = Arc::new(Sites::with_files(Arc::new(folder)));
    MemoryNet::run(async move |net| {
        let (mut spec, identity) = page_load(Http::H1);
        let load = PageLoadSpec::new(Http::H1, 6, page);
        spec.workload = Workload::PageLoad(load.clone());
        let _origin = start_origin_of(&net, &spec, &identity, Arc::clone(&sites));
        loader::load(&net, Client { sites, ..client(&spec, &identity) }, load).await
    })
}

/// That all of the page is loaded, and nothing else.
fn check(document: &'static str, objects: &[Object]) {
    let report = loaded(page(document, objects), document, objects);
    assert_eq!((&report.faults, &report.doubts), (&Vec::new(), &Vec::new()), "{document}");
    let mut found: Vec<_> = report.objects.iter().map(|object| object.url.clone()).collect();
    found.sort_unstable();
    let paths = objects.iter().map(|(path, ..)| *path).chain(["/"]);
    let mut expected: Vec<_> = paths.map(|path| format!("http://origin.bentpipe.test{path}")).collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{document}");
}

#[test]
fn what_is_named_with_a_query_and_without_is_loaded_once() {
    let sheet = |css| [("/a.css", css, None), ("/a.eot", "font", Some(0))];
    for css in [
        "@font-face{src:url('a.eot?#iefix')}",
        "@font-face{src:url('a.eot');src:url('a.eot?#iefix')}",
        "@font-face{src:url('a.eot?x');src:url('a.eot?y')}",
    ] {
        check("<link rel=stylesheet href=a.css>", &sheet(css));
    }
    check(
        "<img src=a.png?x=1><img src=a.png?x=2><img src=/?x>",
        &[("/a.png?x=1", "one", None), ("/a.png?x=2", "two", None)],
    );
}

#[test]
fn what_a_document_names_is_loaded_however_it_does() {
    for (document, path) in [
        ("<img srcset='a.png 1x'>", "/a.png"),
        ("<picture><source srcset=a.webp></picture>", "/a.webp"),
        ("<p style='background:url(a.png)'>", "/a.png"),
        ("<video poster=a.png></video>", "/a.png"),
        ("<embed src=a.png>", "/a.png"),
        ("<object data=a.png></object>", "/a.png"),
        ("<input type=image src=a.png>", "/a.png"),
        ("<base href=/sub/><img src=a.png>", "/sub/a.png"),
        ("<img src='my \u{fc}.png'>", "/my%20%C3%BC.png"),
        ("<img src=x/./../a.png>", "/a.png"),
        ("<script>var r = /\\/\\//; fetch('/a.json')</script>", "/a.json"),
        ("<script>fetch('/' + 'a' + '.json')</script>", "/a.json"),
    ] {
        check(document, &[(path, "content", None)]);
    }
}

#[test]
fn what_other_files_name_is_loaded_however_they_do() {
    check("<iframe src=f.html></iframe>", &[("/f.html", "<img src=a.png>", None), ("/a.png", "a", Some(0))]);
    check(
        "<script type=module src=/js/a.js></script>",
        &[("/js/a.js", "import './b.js'", None), ("/js/b.js", "", Some(0))],
    );
    check(
        "<script src=a.js></script>",
        &[("/a.js", "var r = /\\/\\//; fetch('/b.json')", None), ("/b.json", "{}", Some(0))],
    );
    check(
        "<link rel=stylesheet href=/css/a.css>",
        &[("/css/a.css", "p { background: u\\72l(../a.png) }", None), ("/a.png", "a", Some(0))],
    );
}

#[test]
fn what_only_the_page_says_a_file_names_waits_for_that_file_and_as_long_as_the_page_says() {
    let (document, objects) = (
        "<script src=a.js></script>",
        [("/a.js", "fetch('/' + 'b')", None), ("/b", "b", Some(0)), ("/c", "c", None)],
    );
    let mut page = page(document, &objects);
    page.objects[1].wait_ns = Some(Duration::from_millis(50));
    let report = loaded(page, document, &objects);
    let object = |path: &str| report.objects.iter().find(|object| object.url.ends_with(path)).expect(path);
    assert_eq!(object("/b").discovered, object("/a.js").last_byte + Duration::from_millis(50));
    assert_eq!(object("/c").discovered, report.objects[0].last_byte);
}
