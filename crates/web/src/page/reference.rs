//! How a resource names another.

use super::tree::Tree;

/// How an object is named on a resource of host number `from`: by its path, or with its host where that is another.
pub(super) fn reference(tree: &Tree<'_>, at: usize, from: usize) -> String {
    let (host, path) = (tree.host(at), &tree.object(at).path);
    if host == from { path.clone() } else { format!("//{}{path}", tree.hosts.names()[host]) }
}

/// As a string in a style sheet or a script: no URL holds what would end it, or the script's element.
pub(super) fn quoted(url: &str) -> String {
    format!("\"{url}\"")
}
