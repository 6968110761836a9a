# SPDX-License-Identifier: BSD-2-Clause
"""schema.json is what the programs print: documents of subcommands, lines of records."""
import collections
import functools
import json
import pathlib
import subprocess

import jsonschema
import machine as machines
import node
import pytest
import test_code
import test_fleet
from collecting import change, put
from tiers import full_but

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"
QUIET, SMIS = DATA / "runs/quiet.log", DATA / "runs/smis.log"
PEERS = sorted([*(path for path in DATA.glob("peers/**/*") if path.suffix not in ("", ".md")),
                *(ROOT / "tests/fuzz/seeds/fuzz_peer").iterdir()])
ATTESTED = DATA / "attest"
OSNOISE = DATA / "peers/osnoise-events-6.12.trace"
SCHEMA = json.loads((machines.BUILD / "schema.json").read_text(encoding="utf-8"))
DOCUMENTS = [ref["$ref"].rpartition("/")[2] for ref in SCHEMA["anyOf"][:-1]]
HOUR = test_fleet.HOUR


@functools.cache
def validator(name):
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def errors(name, document):
    return [f"{error.json_path}: {error.message[:300]}"
            for error in validator(name).iter_errors(document)]


@functools.cache
def tables():
    return json.loads(subprocess.check_output([machines.BUILD / "tables"]))


def name_of(document):
    return document["schema"].partition("/")[0]


# ---- Runs that are made up, by the table of records ----

VALUES = {
    "number": 1, "number or null": 1, "true or false": False, "strings": ["one"],
    "pairs": [[1000, 1]], "by cause": {"smi": {"gaps": 1, "ns": 1000}},
    "by name": {"swsmi": 64000000}, "by type": {"begin": 1},
}


def members(rows, full, values):
    made = {}
    for row in rows:
        name, kind = row["name"], row["kind"]
        if kind == "end":
            break
        if kind == "object":
            made[name] = members(rows, full, values.get(name, {}))
        elif name in values:
            made[name] = values[name]
        elif kind == "string":
            made.update({name: "bare" if name == "stage" else name} if full else {})
        elif full or kind not in ("number or null", "by name"):
            made[name] = VALUES[kind]
    return made


def record(kind, full=True, **values):
    """(type, fields): all that the table has; or without those that may be absent."""
    (rows,) = (r["fields"] for r in tables()["records"] if r["name"] == kind)
    return kind, members(iter(rows), full, values)


def write(path, sid, *records):
    """The record `end` has how many there are."""
    kinds = [kind for kind, _ in records]
    records = [(kind, {**fields, "records": dict(collections.Counter(kinds))} if kind == "end"
                else fields) for kind, fields in records]
    texts = (json.dumps(fields, separators=(",", ":"))[1:-1] for _, fields in records)
    path.write_bytes(b"".join(node.record(sid, seq, kind, text and f",{text}")
                              for seq, (kind, text) in enumerate(zip(kinds, texts))))
    return path


def begin(config="max=20us", **values):
    return record("begin", config=config, clock={"hz": 10**9}, arch=values.pop("arch", "x86_64"),
                  began="2026-01-01T00:00:00Z", **values)


def core(stage, gaps, **values):
    return record("cpu", **{
        "stage": stage, "exposure_ns": HOUR, "gaps": gaps, "smi": gaps, "smi_out": 0,
        "noise_ns": gaps * 5000, "max_ns": 5100, "histogram": [[4992, gaps]],
        "cause": {"smi": {"gaps": gaps, "ns": gaps * 5000}}, **values})


def source(period):
    return record("source", cause="smi", period_ns=period, events=50, fill_ppm=990000)


def stretch(cpu, **values):
    return record("stretch", **{
        "kernel": "adds", "phase": "all", "cpu": cpu, "quanta": 1000, "best": 100000,
        "max": 1100000, "hist": [[0, 900], [1024, 80], [65536, 19], [1048576, 1]], **values})


def periodic(period=64000000, count=100):
    """All gaps of a stage, by a timer that the chipset has enabled."""
    length = (count + 1) * period
    gaps = [record("gap", t_ns=(n + 1) * period, len_ns=5000, cause="smi", cpu=0)
            for n in range(count)]
    return [record("stage", usb_owner="bios", timers={"swsmi": period}, smi_enabled="LEGACY_USB"),
            record("window", start_ns=0, len_ns=length, gaps=count, smi=count, smi_out=0), *gaps,
            core("bare", count, cpu=0, exposure_ns=length, dropped=0), source(period)]


