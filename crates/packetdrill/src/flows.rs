//! The connections of a script.

use crate::flow::Flow;
use crate::packet::Packet;

/// Ports that the peer opens connections from, one after the other.
const FIRST_PEER_PORT: u16 = 40_000;

/// Connections in the order of their SYNs; the last is the one that the peer's segments belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    all: Vec<Flow>,
    /// Where those end that the script is done with.
    over: usize,
    /// How many the peer has opened.
    opened: u16,
}

impl Flows {
    /// The one that the peer's segments belong to.
    pub fn latest(&mut self) -> Option<&mut Flow> {
        self.all.last_mut()
    }

    /// The peer opens one to this port of the endpoint; the script is done with those before.
    pub fn open(&mut self, port: u16) {
        self.over = self.all.len();
        self.all.push(Flow::new(port, FIRST_PEER_PORT.wrapping_add(self.opened)));
        self.opened = self.opened.wrapping_add(1);
    }

    /// Whether a segment of the endpoint belongs to one that the script is done with.
    pub fn is_over(&self, packet: &Packet) -> bool {
        self.all[..self.over].iter().any(|flow| flow.sends(packet))
    }

    /// Whether a segment of the endpoint belongs to one that there has been.
    pub fn knows(&self, packet: &Packet) -> bool {
        self.all.iter().any(|flow| flow.sends(packet))
    }

    /// The one that a segment of the endpoint belongs to, which it may open.
    pub fn of(&mut self, packet: &Packet) -> &mut Flow {
        let at = self.all.iter().rposition(|flow| flow.sends(packet)).unwrap_or_else(|| {
            self.all.push(Flow::new(packet.source_port, packet.destination_port));
            self.all.len() - 1
        });
        &mut self.all[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(source_port: u16, destination_port: u16) -> Packet {
        Packet { source_port, destination_port, ..Packet::default() }
    }

    #[test]
    fn the_script_is_done_with_a_connection_when_the_peer_opens_another() {
        let mut flows = Flows::default();
        flows.open(8080);
        assert!(!flows.is_over(&sent(8080, FIRST_PEER_PORT)));
        flows.open(8080);
        assert!(flows.is_over(&sent(8080, FIRST_PEER_PORT)));
        assert!(!flows.is_over(&sent(8080, FIRST_PEER_PORT + 1)));
    }

    #[test]
    fn connections_that_the_endpoint_opens_are_there_beside_each_other() {
        let mut flows = Flows::default();
        flows.of(&sent(50_000, 8080));
        flows.of(&sent(50_001, 8080));
        assert_eq!(flows.of(&sent(50_000, 8080)).port, 50_000);
        assert!(!flows.is_over(&sent(50_000, 8080)));
        assert_eq!(flows.latest().map(|flow| flow.port), Some(50_001));
    }
}
