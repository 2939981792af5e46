"""Scripts of packetdrill by chance: what the kernel answers to them, the simulated endpoint is judged by."""
