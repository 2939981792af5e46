"""What a scenario gets that does not say otherwise; each default says beside itself why it is what it is."""

from bentpipe.scenario.written.link_schema import JitterTable
from bentpipe.scenario.written.satellite_schema import MixTable

REPETITIONS = 3
"""The fewest that give a standard deviation worth the name; what alshagri2023 did."""
SEED = 1
"""Any number will do, as long as it stays."""
QUICK_REPETITIONS = 1
"""`--quick` shows that a scenario works; it is not for inference."""
WORKBENCH_LINK, WORKBENCH_PAGE, WORKBENCH_HTTP = "geo-alshagri", "objects-500k-5k", ("h1", "h2", "h3")
"""A geostationary link and a page of many objects, where protocols differ most to the eye."""
WORKBENCH_REPETITIONS = 5
"""Half a second on two cores, and a median with an interval."""
CHECK_REPETITIONS = 10
"""Of each cell of a budget: in virtual time they take seconds, and a comparison adds as many as it needs."""
CHECK_STATISTIC = "median"
"""A retransmission timeout in one run of ten does not move it; a budget on bad luck says p95."""

# Programs and protocols.

CLIENT = "loader"
"""The one that both engines have."""
SERVER = "bentpipe"
"""The one that both engines have."""
CONGESTION_CONTROL = "cubic"
"""Linux's default and that of most servers (RFC 9438 section 1)."""
SLOW_START = "linux"
"""Each congestion control's own, as the kernel has it: CUBIC's with HyStart."""

RESUME = "careful"
"""Of a table that says what is saved; without a table nothing is resumed, as servers of today have it."""
RESUME_SAVED_RTT = "1 x"
"""That of the link: a visit before would have measured it."""
RESUME_SAVED_AGE = "0 s"
"""Fresh: what is stale says how old it is."""
RESUME_LIFETIME = "1 h"
"""RFC 9959 section 4.3.1: hours for stable paths, minutes for those that vary."""

SERVER_BEHIND = "gateway"
"""Where the Internet is; users are behind terminals."""

# HTTP.

CONNECTIONS = 6
"""HTTP/1.1 connections to one origin in Chromium and Firefox."""
REQUESTS_PER_CONNECTION = "unlimited"
"""Servers' limits, such as Apache's 100 and nginx's 1000, are what a scenario asks for."""
PIPELINING = 1
"""No browser of today pipelines."""
PUSH = "0 %"
"""Browsers have dropped server push; nothing is pushed unasked."""
PRIORITIES = "off"
"""Requests are answered as they come, as by servers that know nothing of RFC 9218."""
VISIT = "first"
"""No run depends on another."""
HEADER_TABLE = "4096 B"
"""RFC 9113 section 6.5.2."""

# TLS.

TLS_VERSION = "1.3"
"""What servers and browsers agree on today."""
RESUMPTION = "none"
"""A full handshake for every connection, the longest that a visitor may have."""
KEY_EXCHANGE = "x25519"
"""What every server takes. Browsers offer `x25519mlkem768` before it, in a ClientHello of two packets."""

# Names.

DNS = "none"
"""Addresses are known: what a load takes is the web's, as it is for who was here before."""
RESOLVER = "gateway"
"""Terminals of satellite operators tell their users of the operator's own resolver, or of a public one."""
RESOLVER_CACHE = "warm"
"""Names that many ask for are in every operator's cache."""
RESOLVER_CONNECTION = "cold"
"""Like the connections to the page, which a load opens as well."""

# Hosts.

PROCESSOR_TIME = "0 s"
"""A machine that nobody states is as fast as it can be; `bentpipe bench --host` measures the one at hand."""
WAKEUP_LATENCY = "0 s"
"""The same."""
PACKET_SPACING = "0 s"
"""The same: what is due at one instant comes then."""

# Proxies.

PEP = "none"
"""End-to-end transport, as every QUIC connection sees it."""
PEP_PLACE = "both"
"""What operators sell: terminals and gateways whose connections over the satellite are their own."""
PEP_RELAY_BUFFER = "256 KiB"
"""The sockets at either side of it hold more; it keeps both busy, for 15 ms at 144 Mbit/s."""
PEP_STANDING = False
"""A connection over the satellite is opened for each of a client, as by proxies that know of no others."""
TUNNEL_HEADER = "24 B"
"""GRE in IPv4 (RFC 2784): 4 B and 20 B."""

