//! Which field of a spec is to blame when the parts of a return link do not fit together.

use super::{ConfigError, Mix, ReturnConfig, SlotRate};
use crate::SpecError;

/// The field that is to blame when the parts do not fit together.
pub(crate) fn refused(error: ConfigError, config: &ReturnConfig) -> SpecError {
    let (layout, payload) = (&config.layout, config.burst_payload.get());
    match error {
        ConfigError::Overbooked => overbooked(config),
        ConfigError::TooFewRequestSlots => {
            let terminals = 1 + config.background.len();
            let expected = format!("a request slot in each period for each of {terminals} terminals");
            SpecError::new("layout.request_slots", expected, layout.request_opportunities())
        }
        ConfigError::CannotAsk => {
            let is_mute = |mixes: &[(String, Mix)]| {
                mixes.iter().all(|(_, mix)| mix.cra.is_zero()) && mixes.iter().any(|(_, mix)| mix.asks())
            };
            let asking = |(_, mix): &(String, Mix)| mix.asks();
            let expected = "a constant rate of the terminal, which asks in front of its data";
            SpecError::new(blamed(config, is_mute, asking) + ".cra", expected, "none")
        }
        ConfigError::Empty => SpecError::new("layout", "superframes with traffic slots", "none"),
        ConfigError::NeverServed => {
            let is_unserved = |mixes: &[(String, Mix)]| {
                !Mix::serve_all(&mixes.iter().map(|(_, mix)| *mix).collect::<Vec<_>>())
            };
            let idle = |(_, mix): &(String, Mix)| mix.most().is_zero() && mix.volume.is_none();
            let expected =
                "a capacity of its own, or constant or free capacity of another class of the terminal";
            SpecError::new(blamed(config, is_unserved, idle), expected, "none")
        }
        ConfigError::Load(error) => error.within("background"),
        ConfigError::BurstTooShort => SpecError::new("burst", "room for a fragment of a packet", payload),
        ConfigError::PacketTooLong => {
            let most = config.encapsulation.max_sdu_bytes();
            let expected = format!("packets of at most {most} bytes, as the encapsulation takes");
            SpecError::new("background", expected, "longer ones")
        }
    }
}

/// What each terminal may have, with its field: the terminal whose packets these are, then the others.
fn mixes(config: &ReturnConfig) -> Vec<Vec<(String, Mix)>> {
    let classes = config.classes.iter().enumerate().map(|(number, class)| {
        let is_last = number + 1 == config.classes.len();
        (if is_last { "mix".to_owned() } else { format!("classes[{number}].mix") }, class.mix)
    });
    let others = config.background.iter().enumerate();
    let others = others.map(|(number, other)| vec![(format!("background[{number}].mix"), other.class.mix)]);
    std::iter::once(classes.collect()).chain(others).collect()
}

/// The field of the first mix that is `wrong` of the first terminal that is.
fn blamed(
    config: &ReturnConfig,
    is_wrong: impl Fn(&[(String, Mix)]) -> bool,
    wrong: impl Fn(&(String, Mix)) -> bool,
) -> String {
    let terminals = mixes(config);
    let terminal = terminals.iter().find(|mixes| is_wrong(mixes));
    let mix = terminal.and_then(|mixes| mixes.iter().find(|mix| wrong(mix)).or(mixes.first()));
    mix.map_or_else(|| "mix".to_owned(), |(field, _)| field.clone())
}

/// The rate with which the sum is too much: of one terminal for a carrier, or of all constant ones for the superframe.
fn overbooked(config: &ReturnConfig) -> SpecError {
    let (one, all) = (SlotRate::slots(config.layout.columns()), SlotRate::slots(config.layout.slots()));
    let terminals = mixes(config);
    for mixes in &terminals {
        let mut sum = SlotRate::ZERO;
        for (field, mix) in mixes {
            let rbdc = mix.rbdc.map_or(SlotRate::ZERO, |rbdc| rbdc.max);
            for (kind, rate) in [("cra", mix.cra), ("rbdc.max", rbdc)] {
                sum = sum.plus(rate);
                if sum > one {
                    let most = config.layout.columns();
                    let expected = format!(
                        "constant and maximum rates of one terminal of at most {most} slots per superframe together"
                    );
                    return SpecError::new(format!("{field}.{kind}"), expected, in_slots(rate, sum));
                }
            }
        }
    }
    let mut sum = SlotRate::ZERO;
    for (field, mix) in terminals.iter().flatten() {
        sum = sum.plus(mix.cra);
        if sum > all {
            let most = config.layout.slots();
            let expected =
                format!("constant rates of all terminals of at most {most} slots per superframe together");
            return SpecError::new(format!("{field}.cra"), expected, in_slots(mix.cra, sum));
        }
    }
    SpecError::new("mix", "rates that the slots are enough for", "more")
}

fn in_slots(rate: SlotRate, sum: SlotRate) -> String {
    let rounded = |rate: SlotRate| (rate.as_f64() * 1e3).round() / 1e3;
    if rate == sum {
        return format!("{} slots", rounded(rate));
    }
    format!("{} slots with these {}", rounded(sum), rounded(rate))
}
