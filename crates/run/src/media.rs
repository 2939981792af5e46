//! Media types of what pages are made of.

use crate::{ObjectKind, ObjectSpec};

/// That of an HTML document.
pub const HTML: &str = "text/html; charset=utf-8";
/// That of a style sheet (RFC 2318).
pub const STYLE: &str = "text/css; charset=utf-8";
/// That of a script (RFC 9239).
pub const SCRIPT: &str = "text/javascript; charset=utf-8";
/// That of anything (RFC 2046 section 4.5.1).
pub const OTHER: &str = "application/octet-stream";

/// That of an object: of a file by its name, else that of what is made for its kind.
pub fn of_object(object: &ObjectSpec) -> &'static str {
    object.file.as_ref().and_then(|file| of_file(&file.name)).unwrap_or(match object.kind {
        ObjectKind::Image => "image/jpeg",
        ObjectKind::Script => SCRIPT,
        ObjectKind::Style => STYLE,
        ObjectKind::Font => "font/woff2",
        ObjectKind::Other => OTHER,
    })
}

/// That of a file by the end of its name, where that is known.
pub fn of_file(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match &*extension.to_ascii_lowercase() {
        "html" | "htm" => HTML,
        "css" => STYLE,
        "js" | "mjs" => SCRIPT,
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/vnd.microsoft.icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        "wasm" => "application/wasm",
        "xml" => "application/xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}
