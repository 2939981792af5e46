//! The spec of a DVB-S2 carrier (EN 302 307-1): symbols, FECFRAMEs, encapsulation, MODCOD, signal, classes.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::acm::{Acm, SHORTEST_REPORT_PERIOD};
use super::{
    Carrier, Encapsulation, FecFrameSpec, IdleSpec, Label, Modcod, PilotsSpec, PlFrame, Scheduling,
    SymbolRate, customers, net_rate,
};
use crate::checks::{check_classes, check_es_n0, check_finite};
use crate::signal::EsN0;
use crate::{AcmSpec, ClassSpec, CustomerSpec, EsN0Spec, SpecError};

/// So that steps are not closer than the symbols of most carriers.
const SHORTEST_SCHEDULING_PERIOD: Duration = Duration::from_micros(1);

/// A DVB-S2 carrier (ETSI EN 302 307-1).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Dvbs2Spec {
    /// Rate of full IP packets in clear sky, by which the utilisation is reckoned.
    pub nominal_bps: Rate,
    /// Symbols per second.
    pub symbols_per_s: u64,
    /// Size of the coded blocks.
    pub fecframe: FecFrameSpec,
    /// Known symbols between the others.
    pub pilots: PilotsSpec,
    /// What is sent when no frame is due.
    pub idle: IdleSpec,
    /// How long a packet waits for others to fill its frame.
    pub closing_timeout_ns: Duration,
    /// From one step of a scheduler to the next that fills frames in steps; none where each is filled as it starts.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub scheduling_period_ns: Option<Duration>,
    /// How packets get into frames.
    pub encapsulation: Dvbs2EncapsulationSpec,
    /// Which MODCOD a frame has.
    pub modulation: ModulationSpec,
    /// What the receiver gets of the signal.
    pub es_n0: EsN0Spec,
    /// Classes that go before all other packets, the most urgent first.
    pub classes: Vec<ClassSpec>,
    /// Other customers, who share the carrier with the packets of no class.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub background: Option<Vec<CustomerSpec>>,
}

/// How packets get into the frames of a DVB-S2 carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum Dvbs2EncapsulationSpec {
    /// Generic stream encapsulation (ETSI TS 102 606-1).
    Gse {
        /// Address of the receiver in each packet: 0, 3 or 6 bytes.
        label_bytes: u8,
    },
    /// Multi-protocol encapsulation (ETSI EN 301 192) over an MPEG transport stream.
    Mpe,
    /// Unidirectional lightweight encapsulation (RFC 4326) over an MPEG transport stream.
    Ule,
}

/// Which MODCOD a frame has; MODCODs by their names in EN 302 307-1, such as `8PSK 3/4`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum ModulationSpec {
    /// Always the same (CCM).
    Constant {
        /// Its name.
        modcod: String,
    },
    /// That of its class (VCM).
    ByClass {
        /// One for each class, then one for all other packets.
        modcods: Vec<String>,
    },
    /// The most efficient that the receiver can decode as far as the gateway knows (ACM).
    Adaptive(AcmSpec),
}

/// The longest packet that its encapsulation takes.
pub(crate) fn largest_packet(spec: &Dvbs2Spec) -> Result<u32, SpecError> {
    Ok(encapsulation(spec)?.largest_packet())
}

/// The carrier; with ACM it starts with the most robust frames.
pub(crate) fn carrier(spec: &Dvbs2Spec, mtu: Bytes) -> Result<Carrier, SpecError> {
    check_classes(&spec.classes, mtu)?;
    check_es_n0(&spec.es_n0)?;
    customers::check(spec.background.as_deref().unwrap_or_default(), mtu)?;
    let symbol_rate = SymbolRate::new(spec.symbols_per_s)
        .ok_or_else(|| SpecError::new("symbols_per_s", "1 to 10000000000", spec.symbols_per_s))?;
    let closing_timeout = spec.closing_timeout_ns;
    let scheduling = spec.scheduling_period_ns.map(scheduling).transpose()?;
    let (encapsulation, streams) = (encapsulation(spec)?, streams(spec)?);
    Ok(Carrier { symbol_rate, idle: spec.idle, encapsulation, closing_timeout, scheduling, streams })
}

