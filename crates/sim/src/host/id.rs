//! Which host, and which end of the link.

/// An end of the link, by who stands there or behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkEnd {
    Client,
    Server,
}

/// A host by where it stands, in the order in which hosts take their turns at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostId {
    Client,
    Server,
    /// Between client and link.
    Terminal,
    /// Between link and server.
    Gateway,
}

impl HostId {
    pub(crate) const ALL: [Self; 4] = [Self::Client, Self::Server, Self::Terminal, Self::Gateway];

    /// The end of the link at which it stands.
    pub(crate) fn link_end(self) -> LinkEnd {
        match self {
            Self::Client | Self::Terminal => LinkEnd::Client,
            Self::Server | Self::Gateway => LinkEnd::Server,
        }
    }
}
