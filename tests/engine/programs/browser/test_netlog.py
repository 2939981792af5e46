"""What a network log of Chromium says."""

from bentpipe.engine.programs.browser.netlog import NetLog, read

NETLOG = """{"constants": {"logEventTypes": {}},
"events": [
{"params":{"method":"GET","url":"https://origin.bentpipe.test/"},"phase":1,"source":{"id":5,"type":1},"time":"1","type":2},
{"params":{"local_address":"198.18.0.1:40000","remote_address":"198.18.0.2:443"},"phase":2,"source":{"id":7,"type":9},"time":"2","type":39},
{"params":{"self_address":"198.18.0.1:50000","peer_address":"198.18.1.1:443","size":1200},"phase":0,"source":{"id":9,"type":11},"time":"3","type":260},
{"phase":2,"source":{"id":5,"type":1},"time":"4","type":2},
{"params":{"method":"GET","url":"https://upda"""
"""As Chromium writes it, broken off as by a kill."""


def test_the_network_log_has_the_ports_and_all_that_was_asked_for():
    log = read(NETLOG)
    assert log.ports == {7: 40_000, 9: 50_000}
    assert log.urls == ["https://origin.bentpipe.test/"]


def test_what_is_asked_of_the_page_s_hosts_and_not_of_the_page_is_a_stray():
    document, stray = "https://www.test/", "https://www.test/favicon.ico"
    log = NetLog(ports={}, urls=[document, "https://updates.test/list", stray])
    assert log.strays({document: 200}) == [stray]
