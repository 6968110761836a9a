# SPDX-License-Identifier: BSD-2-Clause
"""Files that a check accepted need not be checked again while they are as they were.

A stamp in the build has the digest of each accepted file and of all scripts of checks. Only
checks that take seconds keep one: those of scripts, of the format, and of headers.
"""
import hashlib
import json
import pathlib
import sys

import sources

HERE = pathlib.Path(__file__).resolve().parent


def digest(*texts):
    whole = hashlib.sha256()
    for text in texts:
        data = text if isinstance(text, bytes) else text.encode()
        whole.update(b"%d\n" % len(data) + data)
    return whole.hexdigest()


def content(*paths):
    return digest(*((sources.ROOT / path).read_bytes() for path in paths))


class Passed:
    """`stamp`: the file, or None to check everything and keep nothing. `rules`: what the outcome
    depends on besides the file itself."""

    def __init__(self, stamp, *rules):
        self._stamp = stamp and pathlib.Path(stamp)
        self._rules = digest(
            *(path.read_bytes() for path in sorted(HERE.glob("*.py"))), sys.version, *rules)
        self._kept = {}
        if self._stamp and self._stamp.exists():
            try:
                kept = json.loads(self._stamp.read_text())
                self._kept = kept["files"] if kept["rules"] == self._rules else {}
            except (ValueError, KeyError, TypeError):
                pass

    def left(self, digests):
        """{path: digest} -> the paths that were not accepted as they are."""
        return [path for path, now in digests.items() if self._kept.get(str(path)) != now]

    def keep(self, digests):
        """All of these were accepted."""
        if self._stamp:
            self._stamp.parent.mkdir(parents=True, exist_ok=True)
            part = self._stamp.with_suffix(".part")
            part.write_text(json.dumps({"rules": self._rules, "files": {
                str(path): now for path, now in digests.items()}}))
            part.rename(self._stamp)