/// The rate of the packets of no class, with the MODCOD that they have in clear sky.
pub(crate) fn nominal_rate(spec: &Dvbs2Spec, mtu: Bytes) -> Result<Rate, SpecError> {
    let Carrier { symbol_rate, encapsulation, streams, .. } = carrier(spec, mtu)?;
    let plframe = match &spec.modulation {
        ModulationSpec::Adaptive(acm) => in_clear_sky(acm, spec),
        ModulationSpec::Constant { .. } | ModulationSpec::ByClass { .. } => streams[streams.len() - 1],
    };
    Ok(net_rate(symbol_rate, encapsulation, plframe, mtu))
}

fn scheduling(period: Duration) -> Result<Scheduling, SpecError> {
    if period >= SHORTEST_SCHEDULING_PERIOD {
        return Ok(Scheduling { period, phase: Duration::ZERO });
    }
    let expected = format!("{} at least", SHORTEST_SCHEDULING_PERIOD.as_nanos());
    Err(SpecError::new("scheduling_period_ns", expected, period.as_nanos()))
}

fn encapsulation(spec: &Dvbs2Spec) -> Result<Encapsulation, SpecError> {
    match spec.encapsulation {
        Dvbs2EncapsulationSpec::Gse { label_bytes: 0 } => Ok(Encapsulation::gse(Label::Broadcast)),
        Dvbs2EncapsulationSpec::Gse { label_bytes: 3 } => Ok(Encapsulation::gse(Label::Three)),
        Dvbs2EncapsulationSpec::Gse { label_bytes: 6 } => Ok(Encapsulation::gse(Label::Six)),
        Dvbs2EncapsulationSpec::Gse { label_bytes } => {
            Err(SpecError::new("encapsulation.label_bytes", "0, 3 or 6", label_bytes))
        }
        Dvbs2EncapsulationSpec::Mpe => Ok(Encapsulation::mpe()),
        Dvbs2EncapsulationSpec::Ule => Ok(Encapsulation::ule()),
    }
}

/// The frames of each stream.
fn streams(spec: &Dvbs2Spec) -> Result<Vec<PlFrame>, SpecError> {
    match &spec.modulation {
        ModulationSpec::Constant { modcod } => Ok(vec![plframe("modulation.modcod", modcod, spec)?]),
        ModulationSpec::ByClass { modcods } => {
            let streams = spec.classes.len() + 1;
            if modcods.len() != streams {
                let expected = format!("{streams}: one for each class, then one for all other packets");
                return Err(SpecError::new("modulation.modcods", expected, modcods.len()));
            }
            let named = modcods.iter().enumerate();
            named.map(|(index, name)| plframe(&format!("modulation.modcods[{index}]"), name, spec)).collect()
        }
        ModulationSpec::Adaptive(acm) => {
            check_acm(acm)?;
            let plframe = |modcod| PlFrame::new(modcod, spec.fecframe, spec.pilots);
            Ok(Modcod::all().filter_map(plframe).take(1).collect())
        }
    }
}

fn plframe(field: &str, name: &str, spec: &Dvbs2Spec) -> Result<PlFrame, SpecError> {
    let modcod = Modcod::named(name)
        .ok_or_else(|| SpecError::new(field, "a MODCOD such as \"8PSK 3/4\"", format!("\"{name}\"")))?;
    PlFrame::new(modcod, spec.fecframe, spec.pilots)
        .ok_or_else(|| SpecError::new(field, "a code rate that short frames have", format!("\"{name}\"")))
}

fn check_acm(acm: &AcmSpec) -> Result<(), SpecError> {
    check_finite("modulation.margin_db", acm.margin_db)?;
    check_finite("modulation.hysteresis_db", acm.hysteresis_db)?;
    if acm.hysteresis_db < 0.0 {
        return Err(SpecError::new("modulation.hysteresis_db", "0 or more", acm.hysteresis_db));
    }
    if acm.report_period_ns < SHORTEST_REPORT_PERIOD {
        let expected = format!("{} ns at least", SHORTEST_REPORT_PERIOD.as_nanos());
        return Err(SpecError::new("modulation.report_period_ns", expected, acm.report_period_ns.as_nanos()));
    }
    Ok(())
}

/// What a gateway chooses that starts with a report of a clear sky.
pub(crate) fn in_clear_sky(acm: &AcmSpec, spec: &Dvbs2Spec) -> PlFrame {
    Acm::new(acm, spec.fecframe, spec.pilots, Time::ZERO)
        .plframe_at(Time::ZERO, &EsN0::in_clear_sky(&spec.es_n0))
}