# The link.

MTU = "1500 B"
"""Ethernet's."""
QUEUE_BDP = 1
"""The classic rule for one flow (Villamizar, Song 1994)."""
QUEUE_LEAST_PACKETS = 10
"""The default queue holds an initial window (RFC 6928) even where the BDP is smaller."""
JITTER = JitterTable(sd="0 ms")
"""Loss and jitter are what a scenario asks for, never what it gets unasked."""

CODEL_ECN = False
"""RFC 8289 drops; marks in place of drops are asked for."""
DUALPI2_TARGET = "15 ms"
"""RFC 9332 appendix A.1, line 5b."""
DUALPI2_RTT_MAX = "100 ms"
"""RFC 9332 appendix A.1, line 5c: the worst round trip expected, which a satellite's path exceeds."""
DUALPI2_COUPLING = 2.0
"""RFC 9332 appendix A.1, line 3b: k, with which a scalable and a classic flow get about the same."""
DUALPI2_RAMP_START_NS = 800_000
"""RFC 9332 appendix A.1, line 9: minTh."""
DUALPI2_RAMP_RANGE_NS = 400_000
"""RFC 9332 appendix A.1, line 10: range."""
DUALPI2_CLASSIC_SHARE = 0.1
"""What the classic queue is sure of: the weights 9 to 1 of Linux's qdisc (`c_protection` 10)."""

# Paths that change.

EPOCHS_START = "2026-01-01T00:00:00Z"
"""Some day; epochs of each day are alike."""
EPOCHS_START_WITHIN = "24 h"
"""Nobody starts a download at the edge of an epoch: the start is anywhere in a day, by the run's seed."""
EPOCHS_NAMED_START_WITHIN = "0 s"
"""Who names an instant means it."""
EPOCHS_PHASE = "0 s"
"""Edges at multiples of the period since 1970, at the full minute where it divides one."""
EPOCHS_EDGE_JITTER = "0 s"
"""By the clock: what was measured of Starlink moves by less than a quarter of a second."""
SILENCE_STATE = "hold"
"""The spike of the delay after an edge says that packets wait."""
SILENCE_LEAD = ("0 s", "0 s")
"""What breaks the path is the change itself."""
SILENCE_P90_OF_MEDIAN = 1
"""All are alike where nothing is said of how they differ."""
SILENCE_LEAST = "0 s"
"""The distribution has no bound there, and few are short."""
SILENCE_MOST_OF_P90 = 3
"""Some of so many are longer than thrice the 90th percentile; no run shall hang on one of them."""
SATELLITE_CHOICE = "highest"
"""The nearest: with a gateway close by the shortest way."""
LEAST_ELEVATION = "25 deg"
"""Of Starlink's dishes (FCC filing SAT-MOD-20200417-00037)."""
LEAST_ELEVATION_OF_GATEWAY = "10 deg"
"""Gateways see further than dishes; lower the troposphere takes too much."""
SITE_ALTITUDE = "0 m"
"""Each kilometre of height takes 3 us off the delay at most."""
SHELL_PHASING = 0
"""The only one that a shell of any number of planes can have."""
SHELL_SPREAD = "360 deg"
"""Walker's delta pattern, that of inclined orbits; a star (180 deg) is of orbits over the poles."""
SHELL_ASCENDING_NODE = "0 deg"
"""Where a pattern begins matters little: the earth turns below it, and runs start at any time of the day."""
SHELL_ARGUMENT_OF_LATITUDE = "0 deg"
"""As above: a satellite takes hours at most to come to where another was."""
SHELL_EPOCH_UNIX_NS = 1_767_225_600_000_000_000
"""The instant of `EPOCHS_START`, so that a shell turns by little until a run."""
GEOMETRY_STEP = "100 ms"
"""A low satellite moves by 750 m in it, 2.5 us of the delay: as fine as the series of a record."""
GEOSTATIONARY_PERIOD = "24 h"
"""Nothing changes at the edges of such epochs; they are there for there have to be some."""
RATE_VARIATION_STEP = "1 s"
"""The interval in which capacities are reported."""
RECORDING_OFFSET = "0 s"
"""A recording is replayed from its beginning."""
RECORDING_REPEATS = False
"""What came after it nobody has seen, and its end does not fit its beginning."""
EXPORTED_PATH = "2 min"
"""As long as the recordings that came with LeoCC."""

