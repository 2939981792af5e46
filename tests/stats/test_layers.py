import pytest

from bentpipe.stats import LAYERS, mean_layers
from tests.support.synthetic import page_load

DOWN = dict(zip(LAYERS, (200, 800, 500, 460, 40, 8_000), strict=True))
UP = dict(zip(LAYERS, (100, 200, 50, 20, 60, 0), strict=True))


def counted(*, repetition=0, text_bytes=1_000, more_body_bytes=0, **changes):
    """A run whose header fields are 100 bytes on the wire and `text_bytes` as text."""

    def direction(layers, text):
        return {f"{name}_bytes": n for name, n in layers.items()} | {"uncompressed_header_bytes": text}

    down = {**DOWN, "body": DOWN["body"] + more_body_bytes}
    layers = {"down": direction(down, text_bytes // 2), "up": direction(UP, text_bytes // 2)}
    return page_load(repetition=repetition, bytes_by_layer=layers, **changes)


def test_layers_are_means_over_runs_of_both_directions_together():
    found = mean_layers([counted(), counted(repetition=1, more_body_bytes=1_000)])
    assert found.n == 2
    assert found.mean_bytes["transport"] == 800 + 200
    assert found.mean_bytes["body"] == 8_500
    assert found.total_bytes == pytest.approx(sum(DOWN.values()) + sum(UP.values()) + 500)


def test_the_header_ratio_is_what_was_sent_over_what_it_is_as_text():
    assert mean_layers([counted(), counted(text_bytes=3_000)]).header_ratio == pytest.approx(200 / 4_000)


def test_runs_that_were_not_counted_or_may_not_be_used_do_not_count():
    assert mean_layers([page_load()]) is None
    assert mean_layers([counted(status="invalid")]) is None
