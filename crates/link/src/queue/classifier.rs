//! Which class a packet belongs to, by its code point (RFC 2474). Model page: docs/models/classes.md.

use crate::{Dscp, QueueSpec};

/// A class of service: packets that go before others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ClassSpec {
    /// Its name in series and figures.
    pub name: String,
    /// Packets with one of these code points (RFC 2474) belong to it.
    pub dscp: Vec<Dscp>,
    /// Its queue.
    pub queue: QueueSpec,
}

/// Number of code points (RFC 2474, section 3).
const CODE_POINTS: usize = 64;

/// Tells the classes of a direction apart: the most urgent is 0, packets of no class are the last.
pub(crate) struct Classifier {
    by_dscp: [usize; CODE_POINTS],
}

impl Classifier {
    pub(crate) fn new<'a>(classes: impl IntoIterator<Item = &'a ClassSpec>) -> Self {
        let mut class_of = [None; CODE_POINTS];
        let mut count = 0;
        for class in classes {
            for dscp in &class.dscp {
                class_of[usize::from(dscp.get())] = Some(count);
            }
            count += 1;
        }
        Self { by_dscp: class_of.map(|class| class.unwrap_or(count)) }
    }

    pub(crate) fn class_of(&self, dscp: u8) -> usize {
        self.by_dscp[usize::from(dscp) % CODE_POINTS]
    }
}
