//! What a document, a style sheet or a script names, found as it comes.

mod script;
mod style;

use std::cell::RefCell;
use std::collections::BTreeSet;

use bentpipe_units::Duration;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::hosts::Hosts;
use crate::page::{Place, Resource, media, resolve};

/// Types of `<script>` that browsers run (as scenario/page/references.py); others are data.
const SCRIPT_TYPES: [&str; 5] =
    ["", "module", "text/javascript", "application/javascript", "text/ecmascript"];

/// What a document, a style sheet or a script names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) place: Place,
    /// How long a browser waits with it.
    pub(crate) wait: Duration,
    pub(crate) by: By,
}

/// How sure it is that a browser would fetch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// It does.
    Markup,
    /// A rule may not apply, a script may do as it likes: it does so if it is there.
    Code,
}

/// What a style sheet or a script at `place` names; of a script the base is the document, which is `document`.
pub(crate) fn named_in(resource: &Resource, hosts: &Hosts, place: &Place, document: &Place) -> Vec<Named> {
    let text = || String::from_utf8_lossy(&resource.body);
    match resource.content_type {
        media::STYLE => in_style(&text(), hosts, place),
        media::SCRIPT => in_script(&text(), hosts, document),
        _ => Vec::new(),
    }
}

fn in_style(css: &str, hosts: &Hosts, base: &Place) -> Vec<Named> {
    let named = |url: String| {
        resolve(hosts, base, &url).map(|place| Named { place, wait: Duration::ZERO, by: By::Code })
    };
    style::urls(css).into_iter().filter_map(named).collect()
}

fn in_script(code: &str, hosts: &Hosts, base: &Place) -> Vec<Named> {
    let named = |(url, wait): (String, Duration)| {
        resolve(hosts, base, &url).map(|place| Named { place, wait, by: By::Code })
    };
    script::urls(code).into_iter().filter_map(named).collect()
}

/// Finds the resources that an HTML document embeds, while it arrives.
///
/// Named is what its elements have a browser fetch, of which of `srcset` and `picture` it may be another, and
/// what style sheets, scripts and `style` attributes within the document name. Each place is named once; only
/// places on the hosts of the page are.
pub(crate) struct Discovery {
    tokenizer: Tokenizer<Sink>,
    /// Bytes of a character whose end has not arrived.
    tail: Vec<u8>,
}

struct Sink {
    hosts: Hosts,
    found: RefCell<Found>,
}

struct Found {
    base: Place,
    /// Whether an element has said what the base is.
    is_base_said: bool,
    seen: BTreeSet<Place>,
    /// What has not been told yet.
    new: Vec<Named>,
    /// The style sheet or the script that has started.
    code: Option<(Language, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Style,
    Script,
}

impl Discovery {
    /// A document found at `base`, which it will not name again.
    pub(crate) fn new(hosts: &Hosts, base: &Place) -> Self {
        let seen = BTreeSet::from([base.clone()]);
        let found = Found { base: base.clone(), is_base_said: false, seen, new: Vec::new(), code: None };
        let sink = Sink { hosts: hosts.clone(), found: RefCell::new(found) };
        Self { tokenizer: Tokenizer::new(sink, TokenizerOpts::default()), tail: Vec::new() }
    }

    /// Takes the next bytes of the document and returns what is newly found, in document order.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> Vec<Named> {
        self.tail.extend_from_slice(chunk);
        let rest = self.tail.split_off(self.tail.len() - unfinished(&self.tail));
        let text = std::mem::replace(&mut self.tail, rest);
        self.tokenize(&String::from_utf8_lossy(&text));
        self.newly_found()
    }

    /// Ends the document and returns what is found last.
    pub(crate) fn finish(mut self) -> Vec<Named> {
        let text = std::mem::take(&mut self.tail);
        self.tokenize(&String::from_utf8_lossy(&text));
        self.tokenizer.end();
        self.newly_found()
    }

