//! The NCC's allocation of each superframe among all that terminals have asked for (EN 301 545-2).

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::slot_rate::{PARTS, Pace};
use super::{ConfigError, Grant, Mix, Request, SlotRate, VolumeKindSpec, VolumeOrderSpec};

/// The NCC: turns requests into one allocation for each superframe.
///
/// Order of allocation: constant rates, requested rates, requested volumes, free capacity. It is told of a request when
/// it receives it and asked for a plan once a superframe; delays are the caller's.
#[derive(Clone, Debug)]
pub struct Controller {
    supply: Supply,
    order: VolumeOrderSpec,
    accounts: Vec<Account>,
    grants: Vec<Grant>,
    /// Plans made: the number of the next superframe.
    plans: u64,
    /// Who gets the first free capacity.
    turn: usize,
    room: Room,
    queue: Vec<usize>,
}

/// What there is to give in each superframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Slots of all carriers.
    pub slots: u32,
    /// Slots that one terminal can use, since it sends on one carrier at a time.
    pub per_terminal: u32,
}

/// Who an account belongs to, and what it may have.
#[derive(Clone, Copy, Debug)]
pub struct AccountConfig {
    /// Number of the terminal.
    pub terminal: usize,
    /// What it may have.
    pub mix: Mix,
}

#[derive(Clone, Debug)]
struct Account {
    terminal: usize,
    mix: Mix,
    cra: Pace,
    /// Parts of slots due for the constant rate and not given yet.
    cra_credit: u64,
    /// The rate in force, at most the maximum.
    rate: SlotRate,
    rbdc: Pace,
    /// The first plan for which the last rate request counts no more.
    rbdc_expires: u64,
    /// Parts of slots that the rate request is worth in this superframe.
    rbdc_wanted: u64,
    rbdc_credit: u64,
    volume: Volume,
}

/// Volume requests of one account, the oldest first.
#[derive(Clone, Debug, Default)]
struct Volume {
    requests: VecDeque<VolumeRequest>,
    outstanding: u64,
}

#[derive(Clone, Copy, Debug)]
struct VolumeRequest {
    plan: u64,
    slots: u64,
}

/// What is left to give in the plan in hand: the guard against giving more than there is.
#[derive(Clone, Debug, Default)]
struct Room {
    slots: u32,
    terminals: Vec<u32>,
}

impl Controller {
    /// No request has come.
    ///
    /// # Errors
    /// [`ConfigError::Overbooked`] when the constant rates alone exceed the supply, or rates of one terminal exceed
    /// what it can send.
    pub fn new(
        supply: Supply,
        order: VolumeOrderSpec,
        accounts: &[AccountConfig],
    ) -> Result<Self, ConfigError> {
        let sum = |rates: &mut dyn Iterator<Item = SlotRate>| rates.fold(SlotRate::ZERO, SlotRate::plus);
        let terminals = accounts.iter().map(|account| account.terminal + 1).max().unwrap_or(0);
        let constant = sum(&mut accounts.iter().map(|account| account.mix.cra));
        let too_much_for_one = |terminal| {
            let own = accounts.iter().filter(|account| account.terminal == terminal);
            sum(&mut own.map(|account| account.mix.most())) > SlotRate::slots(supply.per_terminal)
        };
        if constant > SlotRate::slots(supply.slots) || (0..terminals).any(too_much_for_one) {
            return Err(ConfigError::Overbooked);
        }
        Ok(Self {
            supply,
            order,
            accounts: accounts.iter().map(Account::new).collect(),
            grants: vec![Grant::default(); accounts.len()],
            plans: 0,
            turn: 0,
            room: Room { slots: 0, terminals: vec![0; terminals] },
            queue: (0..accounts.len()).collect(),
        })
    }

    /// The constant rates have run before: of each, a `share` of a slot is due already, from zero to below one.
    pub(super) fn continue_from(&mut self, mut share: impl FnMut() -> f64) {
        for account in self.accounts.iter_mut().filter(|account| !account.mix.cra.is_zero()) {
            account.cra_credit = (share() * PARTS as f64) as u64;
        }
    }

