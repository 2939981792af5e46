"""The checks that there are, in the order of the page. A new one is a file with a `CHECK` and a line here."""

from tools.third_party import clients, dvbs2, formats, h2spec, itu_r, packetdrill, servers, wireshark

CHECKS = (
    h2spec.CHECK,
    clients.CHECK,
    servers.CHECK,
    packetdrill.CHECK,
    dvbs2.CHECK,
    itu_r.CHECK,
    wireshark.CHECK,
    formats.CHECK,
)
