//! Packets at both ends of the link as pcapng (draft-ietf-opsawg-pcapng), for Wireshark and its kin.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use bentpipe_units::Time;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::blocks::unknown::UnknownBlock;
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use crate::WallClock;
use crate::fresh_file::fresh_file;

/// The name of a run's capture among its artifacts.
pub const FILE_NAME: &str = "packets.pcapng";

/// The end of the link where a packet was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interface {
    /// The client's device.
    Client,
    /// The server's device.
    Server,
}

/// A capture being written: two interfaces, raw IP packets, nanosecond stamps, TLS secrets.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    clock_start: WallClock,
}

impl<W: Write> Capture<W> {
    /// Starts a capture; `clock_start` is the wall clock at [`Time::ZERO`] of the run's clock.
    ///
    /// The sink sees several small writes per packet: give it a buffer.
    ///
    /// # Errors
    /// When the sink cannot be written.
    pub fn new(sink: W, clock_start: WallClock) -> io::Result<Self> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed(WRITER))],
            ..SectionHeaderBlock::default()
        };
        let mut writer = PcapNgWriter::with_section_header(sink, section).map_err(io_error)?;
        for interface in [Interface::Client, Interface::Server] {
            writer.write_pcapng_block(interface.description()).map_err(io_error)?;
        }
        Ok(Self { writer, clock_start })
    }

    /// Adds TLS secrets, lines in NSS key-log format. A reader decrypts the packets after them, not those
    /// before: secrets that are known only at the end go in by [`insert_secrets`].
    ///
    /// # Errors
    /// When the sink cannot be written.
    pub fn secrets(&mut self, key_log: &[impl AsRef<str>]) -> io::Result<()> {
        match secrets_block(key_log) {
            Some(block) => self.writer.write_block(&block).map_err(io_error).map(drop),
            None => Ok(()),
        }
    }

    /// Adds an IP packet that passed `interface` at `at` on the run's clock.
    ///
    /// # Errors
    /// When the sink cannot be written.
    pub fn packet(&mut self, interface: Interface, at: Time, packet: &[u8]) -> io::Result<()> {
        let stamp = self.clock_start + at.since(Time::ZERO);
        let block = EnhancedPacketBlock {
            interface_id: interface as u32,
            timestamp: std::time::Duration::from_nanos(stamp.as_unix_nanos()),
            original_len: u32::try_from(packet.len()).map_err(io::Error::other)?,
            data: Cow::Borrowed(packet),
            options: Vec::new(),
        };
        self.writer.write_pcapng_block(block).map_err(io_error).map(drop)
    }

    /// Ends the capture and gives the sink back, unflushed.
    pub fn into_inner(self) -> W {
        self.writer.into_inner()
    }
}

/// Copies a finished capture with the TLS secrets put before its first packet, where readers need them.
///
/// # Errors
/// When the capture cannot be read or is cut off, or the sink cannot be written.
pub fn insert_secrets(capture: impl Read, key_log: &[impl AsRef<str>], sink: impl Write) -> io::Result<()> {
    let mut reader = PcapNgReader::new(capture).map_err(io_error)?;
    let mut writer = PcapNgWriter::with_section_header(sink, reader.section().clone()).map_err(io_error)?;
    let mut secrets = secrets_block(key_log);
    while let Some(block) = reader.next_block() {
        let block = block.map_err(io_error)?;
        if !matches!(block, Block::InterfaceDescription(_))
            && let Some(secrets) = secrets.take()
        {
            writer.write_block(&secrets).map_err(io_error)?;
        }
        writer.write_block(&block).map_err(io_error)?;
    }
    if let Some(secrets) = secrets {
        writer.write_block(&secrets).map_err(io_error)?;
    }
    Ok(())
}

/// Puts the TLS secrets that a run ended with at the head of its capture, where readers look for them; it is on
/// the disk then.
///
/// # Errors
/// When the file cannot be read or written; it is then as it was.
pub fn add_secrets(capture: &Path, key_log: &[impl AsRef<str>]) -> io::Result<()> {
    let complete = capture.with_extension("part");
    let added = copy_with_secrets(capture, key_log, &complete).and_then(|()| fs::rename(&complete, capture));
    if added.is_err() {
        let _ = fs::remove_file(complete);
    }
    added
}

fn copy_with_secrets(capture: &Path, key_log: &[impl AsRef<str>], complete: &Path) -> io::Result<()> {
    let source = BufReader::new(File::open(capture)?);
    let mut sink = BufWriter::new(fresh_file(complete)?);
    insert_secrets(source, key_log, &mut sink)?;
    sink.flush()?;
    // A name that is on the disk before what it stands for would be an empty capture after a loss of power.
    sink.get_ref().sync_all()
}

const WRITER: &str = concat!("Bentpipe ", env!("CARGO_PKG_VERSION"));
/// `if_tsresol`: stamps count units of 10^-9 s.
const NANOSECONDS: u8 = 9;
/// `SnapLen`: packets are kept whole.
const NO_LIMIT: u32 = 0;
/// Block type of the Decryption Secrets Block (pcapng, section 4.7).
const DECRYPTION_SECRETS_BLOCK: u32 = 0x0000_000A;
/// Its secrets type "TLS Key Log", the letters `TLSK`.
const TLS_KEY_LOG: u32 = 0x544c_534b;

impl Interface {
    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    fn description(self) -> InterfaceDescriptionBlock<'static> {
        InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: NO_LIMIT,
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(self.name())),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        }
    }
}

/// The lines as one block; none without lines.
fn secrets_block(key_log: &[impl AsRef<str>]) -> Option<Block<'static>> {
    let lines: String = key_log.iter().flat_map(|line| [line.as_ref().trim_end(), "\n"]).collect();
    let mut body = Vec::with_capacity(8 + lines.len());
    body.extend(TLS_KEY_LOG.to_le_bytes());
    body.extend((lines.len() as u32).to_le_bytes());
    body.extend(lines.as_bytes());
    let block = UnknownBlock {
        type_: DECRYPTION_SECRETS_BLOCK,
        // The block's total length: padded to 32 bits, between type and length at both ends.
        length: 12 + body.len().next_multiple_of(4) as u32,
        value: Cow::Owned(body),
    };
    (!lines.is_empty()).then_some(Block::Unknown(block))
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