    fn tokenize(&self, text: &str) {
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from(text));
        // A pause for a script asks for no action here: scripts do not run.
        while !queue.is_empty() {
            let _ = self.tokenizer.feed(&queue);
        }
    }

    fn newly_found(&self) -> Vec<Named> {
        std::mem::take(&mut self.tokenizer.sink.found.borrow_mut().new)
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let found = &mut *self.found.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                found.start(&tag, &self.hosts);
                found.code = language_of(&tag).map(|language| (language, String::new()));
                return content_of(&tag).map_or(TokenSinkResult::Continue, TokenSinkResult::RawData);
            }
            Token::TagToken(_) => match found.code.take() {
                Some((Language::Style, css)) => found.add(in_style(&css, &self.hosts, &found.base)),
                Some((Language::Script, code)) => found.add(in_script(&code, &self.hosts, &found.base)),
                None => {}
            },
            Token::CharacterTokens(text) => {
                if let Some((_, code)) = &mut found.code {
                    code.push_str(&text);
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Found {
    /// What a tag names by itself, without the element's content.
    fn start(&mut self, tag: &Tag, hosts: &Hosts) {
        let base = attribute(tag, "href").filter(|_| &*tag.name == "base" && !self.is_base_said);
        if let Some(url) = base {
            // The first counts (HTML standard section 4.2.3).
            self.is_base_said = true;
            self.base = resolve(hosts, &self.base, url).unwrap_or_else(|| self.base.clone());
        }
        let places = embedded(tag).filter_map(|url| resolve(hosts, &self.base, url));
        let named = places.map(|place| Named { place, wait: Duration::ZERO, by: By::Markup });
        self.add(named.collect::<Vec<_>>());
        if let Some(css) = attribute(tag, "style") {
            self.add(in_style(css, hosts, &self.base));
        }
    }

    fn add(&mut self, all: impl IntoIterator<Item = Named>) {
        for named in all {
            if self.seen.insert(named.place.clone()) {
                self.new.push(named);
            }
        }
    }
}

/// What the element's own content is written in.
fn language_of(tag: &Tag) -> Option<Language> {
    match &*tag.name {
        "style" => Some(Language::Style),
        "script" if attribute(tag, "src").is_none() && is_script(tag) => Some(Language::Script),
        _ => None,
    }
}

/// How the element's content is read where it holds no tags (HTML standard section 13.2.6.4; scripts do not run,
/// so that `noscript` does hold some).
fn content_of(tag: &Tag) -> Option<RawKind> {
    match &*tag.name {
        "script" => Some(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(RawKind::Rawtext),
        "title" | "textarea" => Some(RawKind::Rcdata),
        _ => None,
    }
}

/// Length of the character at the end whose own end has not arrived, which may follow bytes that are no text.
fn unfinished(bytes: &[u8]) -> usize {
    let lacks_its_end = |length: &usize| {
        let tail = &bytes[bytes.len() - length..];
        std::str::from_utf8(tail).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    // UTF-8 has at most four bytes a character (RFC 3629 section 3).
    (1..=bytes.len().min(3)).find(lacks_its_end).unwrap_or(0)
}

/// What the tag makes a browser fetch. Which of several images of one purpose takes a screen to tell: the
/// first one.
fn embedded(tag: &Tag) -> impl Iterator<Item = &str> {
    let source = attribute(tag, "src");
    let urls = match &*tag.name {
        "img" | "source" => [source.filter(|url| !url.is_empty()).or_else(|| first_candidate(tag)), None],
        "script" if is_script(tag) => [source, None],
        "audio" | "embed" | "iframe" => [source, None],
        "input" if is_image(tag) => [source, None],
        "link" if is_fetched(tag) => [attribute(tag, "href"), None],
        "object" => [attribute(tag, "data"), None],
        "video" => [source, attribute(tag, "poster")],
        _ => [None, None],
    };
    urls.into_iter().flatten()
}

/// HTML standard section 4.8.4.2: candidates have commas between them, and descriptors behind blanks.
fn first_candidate(tag: &Tag) -> Option<&str> {
    let candidates = attribute(tag, "srcset")?;
    candidates.split([',', ' ', '\t', '\n', '\r', '\x0C']).find(|word| !word.is_empty())
}

fn is_image(input: &Tag) -> bool {
    attribute(input, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("image"))
}

/// Whether a `link` is of a relation for which browsers fetch what it leads to.
fn is_fetched(link: &Tag) -> bool {
    let fetched = ["stylesheet", "icon", "preload", "modulepreload"];
    let relation = attribute(link, "rel").unwrap_or_default().to_ascii_lowercase();
    relation.split_ascii_whitespace().any(|word| fetched.contains(&word))
}

/// Whether a `script` is one that browsers with modules run.
fn is_script(tag: &Tag) -> bool {
    let language = attribute(tag, "type").unwrap_or_default().trim().to_ascii_lowercase();
    SCRIPT_TYPES.contains(&&*language) && attribute(tag, "nomodule").is_none()
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use bentpipe_run::{Http, ObjectSpec, PageSpec};
    use bentpipe_units::Bytes;

    use super::*;
    use crate::loader::url;

    fn discovery() -> Discovery {
        let cdn = ObjectSpec { host: Some("cdn.example".to_owned()), ..ObjectSpec::new("/a", Bytes::new(1)) };
        Discovery::new(&Hosts::of_page(&PageSpec::new("page", [cdn])), &Place::own("/"))
    }

    /// Whether a client can ask for it: the URL is one.
    fn is_requestable(hosts: &Hosts, place: &Place) -> bool {
        let names = hosts.names().get(place.host);
        names.is_some_and(|name| url(Http::H3, name, &place.path).parse::<http::Uri>().is_ok())
    }

    fn paths(named: Vec<Named>) -> Vec<String> {
        named.into_iter().map(|named| named.place.path).collect()
    }

    fn whole(mut discovery: Discovery, chunks: &[&[u8]]) -> Vec<Named> {
        let mut found: Vec<Named> = chunks.iter().flat_map(|chunk| discovery.feed(chunk)).collect();
        found.extend(discovery.finish());
        found
    }

    fn all(chunks: &[&[u8]]) -> Vec<String> {
        paths(whole(discovery(), chunks))
    }

    #[test]
    fn objects_are_found_in_document_order_and_once() {
        let html = br#"<!doctype html><link rel=stylesheet href="/style.css"><img src=a.jpg>
            <script src='/app.js'></script><img src="/a.jpg"><a href="/not-fetched">x</a>"#;
        assert_eq!(all(&[html]), ["/style.css", "/a.jpg", "/app.js"]);
    }

    #[test]
    fn a_document_in_single_bytes_gives_the_same_objects() {
        let html = "<p>ü</p><img src=/ü.jpg><img src=\"/b.jpg\">".as_bytes();
        let chunks: Vec<&[u8]> = html.chunks(1).collect();
        assert_eq!(all(&chunks), all(&[html]));
        assert!(all(&[html]).contains(&"/b.jpg".to_owned()));
    }

    #[test]
    fn an_object_is_found_before_the_document_ends() {
        let mut discovery = discovery();
        assert_eq!(paths(discovery.feed(b"<img src=/first.jpg><img src=/sec")), ["/first.jpg"]);
        assert_eq!(paths(discovery.feed(b"ond.jpg>")), ["/second.jpg"]);
    }

    #[test]
    fn comments_scripts_and_other_origins_are_not_fetched() {
        let html = br#"<!-- <img src=/no.jpg> --><img src="https://elsewhere.test/no.jpg">
            <img src="data:image/png;base64,AA"><textarea>&lt;img src=/no.jpg></textarea>"#;
        assert_eq!(all(&[html]), Vec::<String>::new());
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(all(&[&[0xFF, 0xFE, b'<'], b"img src=/x.jpg>", &[0xC3]]), ["/x.jpg"]);
    }

    #[test]
    fn a_character_cut_in_two_after_bytes_that_are_no_text_is_still_one_character() {
        let html = b"<img src=/\xFF\xC3\xBC.jpg>";
        let cut = html.iter().position(|byte| *byte == 0xBC).unwrap();
        assert_eq!(all(&[html]), ["/%EF%BF%BD%C3%BC.jpg"]);
        assert_eq!(all(&[&html[..cut], &html[cut..]]), all(&[html]));
    }

    #[test]
    fn what_a_script_or_a_style_sheet_writes_is_no_tag() {
        // HTML standard, section 13.2.6.4.4: script data, RAWTEXT and RCDATA hold no tags but their own end.
        let html = br#"<script>"<img src=/no.jpg>"</script><style>/* <img src=/no.jpg> */</style>
            <title><img src=/no.jpg></title><textarea><img src=/no.jpg></textarea><img src=/yes.jpg>"#;
        assert_eq!(all(&[html]), ["/yes.jpg"]);
    }

    #[test]
    fn what_scripts_and_style_sheets_of_the_document_name_is_found_where_they_end() {
        let mut discovery = discovery();
        assert_eq!(discovery.feed(b"<style>p{background:url(/a.png)}</sty"), []);
        assert_eq!(paths(discovery.feed(b"le><script>bentpipe(\"image\",")), ["/a.png"]);
        let found = discovery.feed(b"\"//cdn.example/b.jpg\",50);\n</script><img src=/c.jpg>");
        let place = |host, path: &str| Place { host, path: path.to_owned() };
        let expected = [
            Named { place: place(1, "/b.jpg"), wait: Duration::from_millis(50), by: By::Code },
            Named { place: place(0, "/c.jpg"), wait: Duration::ZERO, by: By::Markup },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_element_that_a_browser_fetches_something_for_names_it() {
        for (html, expected) in [
            ("<img srcset='/a.png 1x, /b.png 2x'>", vec!["/a.png"]),
            ("<img src=/a.png srcset='/b.png 2x'>", vec!["/a.png"]),
            ("<img src='' srcset='/b.png 2x'>", vec!["/b.png"]),
            ("<picture><source srcset=/a.webp><img src=/a.png></picture>", vec!["/a.webp", "/a.png"]),
            ("<p style='background:url(/a.png)'>", vec!["/a.png"]),
            ("<video src=/a.mp4 poster=/a.png></video>", vec!["/a.mp4", "/a.png"]),
            ("<embed src=/a.svg>", vec!["/a.svg"]),
            ("<object data=/a.svg></object>", vec!["/a.svg"]),
            ("<input type=Image src=/a.png><input src=/b.png>", vec!["/a.png"]),
            ("<iframe src=/a.html></iframe>", vec!["/a.html"]),
            ("<link rel=next href=/b.html><link rel='Preload x' href=/a.js>", vec!["/a.js"]),
        ] {
            assert_eq!(all(&[html.as_bytes()]), expected, "{html}");
        }
    }

    #[test]
    fn the_first_base_is_that_of_all_that_comes_behind_it() {
        let html = b"<img src=a.png><base target=_top><base href=sub/><base href=/no/><img src=b.png>
            <p style='background:url(c.png)'><script>load('d.png')</script>";
        assert_eq!(all(&[html]), ["/a.png", "/sub/b.png", "/sub/c.png", "/sub/d.png"]);
    }

    #[test]
    fn a_script_that_is_data_or_for_old_browsers_names_nothing() {
        // HTML standard, section 4.12.1.
        let html = br#"<script type="application/ld+json">{"image":"/no.png"}</script>
            <script type=text/template src=/no.js></script><script nomodule src=/no.js></script>
            <script type=" Module ">import "/a.js"</script><script type="">load("/b.js")</script>"#;
        assert_eq!(all(&[html]), ["/a.js", "/b.js"]);
    }

    #[test]
    fn a_document_takes_time_as_its_length_and_not_as_its_square() {
        // The squares would take minutes.
        let images: String = (0..200_000).map(|n| format!("<img src=/{n}.jpg>")).collect();
        assert_eq!(all(&[images.as_bytes()]).len(), 200_000);
    }

    #[test]
    fn a_colon_makes_a_scheme_only_before_the_path() {
        // RFC 3986 section 4.2: a relative reference's first segment has no colon; later ones may.
        let html =
            br#"<img src="/load.php?at=12:30"><img src="/a:b.jpg"><img src="mailto:x"><img src="c/d:e.jpg">"#;
        assert_eq!(all(&[html]), ["/load.php?at=12:30", "/a:b.jpg", "/c/d:e.jpg"]);
    }

    /// Documents that are nearly HTML: tags and their pieces, text of one to four bytes a character, and noise.
    fn document() -> impl Strategy<Value = Vec<u8>> {
        let pieces = vec![
            "<img src=/a.jpg>",
            "<img src='/\u{fc}.jpg'>",
            "<link rel=icon href=/i.png>",
            "<script src=/s.js>",
            "</script>",
            "<!--",
            "-->",
            "<!",
            "<title>",
            "</title>",
            "<textarea>",
            "<style>",
            "</style>",
            "&amp;",
            "&#x41;",
            "&lt",
            "\r",
            "\n",
            "\r\n",
            "\0",
            "<",
            ">",
            "\"",
            "'",
            "=",
            "src=",
            "img",
            "\u{feff}",
            "\u{20ac}",
            "\u{1f6f0}",
        ];
        let piece = prop_oneof![
            3 => prop::sample::select(pieces).prop_map(|text| text.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..6),
        ];
        let source = prop::collection::vec(prop_oneof![0x20..=0xFFu8, Just(0xC3), Just(0xBC)], 0..6)
            .prop_map(|noise| [b"<img src=/", &noise[..], b".jpg>"].concat());
        let piece = prop_oneof![3 => piece, 1 => source];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end_and_names_what_can_be_requested(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "url(", "@import ", "\"", "'", "`", ")", "/*", "*/", "//", "\n", "\\", "bentpipe(", "/a.b", "..",
                        "bentpipe(\"image\",\"/a\",1)", "bentpipe(\"image\",\"/a\",-1)", "?", "#", ":", "cdn.example",
                    ])
                    .prop_map(str::to_owned),
                    any::<String>(),
                ],
                0..20,
            )
        ) {
            let (text, discovery) = (pieces.concat(), discovery());
            let (hosts, base) = (&discovery.tokenizer.sink.hosts, &Place::own("/"));
            for named in in_style(&text, hosts, base).into_iter().chain(in_script(&text, hosts, base)) {
                prop_assert!(is_requestable(hosts, &named.place), "{named:?}");
            }
        }

        #[test]
        fn any_bytes_in_any_chunks_give_the_same_objects_as_in_one(
            document in document(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(document.len() + 1)).collect();
            cuts.extend([0, document.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &document[cut[0]..cut[1]]).collect();
            prop_assert_eq!(all(&chunks), all(&[&document]));
        }

        #[test]
        fn every_path_found_can_be_requested(document in document()) {
            let discovery = discovery();
            let hosts = discovery.tokenizer.sink.hosts.clone();
            for named in whole(discovery, &[&document]) {
                prop_assert!(is_requestable(&hosts, &named.place), "{named:?}");
            }
        }
    }
}
