use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// Finds the resources that an HTML document embeds, while it arrives.
///
/// Named are `img`, `script`, `source`, `video`, `audio`, `iframe` by `src`, and `link` by `href` where
/// its relation makes a browser fetch it. Each path is named once; only paths on the same origin are.
pub(super) struct Discovery {
    tokenizer: Tokenizer<Sink>,
    /// Bytes of a character whose end has not arrived.
    tail: Vec<u8>,
}

struct Sink(RefCell<Found>);

struct Found {
    seen: Vec<String>,
    reported: usize,
}

impl Discovery {
    /// A document found at `base`, which it will not name again.
    pub(super) fn new(base: &str) -> Self {
        let found = Found { seen: vec![base.to_owned()], reported: 1 };
        let sink = Sink(RefCell::new(found));
        Self { tokenizer: Tokenizer::new(sink, TokenizerOpts::default()), tail: Vec::new() }
    }

    /// Takes the next bytes of the document and returns the paths newly found, in document order.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Vec<String> {
        self.tail.extend_from_slice(chunk);
        let complete = match std::str::from_utf8(&self.tail) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.tail.len(),
        };
        let rest = self.tail.split_off(complete);
        let text = std::mem::replace(&mut self.tail, rest);
        self.tokenize(&String::from_utf8_lossy(&text));
        self.newly_found()
    }

    /// Ends the document and returns the paths found last.
    pub(super) fn finish(mut self) -> Vec<String> {
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

    fn newly_found(&self) -> Vec<String> {
        let found = &mut *self.tokenizer.sink.0.borrow_mut();
        let new = found.seen[found.reported..].to_vec();
        found.reported = found.seen.len();
        new
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && tag.kind == TagKind::StartTag
            && let Some(path) = embedded(&tag).and_then(|reference| same_origin_path(&reference))
        {
            let mut found = self.0.borrow_mut();
            if !found.seen.contains(&path) {
                found.seen.push(path);
            }
        }
        TokenSinkResult::Continue
    }
}

/// What the tag makes a browser fetch.
fn embedded(tag: &Tag) -> Option<String> {
    let attribute = |name: &str| {
        tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|a| a.value.to_string())
    };
    match &*tag.name {
        "img" | "script" | "source" | "video" | "audio" | "iframe" => attribute("src"),
        "link" => {
            let fetched = ["stylesheet", "icon", "preload", "modulepreload"];
            let relation = attribute("rel")?.to_ascii_lowercase();
            relation
                .split_ascii_whitespace()
                .any(|word| fetched.contains(&word))
                .then(|| attribute("href"))?
        }
        _ => None,
    }
}

/// The path of a reference on the document's own origin, with the document at the root.
fn same_origin_path(reference: &str) -> Option<String> {
    let reference = reference.trim().split('#').next().filter(|reference| !reference.is_empty())?;
    let path = if reference.starts_with("//") || reference.contains(':') {
        return None;
    } else if reference.starts_with('/') {
        reference.to_owned()
    } else {
        format!("/{reference}")
    };
    path.parse::<http::uri::PathAndQuery>().ok().map(|path| path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(chunks: &[&[u8]]) -> Vec<String> {
        let mut discovery = Discovery::new("/");
        let mut found: Vec<String> = chunks.iter().flat_map(|chunk| discovery.feed(chunk)).collect();
        found.extend(discovery.finish());
        found
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
        let mut discovery = Discovery::new("/");
        assert_eq!(discovery.feed(b"<img src=/first.jpg><img src=/sec"), ["/first.jpg"]);
        assert_eq!(discovery.feed(b"ond.jpg>"), ["/second.jpg"]);
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
}
