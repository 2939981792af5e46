//! URLs in scripts.

use bentpipe_units::Duration;

use super::style::string;
use crate::page::script::CALL;

const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

/// What may be URLs in a script, and how long each waits: the strings in it that look like one, as scripts are not run.
/// The calls in pages of our own say both.
pub(super) fn urls(script: &str) -> Vec<(String, Duration)> {
    let mut found = Vec::new();
    let mut rest = script;
    while let Some(at) = rest.find(['/', '"', '\'', '`', '(']) {
        let (before, here) = rest.split_at(at);
        let called = if before.ends_with(CALL) { arguments(here) } else { None };
        rest = if let Some((url, wait, behind)) = called {
            found.push((url, wait));
            behind
        } else if here.starts_with("/*") {
            here.split_once("*/").map_or("", |(_, behind)| behind)
        } else if here.starts_with("//") {
            here.split_once('\n').map_or("", |(_, behind)| behind)
        } else if let Some(quote @ ('"' | '\'' | '`')) = here.chars().next() {
            let (text, behind) = string(&here[1..], quote);
            if text.contains(['/', '.']) && !text.contains(['<', '>']) {
                found.push((text, Duration::ZERO));
            }
            behind
        } else {
            &here[1..]
        };
    }
    found
}

/// Those of a call as documents and scripts of ours have it, and what comes behind it. What is no such call
/// is known by its next three quotes: nothing further is read in vain.
fn arguments(text: &str) -> Option<(String, Duration, &str)> {
    let (_kind, rest) = text.strip_prefix("(\"")?.split_once('"')?;
    let (url, rest) = rest.strip_prefix(",\"")?.split_once('"')?;
    let rest = rest.strip_prefix(',')?;
    let (wait, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit() && c != '.')?);
    let behind = rest.strip_prefix(')')?;
    let wait: f64 = wait.parse().ok()?;
    Some((url.to_owned(), Duration::from_nanos((wait * NANOSECONDS_PER_MILLISECOND).round() as u64), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(script: &str) -> Vec<(String, u64)> {
        urls(script).into_iter().map(|(url, wait)| (url, wait.as_nanos())).collect()
    }

    #[test]
    fn calls_say_what_they_load_and_when() {
        let script = "bentpipe(\"image\",\"/a.jpg\",0);\nbentpipe(\"other\",\"//cdn.example/b\",1.5);\n";
        let expected = [("/a.jpg".to_owned(), 0), ("//cdn.example/b".to_owned(), 1_500_000)];
        assert_eq!(waits(script), expected);
    }

    #[test]
    fn strings_that_look_like_urls_may_be_some_and_comments_hold_none() {
        let script = "// '/no.png'\n/* '/no.png' */ load('/a.png', \"b.json\", `https://c.example/d`, 'no')";
        let found: Vec<String> = waits(script).into_iter().map(|(url, _)| url).collect();
        assert_eq!(found, ["/a.png", "b.json", "https://c.example/d"]);
    }

    #[test]
    fn a_script_takes_time_as_its_length_and_not_as_its_square() {
        // The squares would take minutes.
        for call in ["bentpipe(\"", "bentpipe(\"a\",\"", "bentpipe(\"a\",\"/b\",", "bentpipe(\"a\",\"/b\",1"]
        {
            let found = waits(&call.repeat(200_000));
            assert!(found.iter().all(|(_, wait)| *wait == 0), "{call}");
        }
    }

    #[test]
    fn what_does_not_end_gives_nothing() {
        for script in ["bentpipe(", "bentpipe(\"image\",\"/a", "'/a", "/*", "//", "\u{20ac}'"] {
            assert_eq!(waits(script), [], "{script}");
        }
    }
}
