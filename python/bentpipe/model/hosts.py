"""The hosts at both ends: their protocols' settings, and how fast they are.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from bentpipe.model.frozen import Frozen

from .switch import Switch


class TcpSpec(Frozen):
    """TCP settings, applied through socket options or the namespace's sysctls."""

    initial_window: int
    """Initial window in segments (RFC 6928: 10)."""
    initial_receive_window: int | None = None
    """
    First receive window in segments at most (the route's `initrwnd`; Linux before 4.20: 20). Without it: what half of
    the first receive buffer holds.
    """
    receive_buffer_bytes: int
    """Upper limit of receive-buffer auto-tuning (third value of `tcp_rmem`)."""
    send_buffer_bytes: int
    """Upper limit of send-buffer auto-tuning (third value of `tcp_wmem`)."""
    slow_start_after_idle: bool
    """Whether the window collapses after an idle RTO (`tcp_slow_start_after_idle`, RFC 2861)."""
    fast_open: Switch | None = None
    """TCP Fast Open (RFC 7413) at both ends."""
    nagle: Switch | None = None
    """Nagle's algorithm (RFC 9293 section 3.7.4); off as browsers and servers have it."""
    pacing: Switch | None = None
    """
    Whether senders spread their windows over round trips whatever their congestion control, as behind Linux's `fq`:
    at 2 cwnd / SRTT in slow start and 1.2 cwnd / SRTT after it (`tcp_update_pacing_rate`).
    """
    max_pacing_rate_bps: int | None = None
    """No sender is faster than this, and all are paced (`SO_MAX_PACING_RATE`)."""
    timestamps: Switch | None = None
    """Timestamps (RFC 7323 section 3, `tcp_timestamps`); without it: on, as Linux has them. Windows has them off."""
    ecn: Switch | None = None
    """Explicit congestion notification (RFC 3168, `tcp_ecn` of 1) at both ends; off as Linux's clients have it."""
    quick_ack: Switch | None = None
    """Whether each segment is acknowledged at once (the route's `quickack`) rather than by Linux's own rules."""
    connect_retry_ns: int | None = None
    """A page's client that has no connection after this time opens a second one beside it (Chromium: 250 ms)."""
    connect_retries: int | None = None
    """
    How many it opens beside the first, each after that time; the first to come is used and the others are closed when
    they come. Without it: one, which is kept for the next request that needs a connection.
    """
    idle_reset_ns: int | None = None
    """
    A page's client resets a connection that has been idle for this long: of HTTP/1 one that nobody uses, of HTTP/2 and
    SPDY one on which nothing comes or goes.
    """
    idle_fallback: Switch | None = None
    """Whether what is left after such a reset of HTTP/2 or SPDY is asked for by HTTP/1.1 over TLS."""


class AckFrequencySpec(Frozen):
    """What an ACK_FREQUENCY frame asks for (draft-ietf-quic-ack-frequency section 4)."""

    ack_eliciting_threshold: int
    """
    Ack-eliciting packets that may come without an acknowledgement: with one more there is one. 1 as without the
    extension (RFC 9000 section 13.2.2).
    """
    requested_max_ack_delay_ns: int
    """
    How long a packet may wait for its acknowledgement, at least 1 ms. No longer than the longer of a round trip and
    25 ms is asked for.
    """
    reordering_threshold: int
    """
    By how many packets one may be late before it is acknowledged at once: 0 never, 1 as without the extension
    (RFC 9000 section 13.2.1).
    """


class Http2Spec(Frozen):
    """HTTP/2 settings (RFC 9113 section 6.5.2), the same at both ends."""

    stream_window_bytes: int
    """Flow-control window of one stream (SETTINGS_INITIAL_WINDOW_SIZE)."""
    connection_window_bytes: int
    """Flow-control window of the connection."""
    max_concurrent_streams: int
    """Streams that the peer may have open at once (SETTINGS_MAX_CONCURRENT_STREAMS)."""
    header_table_bytes: int | None = None
    """
    Size of the dynamic table for header fields (SETTINGS_HEADER_TABLE_SIZE), where it is not the protocol's own 4096
    (RFC 9113 section 6.5.2).
    """


class TlsVersion(StrEnum):
    """A version of TLS."""

    FIELD_1_2 = "1.2"
    """RFC 5246."""
    FIELD_1_3 = "1.3"
    """RFC 8446."""


class Resumption(StrEnum):
    """How much of the handshake an earlier one saves."""

    NONE = "none"
    """Nothing."""
    TICKET = "ticket"
    """A session ticket (RFC 5077, RFC 8446 section 2.2)."""
    EARLY_DATA = "early-data"
    """A session ticket, and requests that travel with the first flight (0-RTT, RFC 8446 section 2.3); TLS 1.3 alone."""