def service(stage, name, **values):
    return record("service", **{
        "stage": stage, "service": name, "calls": 30, "failed": 0, "others": 1, "controls": 30,
        "why": None, "p50_ns": 10000, "max_ns": 20000, **values})


def end():
    return record("end", verdict="pass", gaps_unsent=0, events_unsent=0)


def lay_runs(folder):
    """Runs by name."""
    every = [record(r["name"], full) for r in tables()["records"] for full in (True, False)]
    every = [r for r in every if r[0] not in ("begin", "end")]
    ladder = [core("bare", 90), core("acpi", 9), source(64000000)]
    arm = [(kind, {name: of for name, of in fields.items() if name not in ("smi", "nmi")})
           for kind, fields in ladder]
    calls = [service("handoff", "rtc"), service("handoff", "get_time", min_ns=None),
             service("handoff", "get_variable", stops=True, max_ns=9000000),
             service("handoff", "trng", calls=0, why="it is not called here")]
    inside = [service("os", "rtc", p50_ns=30000), service("os", "keyboard"),
              service("os", "get_time", calls=0, why="Linux does not call it")]
    runs = {
        "every": [begin(), *every, end()],
        "bare": [record("begin", False), *[r for r in every if r[0] == "cpu"],
                 record("end", False)],
        "ladder": [begin(), *ladder, end()],
        "changed": [begin(), core("bare", 900), core("acpi", 9, smi=None, nmi=None),
                    source(8000000), end()],
        "aarch64": [begin(arch="aarch64"), *arm, end()],
        "stretch": [begin("mode=stretch"), stretch(0), stretch(1), end()],
        "slower": [begin("mode=stretch"), stretch(0, best=120000), stretch(1, p999=9), end()],
        "calls": [begin("mode=services"), *calls, end()],
        "inside": [begin("mode=services", os="Linux"), *inside, end()],
        "measure": [begin(os="Linux"), core("os", 9), end()],
        "huge": [begin(begin_tsc=2**64 - 1), record("gap", ticks=2**63), end()],
        "periodic": [begin("gaps=all max=20us", machine={"vendor": "Dell Inc."}, hypervisor=None),
                     *periodic(), end()],
        "cut": [begin(), record("log")],
    }
    files = {name: write(folder / f"{name}.nf", sid, *records)
             for sid, (name, records) in enumerate(runs.items(), 1)}
    lines = files["ladder"].read_bytes().splitlines(keepends=True)
    (folder / "lost.nf").write_bytes(b"".join([lines[0], lines[1][:50] + b"\n", *lines[3:]]))
    (folder / "kernel.txt").write_bytes(b"Linux version 6.12.0-rt\n" + OSNOISE.read_bytes())
    (folder / "none.nf").write_bytes(b"no record here\n")
    (folder / "two.nf").write_bytes(files["ladder"].read_bytes() + files["cut"].read_bytes())
    return {path.stem: path for path in folder.glob("*.nf")}


def lay_hunt(folder, runs, per_value=50, values=("Enabled", "Disabled")):
    """Runs of one machine with one setting."""
    folder.mkdir()
    for n in range(runs):
        value = values[n % 2]
        gaps = 9 + n if value == values[0] else per_value + n
        write(folder / f"run-{n}.nf", n + 1, begin(), core("bare", gaps), end())
        settings = {"Usb": value, "Same": "on", "Other": value}
        (folder / f"run-{n}.bios.json").write_text(json.dumps({"Attributes": settings}))
    return folder


