//! The header of a response, where the run gives it a size: the fields that Apache 2.2 sends with a file, filled up.

use std::fmt::Write;

use bentpipe_units::Time;
use http::{HeaderName, HeaderValue, Response, Version, header};

use crate::page::Resource;

/// Apache of Debian 7, its server line whole (`ServerTokens OS`).
const SERVER: &str = "Apache/2.2.22 (Debian)";
/// Apache's `KeepAliveTimeout`.
const KEEP_ALIVE: &str = "timeout=5";
/// The day on which all files were written, as in a field and in seconds of the epoch ...
const WRITTEN_DAY: &str = "Mon, 07 Oct 2013";
const WRITTEN_DAY_S: u64 = 1_381_104_000;
/// ... and the day of all runs, whose clock has the time of day.
const TODAY: &str = "Tue, 08 Oct 2013";
const DAY_S: u64 = 86_400;
/// Apache's own for a field that only lengthens a header (`X-Pad: avoid browser bug`).
const PADDING: HeaderName = HeaderName::from_static("x-pad");
/// Of each field: colon, space, line end (RFC 9112 section 5).
const FRAMING_BYTES: usize = 4;

/// When a response is made, and what follows it on its connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    pub(super) now: Time,
    pub(super) afterwards: Afterwards,
}

/// What follows a response on its connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Afterwards {
    /// Further requests, where they are limited as many.
    Requests(Option<u32>),
    /// Its end.
    Close,
    /// Whatever it is, no field says so: HTTP/2, HTTP/3 and SPDY have none for it (RFC 9113 section 8.2.2).
    Unsaid,
}

impl Circumstances {
    /// Of a protocol with streams.
    pub(super) const fn of_stream(now: Time) -> Self {
        Self { now, afterwards: Afterwards::Unsaid }
    }
}