class KeyExchange(StrEnum):
    """What a client offers first for the keys of TLS 1.3 and of QUIC, and its peer takes."""

    X25519 = "x25519"
    """RFC 7748, RFC 8446 section 4.2.8.2: 32 bytes each way."""
    X25519MLKEM768 = "x25519mlkem768"
    """
    ML-KEM-768 (FIPS 203) beside X25519, as browsers have it: 1216 bytes to the server, 1120 back
    (draft-ietf-tls-ecdhe-mlkem).
    """


class DnsProtocol(StrEnum):
    """What is spoken with a resolver."""

    DO53 = "do53"
    """DNS over UDP, in clear text (RFC 1035)."""
    DOT = "dot"
    """DNS over TLS (RFC 7858)."""
    DOH = "doh"
    """DNS over HTTPS, by HTTP/2 (RFC 8484)."""
    DOQ = "doq"
    """DNS over QUIC (RFC 9250)."""


class ResolverPlace(StrEnum):
    """Where a resolver is."""

    GATEWAY = "gateway"
    """Beyond the satellite, at the operator's gateway."""
    TERMINAL = "terminal"
    """On the client's side of the satellite."""


class ResolverCache(StrEnum):
    """Whether a resolver knows the names that it is asked for."""

    WARM = "warm"
    """Others have asked for them lately."""
    COLD = "cold"
    """It asks authoritative servers: one at the terminal asks over the satellite."""


class ResolverConnection(StrEnum):
    """How the client comes to its connection to the resolver."""

    COLD = "cold"
    """The first name of the load opens it."""
    WARM = "warm"
    """It is there from before, as in a browser that is in use."""


class HostSpec(Frozen):
    """What a host's processor, one core, takes for what it encrypts and decrypts."""

    tls_handshake_ns: int
    """A handshake of TLS, over TCP or within QUIC. All of it falls where the peer's first flight has come."""
    tls_record_ns: int
    """A full record of TLS over TCP (2^14 bytes, RFC 8446 section 5.1), sent or received; others in proportion."""
    quic_packet_ns: int
    """A datagram of QUIC, sent or received."""


class WakeupStep(Frozen):
    """How late a program runs that slept for so long: the longer, the deeper the idle state that its processor is in."""

    slept_ns: int
    """The shortest sleep that this is for."""
    latency_ns: int
    """From the packet or timer that wakes it until it runs."""


class QuicSpec(Frozen):
    """QUIC settings (RFC 9000 transport parameters and RFC 9002 recovery)."""

    initial_window_bytes: int
    """
    Initial window in bytes, comparable with TCP's in segments of its MSS; two packets where it is less (RFC 9002
    section 7.2).
    """
    initial_rtt_ns: int
    """RTT assumed before the first sample (RFC 9002 section 6.2.2: 333 ms)."""
    stream_receive_window_bytes: int
    """Flow-control window of one stream."""
    receive_window_bytes: int
    """Flow-control window of the connection."""
    send_window_bytes: int
    """Unacknowledged data a sender keeps at most."""
    udp_payload_bytes: int
    """UDP payload of a full packet; fixed for the run, no discovery."""
    max_concurrent_streams: int
    """Requests that the peer may have open at once (initial_max_streams_bidi)."""
    cwnd_validation: Switch | None = None
    """Whether a window has to be used to grow in slow start (RFC 9002 section 7.8); without it: on."""
    ack_frequency: AckFrequencySpec | None = None
    """How often each end asks the other to acknowledge; without it nobody asks, and every second packet is."""
    ecn: Switch | None = None
    """Whether packets are ECN-capable (RFC 9000 section 13.4), ECT(1) with Prague and ECT(0) otherwise; without it: on."""


class TlsSpec(Frozen):
    """TLS at both ends."""

    version: TlsVersion
    """The version that both ends offer, alone. QUIC has 1.3 whatever stands here (RFC 9001 section 4.2)."""
    resumption: Resumption
    """What a handshake may take from an earlier connection to the origin, of this load or of an earlier visit."""


class DnsSpec(Frozen):
    """How the client of a page load finds the addresses of its hosts; without it they are known."""

    protocol: DnsProtocol
    """What it speaks with the resolver."""
    resolver: ResolverPlace
    """Where the resolver is."""
    cache: ResolverCache
    """Whether the resolver knows the names."""
    recursion_ns: int | None = None
    """
    Time that a resolver beyond the satellite needs for a question that it has no answer to: its own way to
    authoritative servers.
    """
    connection: ResolverConnection
    """Whether the connection to the resolver stands before the load; Do53 has none."""


class HostsSpec(Frozen):
    """
    The processors at both ends, and what else takes time on simulated hosts: emulated ones take that of their machine.

    Proxies have no processor: what they do takes no time.
    """

    client: HostSpec
    """The client's."""
    server: HostSpec
    """The server's."""
    wakeup_latency: Sequence[WakeupStep] | None = None
    """
    How late programs run that were asleep, in steps, the shortest sleep first; those of proxies, too. Without it: at
    once.
    """
    packet_spacing_ns: int | None = None
    """
    Packets come out of the link at least so far apart, of both directions together: one thread of the emulator hands one
    after the other to the kernel. Without it: several at one instant.
    """
