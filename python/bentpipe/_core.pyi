"""The Rust side of Bentpipe."""

def parse_duration_ns(text: str) -> int:
    """Nanoseconds in "250 ms". Raises ValueError with what was expected and found."""

def parse_rate_bps(text: str) -> int:
    """Bits per second in "10 Mbit/s". Raises ValueError."""

def parse_size_bytes(text: str) -> int:
    """Bytes in "36 MB". Raises ValueError."""

def parse_fraction(text: str) -> float:
    """Fraction of one in "1 %" or "1e-6". Raises ValueError."""

def format_duration(ns: int) -> str:
    """Write 250 000 000 as "250 ms"."""

def format_rate(bps: int) -> str:
    """Write 10 000 000 as "10 Mbit/s"."""

def format_size(bytes: int) -> str:
    """Write 36 000 000 as "36 MB"."""
