//! The priority of a stream.

/// Order in which streams are served, from 0, the first, to 7, the last (draft 2.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(u8);

impl Priority {
    /// The first to be served.
    pub const HIGHEST: Self = Self(0);
    /// The last to be served.
    pub const LOWEST: Self = Self(7);
    /// How many there are.
    pub const COUNT: usize = 8;

    /// The priority of that number; none above 7.
    pub fn new(number: u8) -> Option<Self> {
        (number <= Self::LOWEST.0).then_some(Self(number))
    }

    /// Its number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Chromium's of 2013 for what the path names: documents, style sheets, scripts and fonts, and images last
    /// (`defaultPriorityForResourceType`, `ConvertWebKitPriorityToNetPriority`,
    /// `ConvertRequestPriorityToSpdyPriority`).
    pub fn of_path(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        Self(match name.rsplit_once('.').map(|(_, extension)| extension) {
            None | Some("html" | "htm") => 0,
            Some("css") => 1,
            Some("js" | "woff" | "woff2" | "ttf" | "otf" | "json" | "xml") => 2,
            Some(_) => 3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_s_parts_are_served_in_chromium_s_order() {
        // Chromium 28, spdy_http_utils_unittest.cc: HIGHEST 0, MEDIUM 1, LOW 2, LOWEST 3.
        for (path, expected) in [
            ("/", 0),
            ("/main.html", 0),
            ("/style.css?v=1.2", 1),
            ("/v1.2/script.js", 2),
            ("/a.woff", 2),
            ("/object-1.jpg", 3),
        ] {
            assert_eq!(Priority::of_path(path).get(), expected, "{path}");
        }
    }

    #[test]
    fn there_are_eight_priorities() {
        assert_eq!(Priority::new(7), Some(Priority::LOWEST));
        assert_eq!(Priority::new(8), None);
    }
}