    /// A request has come; it counts from the next plan on. One that the account's mix does not allow is ignored.
    pub fn request(&mut self, account: usize, request: Request) {
        self.accounts[account].request(self.plans, request);
    }

    /// The allocation of the next superframe, one grant for each account.
    pub fn plan(&mut self) -> &[Grant] {
        self.room.reset(self.supply);
        self.grants.fill(Grant::default());
        self.accrue();
        self.give_rates(|account| &mut account.cra_credit, |grant| &mut grant.cra);
        self.give_rates(|account| &mut account.rbdc_credit, |grant| &mut grant.rbdc);
        self.give_volumes();
        self.give_left_overs();
        self.plans += 1;
        &self.grants
    }

    /// Adds one superframe to the credits: the constant rate whole, the requested rate scaled down to what all
    /// requested rates can have together, w' = w (C - sum of CRA) / sum of w.
    fn accrue(&mut self) {
        let (mut reserved, mut wanted) = (0u64, 0u128);
        for account in &mut self.accounts {
            let due = account.cra.step();
            account.cra_credit += due;
            reserved += due;
            account.rbdc_wanted = account.rate_due(self.plans);
            wanted += u128::from(account.rbdc_wanted);
        }
        let spare = (u64::from(self.supply.slots) * PARTS).saturating_sub(reserved);
        for account in &mut self.accounts {
            account.rbdc_credit += if wanted <= u128::from(spare) {
                account.rbdc_wanted
            } else {
                (u128::from(account.rbdc_wanted) * u128::from(spare) / wanted) as u64
            };
        }
    }

    /// Gives the whole slots of a kind of credit. What finds no room stays due, so that no rate is lost; then those
    /// to whom most is due come first.
    fn give_rates(
        &mut self,
        credit_of: impl Fn(&mut Account) -> &mut u64,
        given: impl Fn(&mut Grant) -> &mut u32,
    ) {
        let due: u64 = self.accounts.iter_mut().map(|account| *credit_of(account) / PARTS).sum();
        if due > u64::from(self.room.slots) {
            let accounts = &mut self.accounts;
            self.queue.sort_unstable_by_key(|&i| (Reverse(*credit_of(&mut accounts[i])), i));
        }
        for &i in &self.queue {
            let account = &mut self.accounts[i];
            let terminal = account.terminal;
            let credit = credit_of(account);
            let slots = self.room.take(terminal, *credit / PARTS);
            *credit -= u64::from(slots) * PARTS;
            *given(&mut self.grants[i]) += slots;
        }
    }

    fn give_volumes(&mut self) {
        while self.room.slots > 0 {
            let Some(i) = self.next_volume() else { return };
            let most = self.volume_room(i);
            let account = &mut self.accounts[i];
            let wanted = match self.order {
                VolumeOrderSpec::OldestFirst => account.volume.oldest(),
                VolumeOrderSpec::LargestFirst => account.volume.outstanding,
            };
            let slots = self.room.take(account.terminal, wanted.min(most));
            account.volume.serve(u64::from(slots));
            self.grants[i].volume += slots;
        }
    }

    /// The account whose volume is served next.
    fn next_volume(&self) -> Option<usize> {
        let accounts = self.accounts.len() as u64;
        let open = (0..self.accounts.len())
            .filter(|&i| self.accounts[i].volume.outstanding > 0 && self.volume_room(i) > 0);
        let turn = |i: usize| (i as u64 + accounts - self.plans % accounts) % accounts;
        match self.order {
            VolumeOrderSpec::OldestFirst => open.min_by_key(|&i| (self.accounts[i].volume.age(), turn(i))),
            VolumeOrderSpec::LargestFirst => {
                open.min_by_key(|&i| (Reverse(self.accounts[i].volume.outstanding), turn(i)))
            }
        }
    }

    /// Slots of volume that an account may still get in this plan.
    fn volume_room(&self, i: usize) -> u64 {
        let account = &self.accounts[i];
        let limit = account.mix.volume.map_or(0, |volume| volume.max_slots);
        let left = limit.saturating_sub(self.grants[i].volume);
        u64::from(left.min(self.room.terminals[account.terminal]))
    }

