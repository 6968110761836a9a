# SPDX-License-Identifier: BSD-2-Clause
"""Surveys in files, as tests/machines/survey_form.py makes them, and what is expected of them."""
import dataclasses
import json
import subprocess

import expected
import expected_acpi


# A ratio is the number on the box: real ones miss it by some 0.6 % (2112 for 2100 MHz).
RATIO_OFF = 0.015


@dataclasses.dataclass
class Machine:
    """`seen`: of the probe; `wrong`: where that is not as expected; `rates_by_ratio`: stated rates
    that another register of the processor confirms."""

    name: str
    seen: dict
    wrong: list
    rates_by_ratio: int = 0


def sections(text):
    """By heading: the lines below it, as words."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line.split())
    return found


def _of_first(cores):
    return cores.split(",")[0].split("-")[0] == "0"


def processor(parts):
    """Leaves and MSRs of core 0."""
    leaves, msrs = {}, {}
    for words in parts.get("cpuid", ()):
        if _of_first(words[6]):
            registers = tuple(int(word, 16) for word in words[2:6])
            leaves.setdefault((int(words[0], 16), int(words[1], 16)), registers)
    for number, value, cores in parts.get("msr", ()):
        if _of_first(cores) and value != "fault":
            msrs[int(number, 16)] = None if value == "moves" else int(value, 16)
    return expected.Processor(leaves, msrs)


def tables(parts):
    """By signature: bytes."""
    return {
        heading.split()[1]: bytes.fromhex("".join(word for words in lines for word in words))
        for heading, lines in parts.items() if heading.startswith("acpi ")
    }


def decoded(program, paths):
    """The probe's decoding of each file. Raises where it crashes or a sanitizer stops it."""
    done = subprocess.run([program, *paths], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(found, wanted, at=""):
    """"rates.cpuid15: 1, not 2" for each value that differs."""
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return [] if found == wanted else [f"{at}: {found}, not {wanted}"]
    return [
        text
        for key in sorted({*found, *wanted})
        for text in differences(found.get(key), wanted.get(key), f"{at}.{key}".lstrip("."))
    ]


def without_others(seen):
    names = {name for name in seen["counters"] if name not in expected.NOT_BY_LEAVES}
    return seen | {"counters": sorted(names)}


def _against_ratio(p, found):
    ratio = expected.rate_by_ratio(p)
    far = [
        f"rates.{name} by the ratio: {hz}, not {ratio}"
        for name, hz in found.items() if ratio and abs(hz / ratio - 1) > RATIO_OFF
    ]
    return far, len(found) if ratio else 0


def compared_one(seen, path):
    parts = sections(path.read_text())
    machine = Machine(path.stem, seen, [])
    if "cpuid" in parts:
        p = processor(parts)
        found = without_others(seen["processor"])
        far, machine.rates_by_ratio = _against_ratio(p, found["rates"])
        machine.wrong += differences(found, expected.processor(p)) + far
    if tables(parts):
        machine.wrong += differences(seen.get("acpi"), expected_acpi.tables(tables(parts)))
    return machine


def compared(program, paths):
    for seen, path in zip(decoded(program, paths), paths, strict=True):
        yield compared_one(seen, path)
