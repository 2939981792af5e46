//! Pages as the origin serves them: images that other people's programs can read, of exact length, that no
//! compressor on the way makes smaller.

use bentpipe_run::{ObjectKind, ObjectSpec, PageSpec};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::page::{INDEX, NoFiles, Place, Site};
use miniz_oxide::deflate::compress_to_vec;
use proptest::prelude::*;
use ring::digest::{SHA256, digest};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// What deflate takes off the quantisation and Huffman tables that every file has (ISO/IEC 10918-1 annex K: 2 x 64
/// and 2 x (28 + 178) bytes): 137 bytes measured.
const TABLES: usize = 200;
/// Slowest and best.
const BEST: u8 = 10;

fn page(objects: &[(&str, u64)]) -> PageSpec {
    let objects = objects.iter().map(|(path, bytes)| ObjectSpec::new(*path, Bytes::new(*bytes)));
    PageSpec::new("a page", objects)
}

fn site(page: &PageSpec) -> Site {
    Site::of(page, &NoFiles).expect("a page of nothing but what is made")
}

fn jpeg(length: u64) -> Vec<u8> {
    site(&page(&[("/object.jpg", length)])).get("/object.jpg").unwrap().body.to_vec()
}

/// Width, height and the image, by a decoder that shares no code with the encoder and allows no defects.
fn decoded(file: &[u8]) -> (usize, usize, Vec<u8>) {
    let options = DecoderOptions::default().set_strict_mode(true);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    let pixels = decoder.decode().expect("a JPEG file");
    let (width, height) = decoder.dimensions().unwrap();
    (width, height, pixels)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_object_of_any_size_is_a_jpeg_of_exactly_that_size(length in 700..200_000u64) {
        let file = jpeg(length);
        prop_assert_eq!(file.len() as u64, length);
        let (width, height, pixels) = decoded(&file);
        prop_assert_eq!(width, height);
        prop_assert_eq!(pixels.len(), width * height * 3);
    }

    #[test]
    fn deflate_saves_less_than_one_percent_beyond_the_tables(length in 700..200_000u64) {
        let file = jpeg(length);
        let saved = file.len().saturating_sub(compress_to_vec(&file, BEST).len());
        prop_assert!(saved <= TABLES + file.len() / 100, "{saved} of {length} bytes");
    }
}

#[test]
fn deflate_saves_less_than_two_percent_of_the_objects_of_the_studies() {
    // Sizes of alshagri2023 (12.5 kB to 540 kB) and secchi2018 (100 kB; of its 5 kB the tables are 2.7 %).
    for length in [12_500, 62_500, 100_000, 250_000, 540_000] {
        let file = jpeg(length);
        let left = compress_to_vec(&file, BEST).len();
        assert!(left as f64 > 0.98 * file.len() as f64, "{left} of {length} bytes");
    }
}

#[test]
fn most_of_a_large_object_is_image_and_not_padding() {
    // Noise has 24 bits of entropy a pixel; at quality 85 fewer than 40 are left, coded.
    let (width, height, _) = decoded(&jpeg(100_000));
    assert!(width * height > 20_000, "{width} x {height}");
}

#[test]
fn the_document_names_the_objects_in_their_order() {
    let site = site(&page(&[("/z.jpg", 700), ("/a.jpg", 701)]));
    let html = String::from_utf8(site.get(INDEX).unwrap().body.to_vec()).unwrap();
    let place = |path: &str| html.find(&format!("src=\"{path}\"")).expect(path);
    assert!(place("/z.jpg") < place("/a.jpg"));
}

#[test]
fn names_that_are_no_html_are_escaped() {
    let spec = PageSpec { name: "<b>\"&\"</b>".to_owned(), ..page(&[]) };
    let html = String::from_utf8(site(&spec).get(INDEX).unwrap().body.to_vec()).unwrap();
    assert!(html.contains("<title>&lt;b&gt;&quot;&amp;&quot;&lt;/b&gt;</title>"), "{html}");
}

#[test]
fn a_document_has_the_length_that_is_stated_unless_its_markup_is_longer() {
    let markup = page(&[("/z.jpg", 700)]);
    let document = |document_bytes: Option<u64>| {
        let spec = PageSpec { document_bytes: document_bytes.map(Bytes::new), ..markup.clone() };
        String::from_utf8(site(&spec).get(INDEX).unwrap().body.to_vec()).unwrap()
    };
    let plain = document(None);
    let least = plain.len();
    assert!([0, least as u64].iter().all(|length| document(Some(*length)) == plain));
    // A comment takes seven bytes; what is shorter is blank.
    for more in [1, 6, 7, 8, 2_000] {
        let filled = document(Some((least + more) as u64));
        assert_eq!(filled.len(), least + more);
        let filler = filled.strip_prefix(&plain).expect("the markup first");
        let comment = filler.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
        assert_eq!(comment.is_some(), more >= 7, "{filler}");
        assert!(comment.unwrap_or(filler).chars().all(|letter| letter == ' '), "{filler}");
    }
}

