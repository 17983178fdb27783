# SPDX-License-Identifier: GPL-2.0-or-later
"""A program for the demo to profile: writes, compresses, reads, searches."""
import json
import re
import zlib

while True:
    records = [{"id": n, "name": f"record {n}", "even": n % 2 == 0} for n in range(2000)]
    text = json.dumps(records)
    packed = zlib.compress(text.encode(), 6)
    again = json.loads(zlib.decompress(packed))
    found = re.findall(r'"name": "record \d*7"', text)
    assert len(again) == len(records) and len(found) == 200