/// Adds fields until the header, written in HTTP/1.1 from its first line to the empty one, has `size` bytes.
///
/// Of Apache's those are taken that fit, in the order of [`candidates`]. What is left over then is a field of padding or, where it
/// is too short for one, more digits of the entity tag. A protocol that has no fields about the connection leaves them
/// out in the end, and has the same other fields.
pub(super) fn fill<T>(
    response: &mut Response<T>,
    resource: &Resource,
    size: usize,
    circumstances: Circumstances,
) {
    if let Afterwards::Close = circumstances.afterwards {
        // Apache says so to HTTP/1.0 as well.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let mut left = size.saturating_sub(written_bytes(response));
    let mut take = |bytes: usize| {
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    let file = File::of(resource);
    let has_tag = take(field_bytes(&header::ETAG, &file.tag(1)));
    let taken: Vec<_> = candidates(&file, circumstances)
        .into_iter()
        .filter(|fields| take(fields.iter().map(|(name, value)| field_bytes(name, value)).sum()))
        .flatten()
        .filter(|(name, _)| !is_unsaid(name, circumstances.afterwards))
        .collect();
    let padding = left.checked_sub(field_bytes(&PADDING, "")).map(|bytes| (PADDING, "a".repeat(bytes)));
    let digits = if padding.is_some() { 1 } else { 1 + left };
    let tag = has_tag.then(|| (header::ETAG, file.tag(digits)));
    for (name, value) in taken.into_iter().chain(tag).chain(padding) {
        response.headers_mut().insert(name, HeaderValue::try_from(value).expect("printable"));
    }
}

type Fields = Vec<(HeaderName, String)>;

/// The fields that Apache sends with a file beside its entity tag, type and length; first those that are to fit first.
/// Those about the connection belong together.
fn candidates(file: &File<'_>, Circumstances { now, afterwards }: Circumstances) -> [Fields; 5] {
    let keep_alive = match afterwards {
        Afterwards::Requests(Some(left)) => format!("{KEEP_ALIVE}, max={left}"),
        Afterwards::Requests(None) | Afterwards::Close | Afterwards::Unsaid => KEEP_ALIVE.to_owned(),
    };
    let connection = match afterwards {
        // It stands there, whatever fits.
        Afterwards::Close => Vec::new(),
        Afterwards::Requests(_) | Afterwards::Unsaid => vec![
            (HeaderName::from_static("keep-alive"), keep_alive),
            (header::CONNECTION, "Keep-Alive".to_owned()),
        ],
    };
    let today_s = now.as_nanos() / 1_000_000_000 % DAY_S;
    [
        vec![(header::DATE, date(TODAY, today_s))],
        vec![(header::SERVER, SERVER.to_owned())],
        vec![(header::LAST_MODIFIED, date(WRITTEN_DAY, file.written_s))],
        connection,
        vec![(header::ACCEPT_RANGES, "bytes".to_owned())],
    ]
}

fn is_unsaid(name: &HeaderName, afterwards: Afterwards) -> bool {
    matches!(afterwards, Afterwards::Unsaid) && (name == header::CONNECTION || name == "keep-alive")
}

/// What a file system would say of a resource; two resources differ in it, and each has the same in every run.
struct File<'a> {
    resource: &'a Resource,
    /// The second of the day on which it was written.
    written_s: u64,
}

impl<'a> File<'a> {
    fn of(resource: &'a Resource) -> Self {
        let drawn = resource.digest.as_ref().first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        Self { resource, written_s: u64::from(drawn) % DAY_S }
    }

    /// The entity tag of Apache 2.2 (`FileETag INode MTime Size`), the time in microseconds, with an inode of so many
    /// digits.
    fn tag(&self, digits: usize) -> String {
        let Self { resource, written_s } = self;
        let mut inode = String::new();
        for byte in resource.digest.as_ref().iter().cycle().take(digits.div_ceil(2)) {
            write!(inode, "{byte:02x}").expect("a string takes everything");
        }
        inode.truncate(digits);
        let modified_us = (WRITTEN_DAY_S + written_s) * 1_000_000;
        format!("\"{inode}-{:x}-{modified_us:x}\"", resource.body.len())
    }
}

/// A date as HTTP has it (RFC 9110 section 5.6.7).
fn date(day: &str, second: u64) -> String {
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{day} {hour:02}:{minute:02}:{second:02} GMT")
}

fn field_bytes(name: &HeaderName, value: &str) -> usize {
    name.as_str().len() + value.len() + FRAMING_BYTES
}

/// The header as HTTP/1.1 writes it (RFC 9112 sections 4 and 5), with the empty line.
fn written_bytes<T>(response: &Response<T>) -> usize {
    let status = response.status();
    let first = format!(
        "{:?} {} {}\r\n",
        Version::HTTP_11,
        status.as_str(),
        status.canonical_reason().unwrap_or_default()
    );
    let field =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + FRAMING_BYTES;
    first.len() + response.headers().iter().map(field).sum::<usize>() + "\r\n".len()
}

#[cfg(test)]
mod tests {
    use bentpipe_http::http1::encode_response;
    use bentpipe_run::{ObjectSpec, PageSpec};
    use bentpipe_units::Bytes;
    use http::{HeaderMap, Method};

    use super::*;
    use crate::origin::respond::respond_of;
    use crate::origin::served::Served;
    use crate::page::{INDEX, NoFiles, Site};

    const IMAGE: &str = "/object-1.jpg";
    /// Of `scenario/hosts/http.py`.
    const LEAST: u64 = 200;

    /// The fields of the response to a GET with a header of `size`, and the bytes of all of it before the body.
    fn header_of(size: u64, path: &str, objects: &[&str], afterwards: Afterwards) -> (HeaderMap, usize) {
        let object = |path: &&str| ObjectSpec::new(*path, Bytes::new(460));
        let page = PageSpec {
            document_bytes: Some(Bytes::new(24_800)),
            ..PageSpec::new("page", objects.iter().map(object))
        };
        let site = Site::of(&page, &NoFiles).unwrap();
        let served = Served::new(&std::sync::Arc::new(site), 0, Some(Bytes::new(size)));
        let circumstances = Circumstances { now: Time::from_nanos(3_723_000_000_000), afterwards };
        let response = respond_of(&served, &Method::GET, Some(0), path, circumstances);
        let mut written = Vec::new();
        encode_response(&response, &mut written);
        (response.headers().clone(), written.len() - response.body().len())
    }

    fn value<'a>(fields: &'a HeaderMap, name: &str) -> Option<&'a str> {
        fields.get(name).map(|value| value.to_str().unwrap())
    }

    #[test]
    fn a_header_has_the_size_that_was_asked_for_as_http_1_1_writes_it() {
        for size in (LEAST..400).chain([1_000, 8_000]) {
            for path in [IMAGE, INDEX] {
                for afterwards in
                    [Afterwards::Requests(None), Afterwards::Requests(Some(99)), Afterwards::Close]
                {
                    let (_, written) = header_of(size, path, &[IMAGE], afterwards);
                    assert_eq!(written as u64, size, "{path} {afterwards:?}");
                }
            }
        }
    }

    #[test]
    fn that_of_an_image_at_the_size_of_caviglione2014_is_apaches_without_padding() {
        // 291 B for each object; the 100 requests of a connection are Apache's MaxKeepAliveRequests.
        let (fields, _) = header_of(291, IMAGE, &[IMAGE], Afterwards::Requests(Some(99)));
        for (name, expected) in [
            ("date", "Tue, 08 Oct 2013 01:02:03 GMT"),
            ("server", "Apache/2.2.22 (Debian)"),
            ("accept-ranges", "bytes"),
            ("content-length", "460"),
            ("keep-alive", "timeout=5, max=99"),
            ("connection", "Keep-Alive"),
            ("content-type", "image/jpeg"),
        ] {
            assert_eq!(value(&fields, name), Some(expected), "{name}");
        }
        assert!(fields.contains_key("etag") && fields.contains_key("last-modified"));
        assert_eq!(fields.len(), 9);
    }

    #[test]
    fn what_is_left_over_is_padding_and_the_last_response_of_a_connection_says_so() {
        let (fields, _) = header_of(400, IMAGE, &[IMAGE], Afterwards::Close);
        assert_eq!(value(&fields, "connection"), Some("close"));
        assert!(!fields.contains_key("keep-alive"));
        assert!(value(&fields, "x-pad").is_some_and(|padding| padding.bytes().all(|byte| byte == b'a')));
    }

    #[test]
    fn protocols_with_streams_have_the_same_fields_but_those_about_the_connection() {
        let (mut in_clear, _) = header_of(400, IMAGE, &[IMAGE], Afterwards::Requests(None));
        let (of_stream, _) = header_of(400, IMAGE, &[IMAGE], Afterwards::Unsaid);
        in_clear.remove("connection");
        in_clear.remove("keep-alive");
        assert_eq!(in_clear, of_stream);
    }

    #[test]
    fn files_differ_in_their_tags_and_a_file_has_always_the_same() {
        let objects = ["/object-1.jpg", "/object-2.jpg"];
        let tag = |path| header_of(291, path, &objects, Afterwards::Unsaid).0.remove("etag").unwrap();
        assert_eq!(tag(objects[0]), tag(objects[0]));
        assert_ne!(tag(objects[0]), tag(objects[1]));
    }
}