#[test]
fn the_document_of_caviglione2014_has_room_for_its_641_tags() {
    // main.html of 24.8 kB with 640 images and one more object (docs/studies/caviglione2014.md).
    let paths: Vec<String> = (1..=641).map(|number| format!("/object-{number}.jpg")).collect();
    let objects: Vec<(&str, u64)> = paths.iter().map(|path| (path.as_str(), 1)).collect();
    let spec =
        PageSpec { name: "snep-642".to_owned(), document_bytes: Some(Bytes::new(24_800)), ..page(&objects) };
    assert_eq!(site(&spec).get(INDEX).unwrap().body.len(), 24_800);
}

/// The content of the resource at a path of host number `host`.
fn body(site: &Site, host: usize, path: &str) -> String {
    String::from_utf8(site.on(host, path).expect(path).body.to_vec()).unwrap()
}

fn object(kind: ObjectKind, path: &str, bytes: u64, after: Option<usize>) -> ObjectSpec {
    ObjectSpec { kind, after, ..ObjectSpec::new(path, Bytes::new(bytes)) }
}

#[test]
fn style_sheets_and_scripts_name_what_comes_after_them_and_have_their_lengths() {
    let elsewhere = |object| ObjectSpec { host: Some("cdn.example".to_owned()), ..object };
    let page = PageSpec::new(
        "page",
        [
            elsewhere(object(ObjectKind::Style, "/a.css", 500, None)),
            elsewhere(object(ObjectKind::Image, "/b.jpg", 10, Some(0))),
            object(ObjectKind::Font, "/c.woff2", 10, Some(0)),
            object(ObjectKind::Style, "/d.css", 10, Some(0)),
            object(ObjectKind::Script, "/e.js", 500, None),
            elsewhere(object(ObjectKind::Image, "/f.jpg", 10, Some(4))),
            ObjectSpec {
                wait_ns: Some(Duration::from_millis(50)),
                ..object(ObjectKind::Other, "/g?h=%22&i", 10, Some(4))
            },
            object(ObjectKind::Script, "/i.js", 0, None),
        ],
    );
    let site = site(&page);
    let css = body(&site, 1, "/a.css");
    assert_eq!(css.len(), 500);
    // Relative to the style sheet: its own host needs no name.
    let rules = "@import url(\"//origin.bentpipe.test/d.css\");\n\
        #object-1{background-image:url(\"/b.jpg\")}\n\
        @font-face{font-family:object-2;src:url(\"//origin.bentpipe.test/c.woff2\")}\n\
        #object-2{font-family:object-2}\n/*";
    assert!(css.starts_with(rules) && css.ends_with("*/"), "{css}");
    // Relative to the document.
    let script = body(&site, 0, "/e.js");
    assert_eq!(script.len(), 500);
    let calls = "bentpipe(\"image\",\"//cdn.example/f.jpg\",0);\nbentpipe(\"other\",\"/g?h=%22&i\",50);\n/*";
    assert!(script.starts_with(calls) && script.ends_with("*/"), "{script}");
    assert_eq!(body(&site, 0, "/i.js"), "");
    assert_eq!(body(&site, 0, "/d.css"), "/*      */");
    let html = body(&site, 0, INDEX);
    for element in [
        "function bentpipe(kind, url, wait) {",
        "<link rel=\"stylesheet\" href=\"//cdn.example/a.css\">",
        "<script async src=\"/e.js\"></script>",
        "<p id=\"object-1\">",
        "<p id=\"object-2\">",
    ] {
        assert!(html.contains(element), "{element} in {html}");
    }
    assert!(!html.contains("b.jpg") && !html.contains("g?h"), "{html}");
}

#[test]
fn what_waits_for_the_document_is_called_at_its_end() {
    let waiting = ObjectSpec {
        wait_ns: Some(Duration::from_millis(300)),
        ..object(ObjectKind::Image, "/late.jpg", 10, None)
    };
    let page = PageSpec { document_bytes: Some(Bytes::new(5_000)), ..PageSpec::new("page", [waiting]) };
    let html = body(&site(&page), 0, INDEX);
    assert_eq!(html.len(), 5_000);
    let end = " --><script>\nbentpipe(\"image\",\"/late.jpg\",300);\n</script>\n</html>\n";
    assert!(html.ends_with(&end.replace(" --", "--")), "{html}");
}

