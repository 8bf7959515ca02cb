"""Eight threads on one relay write what eight calls one after another write."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.relay.scripts import scripted

LARGE = ["First multiply both of the numbers. So,", " All is known now.\n</think>\n\n"]
SMALL = [" it is 12. And", "The answer is 12."]


def test_threads_do_not_mix() -> None:
    relay, engine = scripted(LARGE, SMALL)
    expected = relay.generate("?").text

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: relay.generate("?"), range(8)))

    assert [result.text for result in results] == [expected] * 8
    assert engine.closed_sessions == 9
