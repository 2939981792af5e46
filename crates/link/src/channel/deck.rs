//! Numbers dealt like cards, so that a long run has each as often as it should.

use crate::random::Stream;

/// Deals each number below its size once before it deals any again, in an order of its own every time.
pub(crate) struct Deck {
    cards: Vec<u32>,
    dealt: usize,
}

impl Deck {
    /// A deck of `size` cards, at least one.
    pub(crate) fn new(size: u32) -> Self {
        assert!(size > 0, "a deck has cards");
        Self { cards: (0..size).collect(), dealt: 0 }
    }

    /// The next card, by one draw from `stream`: one step of the shuffle of Fisher and Yates (Knuth, The Art of
    /// Computer Programming, algorithm 3.4.2 P).
    pub(crate) fn deal(&mut self, stream: &mut Stream) -> u32 {
        self.dealt %= self.cards.len();
        let left = self.cards.len() - self.dealt;
        let chosen = self.dealt + (stream.uniform() * left as f64) as usize;
        self.cards.swap(self.dealt, chosen);
        self.dealt += 1;
        self.cards[self.dealt - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Way;

    fn deal(deck: &mut Deck, stream: &mut Stream, cards: usize) -> Vec<u32> {
        (0..cards).map(|_| deck.deal(stream)).collect()
    }

    #[test]
    fn each_card_comes_once_in_a_deck_and_decks_differ() {
        let (mut deck, mut stream) = (Deck::new(100), Stream::new(1, Way::Forward, "test"));
        let decks = [(); 2].map(|()| deal(&mut deck, &mut stream, 100));
        assert_ne!(decks[0], decks[1]);
        for mut cards in decks {
            cards.sort_unstable();
            assert_eq!(cards, (0..100).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn every_order_is_as_likely_as_every_other() {
        let (mut deck, mut stream) = (Deck::new(3), Stream::new(2, Way::Forward, "test"));
        let mut seen = std::collections::BTreeMap::new();
        let decks = 60_000;
        for _ in 0..decks {
            *seen.entry(deal(&mut deck, &mut stream, 3)).or_insert(0) += 1;
        }
        // Binomial with p = 1/6: five standard deviations are 456.
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|times: &i32| (times - decks / 6).abs() < 456), "{seen:?}");
    }
}
