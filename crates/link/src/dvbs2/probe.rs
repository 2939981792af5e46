//! The series of a carrier: its frames and their MODCODs, its idle time, and the reported Es/N0.

use bentpipe_units::{Bytes, Decibel, Time};

use crate::Table;
use crate::counters::bins::Bins;
use crate::dvbs2::{Carrier, DummyTrain, Fate, Frame, IdleSpec, PlFrame};
use crate::signal::EsN0;

/// Frames of a DVB-S2 carrier, and what the gateway knows of the receiver.
pub(crate) struct AcmProbe {
    bins: Bins<Bin>,
    idle: Option<IdleTime>,
}

#[derive(Clone, Copy)]
struct Bin {
    /// The frames of the packets of no class, at the end of the bin.
    plframe: PlFrame,
    /// What the gateway goes by, at the end of the bin.
    reported: Option<Decibel>,
    frames: u64,
    lost: u64,
    dummies: u64,
    used: Bytes,
    room: Bytes,
}

/// The time since the last frame, which is full of dummy PLFRAMEs.
struct IdleTime {
    train: DummyTrain,
    counted: u64,
}

impl AcmProbe {
    /// A carrier that starts at `start`, on which the packets of no class have this stream.
    pub(crate) fn new(carrier: &Carrier, stream: usize, start: Time) -> Self {
        let bin = Bin {
            plframe: carrier.streams[stream],
            reported: None,
            frames: 0,
            lost: 0,
            dummies: 0,
            used: Bytes::ZERO,
            room: Bytes::ZERO,
        };
        let idle = match carrier.idle {
            IdleSpec::Silence => None,
            IdleSpec::DummyFrames => {
                Some(IdleTime { train: DummyTrain::new(carrier.symbol_rate, start), counted: 0 })
            }
        };
        Self { bins: Bins::new(start, bin), idle }
    }

    pub(crate) fn mark(&mut self, now: Time) {
        self.count_dummies(now, u64::MAX);
        self.bins.mark(now);
    }

    /// Frames that start later are these.
    pub(crate) fn adapted(&mut self, at: Time, plframe: PlFrame, reported: Option<Decibel>) {
        self.bins.from(at, |bin| (bin.plframe, bin.reported) = (plframe, reported));
    }

    /// Counts a frame where it starts.
    pub(crate) fn sent(&mut self, frame: &Frame, fate: Fate) {
        self.count_dummies(frame.start, frame.dummies);
        if let Some(idle) = &mut self.idle {
            *idle = IdleTime { train: idle.train.after(frame.end), counted: 0 };
        }
        let bin = self.bins.at(frame.start);
        bin.frames += 1;
        bin.lost += u64::from(fate == Fate::Lost);
        bin.used += frame.used;
        bin.room += frame.plframe.data_field();
    }

    /// Everything until `now`.
    pub(crate) fn table(&mut self, now: Time, es_n0: &EsN0) -> Table {
        self.count_dummies(now, u64::MAX);
        let mut table = Table::default();
        for (end, bin) in self.bins.until(now) {
            table.push([
                ("time_s", end.since(Time::ZERO).as_secs_f64()),
                ("es_n0_db", es_n0.at(end).get()),
                ("reported_es_n0_db", bin.reported.map_or(f64::NAN, Decibel::get)),
                ("modcod", f64::from(bin.plframe.modcod().number())),
                ("threshold_db", bin.plframe.threshold().get()),
                ("frames", bin.frames as f64),
                ("frames_lost", bin.lost as f64),
                ("dummy_frames", bin.dummies as f64),
                // No frames have no fill: 0/0 is NaN.
                ("fill", bin.used.get() as f64 / bin.room.get() as f64),
            ]);
        }
        table
    }

    /// Counts those of at most so many dummy PLFRAMEs that started by `until`, each where it starts.
    fn count_dummies(&mut self, until: Time, most: u64) {
        let Some(idle) = &mut self.idle else { return };
        let all = idle.train.started_by(until).min(most);
        while idle.counted < all {
            let start = idle.train.start_of(idle.counted);
            let in_bin = idle.train.started_by(self.bins.end(start)).min(all) - idle.counted;
            self.bins.at(start).dummies += in_bin;
            idle.counted += in_bin;
        }
    }
}
