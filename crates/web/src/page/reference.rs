use super::tree::Tree;

/// How an object is named on a resource of host number `from`: by its path, or with its host where that is another.
pub(super) fn reference(tree: &Tree<'_>, at: usize, from: usize) -> String {
    let (host, path) = (tree.host(at), &tree.object(at).path);
    if host == from { path.clone() } else { format!("//{}{path}", tree.hosts.names()[host]) }
}

/// As a string in a style sheet or a script, in double quotes. What would end the string, or the script's element, is
/// percent-encoded (RFC 3986 section 2.1), as it should be in a URL.
pub(super) fn quoted(url: &str) -> String {
    let mut quoted = String::from("\"");
    for character in url.chars() {
        match character {
            '"' | '\\' | '<' | '\0'..='\x1F' => quoted.push_str(&format!("%{:02X}", u32::from(character))),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
