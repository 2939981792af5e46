//! What objects are to their page: images, scripts, styles, fonts, or what scripts fetch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an object is to its page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    /// An image.
    #[default]
    Image,
    /// A script, which may name objects of any kind.
    Script,
    /// A style sheet, which may name images, fonts and style sheets.
    Style,
    /// A font.
    Font,
    /// Anything that scripts fetch.
    Other,
}

impl ObjectKind {
    /// Whether it is an image, as an object is whose spec does not say.
    pub const fn is_image(&self) -> bool {
        matches!(self, Self::Image)
    }
}