def lay_fleet(folder):
    """Machines of which two differ, and one of each mode that has no gaps to compare."""
    parts = folder.with_name("parts")
    parts.mkdir()
    for sid in range(1, 41):
        test_fleet.machine(folder, sid, longest=10000 + sid)
    test_fleet.machine(folder, 98, longest=900000, config="max=20us")
    test_fleet.machine(folder, 99, periods=(), verdict="fail", config="max=1s")
    test_fleet.machine(folder, 97, smi=None, bios="2")
    write(parts / f"{96:016x}.jsonl", 96, begin(machine={
        "uuid": "machine-96", "product": "Box", "bios_version": "1.0"}),
        core("handoff", 9, max_ns=900000, noise_ns=3600000), end())
    for sid, mode in enumerate(("stretch", "survey", "services"), 200):
        machine = {"uuid": f"machine-{sid}", "product": "Box", "bios_version": "1.0"}
        calls = [service("handoff", "rtc")] if mode == "services" else []
        write(parts / f"{sid:016x}.jsonl", sid, begin(f"mode={mode}", machine=machine), *calls,
              end())
    write(parts / f"{300:016x}.jsonl", 300, begin(machine={"uuid": "machine-300"}))
    test_fleet.store(machines.BUILD / "noisefloor", folder)
    put(machines.BUILD / "noisefloor", folder, {
        int(path.stem, 16): path.read_bytes().splitlines(keepends=True)
        for path in sorted(parts.iterdir())})
    change(folder, "UPDATE run SET policy_verdict='fail' WHERE uuid='machine-2'")
    return folder


def commands(folder):
    """The subcommands of `noisefloor`, with arguments."""
    run = lay_runs(folder)
    fleet, hunt = lay_fleet(folder / "fleet"), lay_hunt(folder / "hunt", 12, 900)
    for path in [QUIET, SMIS, *run.values()]:
        yield from (("show", path), ("show", "--preset", "bits", path))
    yield "show", *run.values()
    yield "show", "--qr", test_code.line("fail")
    yield from (("compare --list", path) for path in PEERS)
    yield "compare --list", *PEERS, run["measure"], folder / "kernel.txt"
    for path in PEERS:
        yield from (("compare", SMIS, path), ("compare", "--force", SMIS, path))
        yield "compare", "--force", "--max", "10us", "--max-noise", "9", SMIS, path
    yield "compare", run["none"], OSNOISE
    yield "compare", run["calls"], run["inside"]
    yield "compare", "--force", run["calls"], run["inside"], OSNOISE, run["none"]
    yield from (("diff", QUIET, SMIS), ("diff", "--force", QUIET, SMIS))
    for before, after in (("ladder", "changed"), ("stretch", "slower"), ("calls", "calls"),
                          ("ladder", "stretch"), ("aarch64", "aarch64"), ("bare", "ladder")):
        yield from (("diff", run[before], run[after]), ("diff", "--force", run[before], run[after]))
    for name in ("ladder", "changed", "bare", "stretch", "cut", "periodic", "calls"):
        yield from (("predict", run[name]), ("advise", run[name]))
    yield from (("predict", SMIS), ("advise", SMIS, QUIET), ("advise", run["none"]))
    for path in DATA.glob("bios/*.json"):
        yield from (("advise", "--bios", path, SMIS), ("advise", "--bios", path, run["periodic"]))
    denied = folder / "denied.json"
    denied.write_text('{"Attributes": {"LegacyUSBSupport": "Disabled"}}')
    yield "advise", "--bios", denied, run["periodic"]
    yield from (("hunt", hunt), ("hunt", "--plan", "6", hunt))
    yield from (("hunt", lay_hunt(folder / f"hunt-{runs}", runs)) for runs in (2, 3, 5))
    yield "hunt", lay_hunt(folder / "alike", 4, values=("Enabled", "Enabled"))
    yield from (("fleet list", fleet), ("fleet list", fleet, fleet))
    for sid in (1, 2, 99, 200, 300):
        yield "fleet status", "--dir", fleet, f"machine-{sid}"
    yield "fleet status", "--dir", fleet, "--max-age", "1ms", "machine-1"
    yield ("fleet attest", "--image", machines.BUILD / "noisefloor.efi",
           "--key", ATTESTED / "key.pem", ATTESTED / "run.jsonl")


def printed(tool, *arguments):
    done = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    return done.stdout


@pytest.fixture(scope="module", name="documents")
def fixture_documents(tmp_path_factory):
    """[(program and subcommand, command, document)]; a command that is refused prints none."""
    tool, found = machines.BUILD / "noisefloor", []
    for subcommand, *rest in commands(tmp_path_factory.mktemp("runs")):
        document = printed(tool, *subcommand.split(), "--json", *rest)
        name = subcommand.partition(" --")[0]
        found.append(("noisefloor", name, rest, document))
    return [((name, subcommand), rest, json.loads(text))
            for name, subcommand, rest, text in found if text]


