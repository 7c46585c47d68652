"""The timings of the learners of concepts run, and what they time is right."""

from benchmarks.concepts import timings, timings_table


def test_every_job_does_what_it_says():
    rows = list(timings(scale=0.02, turns=1))
    assert len(rows) >= 8
    for row in rows:
        assert row.wall > 0.0
        assert row.cpu >= 0.0
        assert not any(word in row.outcome for word in ("FAILS", "REJECTED")), row
    assert timings_table(rows).row_count == len(rows)