    /// Deals the rest out in equal shares, the odd slots in turn.
    fn give_left_overs(&mut self) {
        let accounts = self.accounts.len();
        while self.room.slots > 0 {
            let open = |account: &&Account| account.mix.free && self.room.terminals[account.terminal] > 0;
            let sharers = self.accounts.iter().filter(open).count();
            if sharers == 0 {
                return;
            }
            let share = (u64::from(self.room.slots) / sharers as u64).max(1);
            for i in (0..accounts).map(|step| (self.turn + step) % accounts) {
                if self.accounts[i].mix.free {
                    self.grants[i].free += self.room.take(self.accounts[i].terminal, share);
                }
                if self.room.slots == 0 {
                    self.turn = (i + 1) % accounts;
                    return;
                }
            }
        }
    }
}

impl Account {
    fn new(config: &AccountConfig) -> Self {
        Self {
            terminal: config.terminal,
            mix: config.mix,
            cra: Pace::new(config.mix.cra),
            cra_credit: 0,
            rate: SlotRate::ZERO,
            rbdc: Pace::new(SlotRate::ZERO),
            rbdc_expires: 0,
            rbdc_wanted: 0,
            rbdc_credit: 0,
            volume: Volume::default(),
        }
    }

    fn request(&mut self, plan: u64, request: Request) {
        match (request, self.mix.rbdc, self.mix.volume.map(|volume| volume.kind)) {
            (Request::Rate(rate), Some(limit), _) => {
                self.set_rate(rate.min(limit.max));
                self.rbdc_expires = plan + u64::from(limit.timeout);
            }
            (Request::Volume(slots), _, Some(VolumeKindSpec::Vbdc)) => self.volume.add(plan, slots),
            (Request::AbsoluteVolume(slots), _, Some(VolumeKindSpec::Avbdc)) => {
                self.volume.replace(plan, slots);
            }
            _ => {}
        }
    }

    /// A rate that is merely kept up keeps its fractions too.
    fn set_rate(&mut self, rate: SlotRate) {
        if rate != self.rate {
            self.rate = rate;
            self.rbdc = Pace::new(rate);
        }
    }

    /// Parts of slots of one superframe of the requested rate; nothing once the request is too old.
    fn rate_due(&mut self, plan: u64) -> u64 {
        if plan < self.rbdc_expires && !self.rate.is_zero() {
            return self.rbdc.step();
        }
        self.rbdc_credit = 0;
        0
    }
}

impl Volume {
    fn add(&mut self, plan: u64, slots: u64) {
        if slots == 0 {
            return;
        }
        self.outstanding += slots;
        match self.requests.back_mut() {
            Some(last) if last.plan == plan => last.slots += slots,
            _ => self.requests.push_back(VolumeRequest { plan, slots }),
        }
    }

    /// The place in the order stays: who asks anew while waiting does not go to the end.
    fn replace(&mut self, plan: u64, slots: u64) {
        let since = self.age().unwrap_or(plan);
        self.requests.clear();
        self.outstanding = 0;
        self.add(since, slots);
    }

    fn age(&self) -> Option<u64> {
        self.requests.front().map(|request| request.plan)
    }

    fn oldest(&self) -> u64 {
        self.requests.front().map_or(0, |request| request.slots)
    }

    fn serve(&mut self, mut slots: u64) {
        self.outstanding -= slots;
        while slots > 0 {
            let Some(first) = self.requests.front_mut() else { return };
            let served = slots.min(first.slots);
            first.slots -= served;
            slots -= served;
            if first.slots == 0 {
                self.requests.pop_front();
            }
        }
    }
}

impl Room {
    fn reset(&mut self, supply: Supply) {
        self.slots = supply.slots;
        self.terminals.fill(supply.per_terminal);
    }

    /// As many of the wanted slots as there are.
    fn take(&mut self, terminal: usize, wanted: u64) -> u32 {
        let most = self.slots.min(self.terminals[terminal]);
        let slots = u32::try_from(wanted).unwrap_or(u32::MAX).min(most);
        self.slots -= slots;
        self.terminals[terminal] -= slots;
        slots
    }
}