# Rain.

RAIN_TILT = "45 deg"
"""Circular polarisation (ITU-R P.838-3)."""
RAIN_START = "worst"
"""Who asks for rain wants to see some: most of the time there is none."""
RAIN_HOURS = 720
"""A month."""
RAIN_SEED = 1
"""Of the weather, which is the same in all runs of a cell."""

# Satellite carriers.

CLEAR_SKY = "20 dB"
"""Of either leg, as OpenSAND 6 has it; both legs together are then at 17 dB."""
FECFRAME = "normal"
"""What carries most and is decoded at the lowest Es/N0."""
PILOTS = "off"
"""As the efficiencies of EN 302 307-1, Table 13, are stated."""
IDLE = "dummy-frames"
"""A DVB-S2 carrier is continuous (EN 302 307-1 clause 5.5.1)."""
CLOSING_TIMEOUT = "0 s"
"""On a carrier with nothing else to send, padding takes the place of a dummy frame and costs nothing."""
DVBS2_ENCAPSULATION = "gse"
"""What DVB-S2 was given for IP (TS 102 606-1)."""
DVBS2_LABEL = "6 B"
"""A forward carrier is shared by terminals, each with a MAC address."""
ACM_MARGIN = "1 dB"
"""What a fade of 1 dB/s, which is steep for rain, takes off while a report waits and travels."""
ACM_HYSTERESIS = "0.5 dB"
"""Half of what lies between neighbouring MODCODs: smaller changes do not switch back and forth."""
ACM_REPORT_PERIOD = "1 s"
"""As OpenSAND 6 has it (acm_refresh)."""

REQUEST_SYMBOLS = 536
"""The shorter of the linear-modulation bursts (EN 301 545-2, Annex A, Table A-1)."""
CARRIERS = 1
"""Enough for the one terminal that is measured."""
FRAMES = 1
"""The plainest superframe."""
REQUEST_SLOTS = 1
"""The least with which a terminal can ask."""
GUARD_SYMBOLS = 4
"""As in OpenSAND and in the satellite module of ns-3."""
SILENT_SYMBOLS = 0
"""Nothing remains of a frame after its last slot."""
RLE_PROTOCOL = "1 B"
"""The compressed protocol type of TS 103 179, which knows IPv4."""
RLE_LABEL = "0 B"
"""Who sends in a slot is known to the hub that gave it."""
RLE_PROTECTION = "sequence"
"""As OpenSAND 6 has it; a sequence number is the shorter trailer."""
REQUEST_PERIOD = 1
"""A terminal may ask in every superframe."""
PLACEMENT = "spread"
"""A constant rate then waits least."""
VOLUME_ORDER = "oldest-first"
"""Nobody is starved by greater requests."""
DAMA_CONSTANT = "none"
"""A constant-rate return link has nothing to assign."""
DAMA_RCS2 = "cra"
"""Capacity that waits for nobody; asking for it is what a scenario says."""
MIXES = {
    "cra": MixTable(cra="100 %"),
    "rbdc": MixTable(rbdc="100 %"),
    "vbdc": MixTable(vbdc="100 %"),
    "avbdc": MixTable(avbdc="100 %"),
    "mixed": MixTable(cra="8 %", rbdc="46 %", vbdc="46 %"),
}
"""Each kind by itself over all that a terminal can send, and caviglione2014's 18 + 105 + 105 of 228 slots."""
RBDC_TIMEOUT = "2 s"
"""Longer than a request takes at GEO; a terminal renews its requests long before."""
BACKGROUND_COUNT = 1
"""A table is a terminal."""
BACKGROUND_PACKET = "1500 B"
"""Full packets are what most bytes come in."""

