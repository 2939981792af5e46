//! Which packets the receivers of a carrier miss, by the frames that were lost.

use super::Frame;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Decoded.
    Received,
    /// Not decodable: everything in it is lost.
    Lost,
}

/// The receivers' end of every stream: packets that miss a part are lost.
#[derive(Clone, Debug)]
pub struct Reassembly {
    /// For each stream, how many of the packets that will be completed next miss a part already.
    broken: Vec<usize>,
}

impl Reassembly {
    /// Nothing received yet on any of `streams` streams.
    pub fn new(streams: usize) -> Self {
        Self { broken: vec![0; streams] }
    }

    /// Takes the next frame of its stream. Returns how many of the packets that it completes are lost: the first ones,
    /// because a lost frame loses all of them, and one lost before it those that were open then.
    pub fn receive(&mut self, frame: &Frame, fate: Fate) -> usize {
        let broken = &mut self.broken[frame.stream];
        match fate {
            Fate::Lost => {
                *broken = frame.open;
                frame.completed
            }
            Fate::Received => {
                let lost = frame.completed.min(*broken);
                *broken -= lost;
                lost
            }
        }
    }
}
