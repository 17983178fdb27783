# SPDX-License-Identifier: GPL-2.0-or-later
"""A program for the demo to profile: writes, reads, counts, searches."""
import collections
import json
import re

while True:
    records = [{"id": n, "name": f"record {n}", "even": n % 2 == 0} for n in range(2000)]
    text = json.dumps(records)
    again = json.loads(text)
    counts = collections.Counter(word for one in again for word in one["name"].split())
    found = re.findall(r'"name": "record \d*7"', text)
    assert counts["record"] == len(records) and len(found) == 200