# Transport.

INITIAL_WINDOW_SEGMENTS = 10
"""RFC 6928, and Linux's default."""
BUFFER_BDP = 4
"""The congestion window alone shall limit: 1 BDP in flight, 1 BDP queued, and twice that in recovery."""
BUFFER_LEAST_BYTES = 6 * 1024 * 1024
"""Third value of Linux's default tcp_rmem: no link gets less than an untuned host has."""
SLOW_START_AFTER_IDLE = True
"""Linux's default (RFC 2861)."""
FAST_OPEN = False
"""Linux's servers have it off, and no browser of today asks for it."""
NAGLE = False
"""Browsers and servers switch it off (TCP_NODELAY)."""
PACING = False
"""Linux's default queueing discipline is fq_codel, which does not pace; BBR paces itself."""
TCP_ECN = False
"""Linux's clients do not ask for it (`tcp_ecn` of 2)."""
TIMESTAMPS = True
"""Linux's default (RFC 7323); Windows has them off."""
QUICK_ACK = False
"""Linux's own rules: at once at the start of a connection, later for every other segment."""
CONNECT_RETRY = "off"
"""One connection for one purpose; the kernel repeats a lost SYN after a second (RFC 6298 section 2)."""
CONNECT_RETRIES = 1
"""Chromium's backup job is started once for a connection that is wanted."""
IDLE_RESET = "off"
"""Browsers keep an idle connection for minutes, longer than a page takes."""
IDLE_FALLBACK = False
"""A browser speaks to a host what it has spoken to it before."""
INITIAL_RTT = "333 ms"
"""RFC 9002 section 6.2.2. Below the RTT of a GEO link; the first probe timeout, three times it, is above."""
BBR_EXTRA_ACKED = True
"""Linux since 5.1."""
CWND_VALIDATION = True
"""RFC 9002 section 7.8, and as the kernel's TCP has it: an unused window says nothing about the path."""
ACK_ELICITING_THRESHOLD = 1
"""RFC 9000 section 13.2.2: an acknowledgement for every second packet, as without the extension."""
REQUESTED_MAX_ACK_DELAY = "25 ms"
"""RFC 9000 section 18.2, as without the extension."""
REORDERING_THRESHOLD = 1
"""RFC 9000 section 13.2.1: a packet out of order is acknowledged at once, as without the extension."""
QUIC_ECN = True
"""RFC 9000 section 13.4.1: an endpoint that can is to mark its packets, as the library does."""
MAX_CONCURRENT_STREAMS = 100
"""The least that RFC 9113 section 6.5.2 and RFC 9114 section 6.1 recommend; what servers take."""

# Workloads.

BULK_TRANSPORT = "tcp"
"""The transport that a kernel has."""
BULK_DIRECTION = "down"
"""What most users of a satellite link wait for."""
FLOW_START = "0 s"
"""Flows that compete do so from the start, if nothing else is said."""
PING_COUNT = 20
"""Enough for a mean; 4 s at the default interval."""
PING_INTERVAL = "200 ms"
"""claypool2020."""
PING_SIZE = "20 B"
"""claypool2020; also the least that holds the sequence number and the time."""

# Trust and extras.

LATENESS_NS = 1_000_000
"""Below the 1.2 ms that a full packet takes at 10 Mbit/s."""
LATENESS_OF_RTT = 1 / 200
"""What takes a number of round trips is then wrong by at most 1 %: either way is late by 0.5 % of the RTT."""
LATENESS_FAST_NS = 2_000_000
"""Above 100 Mbit/s packets leave in batches of 0.1 ms or less, and the machine has ten times the work."""
FAST_BPS = 100_000_000
TIMEOUT_PAGE_NS = 120 * 1_000_000_000
"""Ten times what the slowest page of alshagri2023 takes."""
TIMEOUT_MARGIN_NS = 60 * 1_000_000_000
"""Handshakes with lost packets and exponential back-off fit in."""
TIMEOUT_FACTOR = 5
"""A sender that uses a fifth of the link is slow, not stuck."""
PCAPNG = False
"""Every packet twice is much to keep."""
QLOG = False
"""As above."""
