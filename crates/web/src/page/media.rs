use bentpipe_run::ObjectKind;

/// The media type of an HTML document.
pub(super) const HTML: &str = "text/html; charset=utf-8";
/// That of a style sheet (RFC 2318).
pub(crate) const STYLE: &str = "text/css; charset=utf-8";
/// That of a script (RFC 9239).
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The media type of what is made for an object.
pub(super) const fn of_kind(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Image => "image/jpeg",
        ObjectKind::Script => SCRIPT,
        ObjectKind::Style => STYLE,
        ObjectKind::Font => "font/woff2",
        ObjectKind::Other => "application/octet-stream",
    }
}

/// The media type of a file by the end of its name, where that is known.
pub(super) fn of_file(name: &str) -> Option<&'static str> {
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
