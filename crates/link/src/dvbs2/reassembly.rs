use super::{Edge, Frame};

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Decoded.
    Received,
    /// Not decodable: everything in it is lost.
    Lost,
}

/// The receivers' end of every stream: packets that miss a fragment are lost.
#[derive(Clone, Debug)]
pub struct Reassembly {
    /// For each stream, what became of the frames that carried the open packet so far.
    open: Vec<Fate>,
}

impl Reassembly {
    /// Nothing received yet on any of `streams` streams.
    pub fn new(streams: usize) -> Self {
        Self { open: vec![Fate::Received; streams] }
    }

    /// Takes the next frame of its stream. Returns how many of the packets that it completes are lost: the first ones,
    /// because a lost frame loses all of them, and a fragment lost before it only the first.
    pub fn receive(&mut self, frame: &Frame, fate: Fate) -> usize {
        let open = &mut self.open[frame.stream];
        let before = match frame.starts {
            Edge::BetweenPackets => Fate::Received,
            Edge::InsidePacket => *open,
        };
        let goes_on = frame.starts == Edge::InsidePacket && frame.completed == 0;
        *open = if goes_on && before == Fate::Lost { Fate::Lost } else { fate };
        match (fate, before) {
            (Fate::Lost, _) => frame.completed,
            (Fate::Received, Fate::Lost) => frame.completed.min(1),
            (Fate::Received, Fate::Received) => 0,
        }
    }
}