#[test]
fn a_page_in_which_objects_name_what_they_cannot_is_refused() {
    use ObjectKind::{Font, Image, Other, Script, Style};
    let waiting = |object| ObjectSpec { wait_ns: Some(Duration::from_millis(1)), ..object };
    let cases = [
        (
            vec![object(Image, "/a", 1, Some(7))],
            "page.objects.0.after: expected the index of an object, found object 7",
        ),
        (
            vec![object(Script, "/a", 1, Some(1)), object(Script, "/b", 1, Some(7))],
            "page.objects.1.after: expected the index of an object, found object 7",
        ),
        (
            vec![object(Image, "/a", 1, None), object(Image, "/b", 1, Some(0))],
            "page.objects.1.after: expected a style sheet or a script, found object 0",
        ),
        (
            vec![object(Style, "/a", 1, None), object(Other, "/b", 1, Some(0))],
            "page.objects.1.after: expected the document or a script, found object 0",
        ),
        (
            vec![object(Script, "/a", 1, Some(1)), object(Script, "/b", 1, Some(0))],
            "page.objects.0.after: expected to lead to the document, found a circle",
        ),
        (
            vec![object(Style, "/a", 1, None), waiting(object(Font, "/b", 1, Some(0)))],
            "page.objects.1.wait_ns: expected none after a style sheet, which loads what it names at once",
        ),
    ];
    for (objects, expected) in cases {
        let error = Site::of(&PageSpec::new("page", objects), &NoFiles).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_page_whose_objects_are_where_nobody_can_ask_for_them_is_refused() {
    let long = format!("/{}", "a".repeat(65_534));
    for path in [
        "",
        "a",
        "/a/../b",
        "/./a",
        "/a b",
        "/\u{fc}",
        "/g?h=\"x",
        "/a#b",
        "//cdn.example/a",
        "https:/a",
        &long,
    ] {
        let error = Site::of(&page(&[("/a.jpg", 1), (path, 1)]), &NoFiles).unwrap_err();
        let expected = "a path from the root as it is asked for, without dots, percent-encoded";
        assert_eq!(error.to_string(), format!("page.objects.1.path: expected {expected}, found {path}"));
    }
    for paths in [["/a.jpg", "/a.jpg"], ["/a.jpg", "/"]] {
        let error = Site::of(&page(&paths.map(|path| (path, 1))), &NoFiles).unwrap_err();
        let expected = "one that nothing else on its host has";
        let found = paths[1];
        assert_eq!(error.to_string(), format!("page.objects.1.path: expected {expected}, found {found}"));
    }
    let elsewhere = ["/", "/a.jpg", "/a.jpg?x=1"].map(|path| ObjectSpec {
        host: Some("cdn.example".to_owned()),
        ..ObjectSpec::new(path, Bytes::new(1))
    });
    let own = ObjectSpec::new("/a.jpg", Bytes::new(1));
    assert_eq!(site(&PageSpec::new("page", elsewhere.into_iter().chain([own]))).iter().count(), 5);
}

#[test]
fn a_query_that_the_page_does_not_have_is_dropped_and_others_stay_apart() {
    let site = site(&page(&[("/a.eot", 10), ("/b.js", 11), ("/b.js?v=1", 12)]));
    for (asked, found) in [
        ("/a.eot", Some("/a.eot")),
        ("/a.eot?", Some("/a.eot")),
        ("/a.eot?x", Some("/a.eot")),
        ("/b.js?v=1", Some("/b.js?v=1")),
        ("/b.js?v=2", Some("/b.js")),
        ("/c?x", None),
    ] {
        assert_eq!(site.place(&Place::own(asked)), found.map(Place::own), "{asked}");
        let length = |path: &str| site.get(path).map(|resource| resource.body.len());
        assert_eq!(length(asked), found.and_then(length), "{asked}");
    }
}

#[test]
fn every_resource_carries_the_digest_of_its_body() {
    let site = site(&page(&[("/a.jpg", 5_000), ("/b.jpg", 5_000)]));
    assert_eq!(site.iter().count(), 3);
    for (place, resource) in site.iter() {
        assert_eq!(resource.digest.as_ref(), digest(&SHA256, &resource.body).as_ref(), "{place:?}");
    }
}

#[test]
fn two_sites_of_one_spec_are_equal_to_the_byte() {
    let spec = page(&[("/a.jpg", 5_000), ("/b.jpg", 62_500)]);
    let (one, other) = (site(&spec), site(&spec));
    assert!(one.iter().zip(other.iter()).all(|(a, b)| a.0 == b.0 && a.1.body == b.1.body));
}
