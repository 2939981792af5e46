//! URLs in style sheets.

/// The URLs in a style sheet: those of `url()` and of `@import`, whether or not a browser would need them.
pub(super) fn urls(css: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = css;
    while let Some(at) = rest.find(['/', '"', '\'', '(', '@']) {
        let (before, here) = rest.split_at(at);
        rest = if here.starts_with("/*") {
            here.split_once("*/").map_or("", |(_, behind)| behind)
        } else if here.starts_with('(') && ends_in(before, "url") {
            let (url, behind) = argument(&here[1..]);
            found.push(url);
            behind
        } else if let Some(imported) = here.strip_prefix("@import") {
            let imported = imported.trim_start();
            match imported.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let (url, behind) = string(&imported[1..], quote);
                    found.push(url);
                    behind
                }
                _ => imported,
            }
        } else if let Some(quote @ ('"' | '\'')) = here.chars().next() {
            string(&here[1..], quote).1
        } else {
            &here[1..]
        };
    }
    found
}

fn ends_in(text: &str, name: &str) -> bool {
    let start = text.len().checked_sub(name.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(name))
}

/// What stands between the parentheses of `url()`, and what comes behind it.
fn argument(text: &str) -> (String, &str) {
    let text = text.trim_start();
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => string(&text[1..], quote),
        _ => match text.split_once(')') {
            Some((url, behind)) => (url.trim_end().to_owned(), behind),
            None => (String::new(), ""),
        },
    }
}

/// A string after its first quote, and what comes behind it. Of escapes it knows those of single characters.
pub(super) fn string(text: &str, quote: char) -> (String, &str) {
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => content.extend(characters.next().map(|(_, escaped)| escaped)),
            '\n' => return (String::new(), &text[at..]),
            _ if character == quote => return (content, &text[at + 1..]),
            _ => content.push(character),
        }
    }
    (String::new(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_found_in_all_their_spellings_and_not_in_comments() {
        // CSS Values and Units Level 4, section 4.5.
        let css = r#"@charset "utf-8"; @import "a.css"; @import url(b.css) screen;
            /* url(no.png) */ p{background:url( "c d.png" ), URL('e\'.png');content:"url(no.png)"}
            @font-face{src:url(f.woff2)format("woff2")}"#;
        assert_eq!(urls(css), ["a.css", "b.css", "c d.png", "e'.png", "f.woff2"]);
    }

    #[test]
    fn what_does_not_end_gives_nothing() {
        for css in ["/* url(a)", "url(", "url(\"a", "@import \"a\n", "@import", "'", "url", "\u{20ac}url("] {
            assert!(urls(css).iter().all(String::is_empty), "{css}");
        }
    }
}