# ---- Tests ----

def test_documents(documents):
    wrong = [(subcommand, rest, errors(name_of(document), document)[:3])
             for subcommand, rest, document in documents
             if not validator(name_of(document)).is_valid(document)]
    assert not wrong


def test_every_subcommand(documents):
    """Every subcommand with --json has a schema of its name, and was run."""
    every = [(s["name"], s["options"]) for s in tables()["subcommands"]]
    every += [(f"{group['name']} {s['name']}", s["options"])
              for group in tables()["subcommands"] for s in group["group"]]
    listed = {("noisefloor", name) for name, options in every for option in options
              if option["name"] == "json" or "json" in option["words"]}
    assert len(listed) > 8
    seen = {subcommand for subcommand, _, _ in documents}
    assert seen == listed
    for (_, subcommand), _, document in documents:
        assert name_of(document).partition("-")[0] in ("fleet", *subcommand.split())
        assert name_of(document) in DOCUMENTS


def properties(of):
    """(the schema of an object, name) of each member that a document's schema leads to."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        if not name.startswith("record"):
            yield from properties(SCHEMA["$defs"][name])
    for name, inner in of.get("properties", {}).items():
        yield id(of), name
        yield from properties(inner)
    for inner in [*of.get("anyOf", []), *(of[key] for key in ("items", "additionalProperties")
                                          if isinstance(of.get(key), dict))]:
        yield from properties(inner)


@functools.cache
def validator_of(text):
    """A validator for a part of the schema."""
    return jsonschema.Draft202012Validator({**json.loads(text), "$defs": SCHEMA["$defs"]})


def seen_in(of, value):
    """Members in properties() that a valid value has and that are not null."""
    if "$ref" in of:
        name = of["$ref"].rpartition("/")[2]
        if not name.startswith("record"):
            yield from seen_in(SCHEMA["$defs"][name], value)
    if isinstance(value, dict):
        for name, inner in of.get("properties", {}).items():
            if value.get(name) is not None or inner == {"type": "null"}:
                yield id(of), name
                yield from seen_in(inner, value[name])
        if isinstance(of.get("additionalProperties"), dict):
            for inner in value.values():
                yield from seen_in(of["additionalProperties"], inner)
    for inner in of.get("anyOf", []):
        if validator_of(json.dumps(inner)).is_valid(value):
            yield from seen_in(inner, value)
    for item in value if isinstance(value, list) else []:
        yield from seen_in(of.get("items", {}), item)


@pytest.mark.parametrize("name", full_but(["show"], DOCUMENTS))
def test_nothing_in_vain(documents, name):
    """Each member was seen with a value: none is left of what was removed."""
    of = SCHEMA["$defs"][name]
    seen = {member for _, _, document in documents if name_of(document) == name
            for member in seen_in(of, document)}
    assert {member for _, member in set(properties(of)) - seen} == set()


def test_lines(tmp_path):
    """Records are printed as they were sent, parts and types of a later version, too."""
    tool, parts = machines.BUILD / "noisefloor", 0
    later = write(tmp_path / "later", 1, begin(new={"any": 1}), ("weather", {"sun": None}), end())
    for path in (QUIET, SMIS, later, *lay_runs(tmp_path).values()):
        for text in printed(tool, "show", "--jsonl", path).splitlines():
            line = json.loads(text)
            assert errors("line", line) == []
            parts += "part" in line
            assert errors("record", line), "a checksum in a document"
    assert parts


def test_what_is_unknown_or_missing_is_refused(documents):
    """Members of a document of each kind, and of a record of each type."""
    least = {name_of(document): document for _, _, document in documents}
    for kind in (r["name"] for r in tables()["records"]):
        line = {"nf": 1, "sid": f"{1:016x}", "seq": 0, "type": kind, **record(kind, False)[1]}
        assert errors("record", line) == [] and errors("line", line), "no checksum"
        for name in line.keys() - {"type"}:
            assert errors("record", {**line, name: {}} if name == "seq" else without(line, name))
    for kind, document in least.items():
        assert errors(kind, {**document, "unheard_of": 1})
        for name in SCHEMA["$defs"][kind]["required"]:
            assert errors(kind, without(document, name)), name


def without(document, name):
    return {key: value for key, value in document.items() if key != name}
