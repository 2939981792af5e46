//! Pages as the origin serves them: images that other people's programs can read, of exact length, that no
//! compressor on the way makes smaller.

use bentpipe_run::{ObjectSpec, PageSpec};
use bentpipe_units::Bytes;
use bentpipe_web::page::{INDEX, Site};
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

fn jpeg(length: u64) -> Vec<u8> {
    Site::of(&page(&[("/object.jpg", length)])).get("/object.jpg").unwrap().body.to_vec()
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
    let site = Site::of(&page(&[("/z.jpg", 700), ("/a.jpg", 701)]));
    let html = String::from_utf8(site.get(INDEX).unwrap().body.to_vec()).unwrap();
    let place = |path: &str| html.find(&format!("src=\"{path}\"")).expect(path);
    assert!(place("/z.jpg") < place("/a.jpg"));
}

#[test]
fn names_that_are_no_html_are_escaped() {
    let spec = PageSpec { name: "<b>\"&\"</b>".to_owned(), ..page(&[]) };
    let html = String::from_utf8(Site::of(&spec).get(INDEX).unwrap().body.to_vec()).unwrap();
    assert!(html.contains("<title>&lt;b&gt;&quot;&amp;&quot;&lt;/b&gt;</title>"), "{html}");
}

#[test]
fn a_document_has_the_length_that_is_stated_unless_its_markup_is_longer() {
    let markup = page(&[("/z.jpg", 700)]);
    let document = |document_bytes: Option<u64>| {
        let spec = PageSpec { document_bytes: document_bytes.map(Bytes::new), ..markup.clone() };
        String::from_utf8(Site::of(&spec).get(INDEX).unwrap().body.to_vec()).unwrap()
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
    assert_eq!(Site::of(&spec).get(INDEX).unwrap().body.len(), 24_800);
}

#[test]
fn every_resource_carries_the_digest_of_its_body() {
    let site = Site::of(&page(&[("/a.jpg", 5_000), ("/b.jpg", 5_000)]));
    assert_eq!(site.iter().count(), 3);
    for (path, resource) in site.iter() {
        assert_eq!(resource.digest.as_ref(), digest(&SHA256, &resource.body).as_ref(), "{path}");
    }
}

#[test]
fn two_sites_of_one_spec_are_equal_to_the_byte() {
    let spec = page(&[("/a.jpg", 5_000), ("/b.jpg", 62_500)]);
    let (one, other) = (Site::of(&spec), Site::of(&spec));
    assert!(one.iter().zip(other.iter()).all(|(a, b)| a.0 == b.0 && a.1.body == b.1.body));
}
