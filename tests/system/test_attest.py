# SPDX-License-Identifier: BSD-2-Clause
"""Attestation by a TPM: what it quotes, and that nothing else is attested."""
import hashlib
import json
import subprocess
import time

import pytest

import collecting
import esp
import machine as machines
import records
import runner
from ran import ran

CONFIG = "duration=300ms window=100ms live=no gaps=3 save=none countdown=0 then=qemu-exit"
TOOL = machines.BUILD / "noisefloor"
IMAGE = machines.BUILD / "noisefloor.efi"
AARCH64 = machines.BUILD / "aarch64" / "noisefloor.efi"
ON_AARCH64 = {"app": AARCH64, "emulator": "aarch64", "board": "virt"}
UUID = "11111111-2222-3333-4444-555555555555"
HELD_BACK = "a later run that this key signed was received before"


class Attested:
    """A run on a machine with a TPM, and the files of it."""

    def __init__(self, folder, kind, state, config=CONFIG, image=IMAGE, **machine):
        machine = machines.Machine(tpm=kind, tpm_state=state, smp=1, extra=("-uuid", UUID),
                                   **machine)
        options = runner.Options(app=image, out=folder / "run", machine=machine, config=config)
        self.result = runner.run(options)
        assert self.result.problem is None, self.result.problem
        self.tpm = {"crb": "crb", "tis": "fifo"}[kind]
        self.image = image
        self.folder = folder
        self.log = folder / "run" / "serial.log"

    def record(self, kind):
        (record,) = self.result.of_type(kind)
        return record

    @property
    def sid(self):
        return self.record("attest")["sid"]

    def attest(self, log=None, **options):
        return attest(log or self.log, **{"image": self.image, **options})


class AttestedOnArm(Attested):
    """QEMU's TPM has a FIFO there, at an address that the DSDT has."""

    def __init__(self, folder, state, board="virt", **machine):
        super().__init__(folder, "tis", state, **{"image": AARCH64, "emulator": "aarch64",
                                                  "firmware": "aarch64", "board": board, **machine})


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """The state that identifies a TPM."""
    return tmp_path_factory.mktemp("tpm")


@pytest.fixture(scope="module", params=["x86_64", pytest.param("aarch64", marks=pytest.mark.full)])
def today(request, tmp_path_factory, state):
    folder = tmp_path_factory.mktemp("today")
    if request.param == "aarch64":
        return AttestedOnArm(folder, state)
    return Attested(folder, "crb", state)


@pytest.fixture(scope="module")
def yesterday(tmp_path_factory, state):
    """The same machine, by its other interface."""
    return Attested(tmp_path_factory.mktemp("yesterday"), "tis", state)


@pytest.fixture(scope="module")
def key(today):
    path = today.folder / "key.pem"
    document, code = today.attest(enroll=path)
    assert code == 0 and document["outcome"] == "good"
    return path


def attest(log, image=IMAGE, **options):
    """The document that the host tool prints, and its exit code."""
    argv = [TOOL, "fleet", "attest", "--json", "--image", image, log]
    argv += [f"--{name}={value}" for name, value in options.items()]
    done = ran(*argv, stdin=subprocess.DEVNULL)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def bad(document):
    return {check["name"] for check in document["checks"] if check["state"] != "good"}


def lines_of(log):
    return [match[0] for match in records.LINE.finditer(log.read_bytes())]


def with_crc(line):
    """The line with a checksum that is right again."""
    body = line[: -records.CRC_TAIL]
    return body + b',"crc":"%08x"}' % records.crc32c(body)


def write(path, lines):
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def test_attested(today, key):
    document, code = today.attest(key=key)
    config = hashlib.sha256(today.record("begin")["config"].encode()).hexdigest()
    assert code == 0 and not bad(document)
    assert document["tpm"] == today.tpm and document["verdict"] == "none"
    assert document["config"] == config
    assert today.attest(key=key, config=config)[1] == 0


@pytest.mark.full
def test_same_key_by_either_interface(yesterday, key):
    document, code = yesterday.attest(key=key)
    assert code == 0 and document["tpm"] == "fifo"


@pytest.mark.full
def test_held_back(today, yesterday, key, collect, tmp_path):
    """A run that comes after a later one of its key fails by a policy; in order both count."""
    image = hashlib.sha256(b"").hexdigest()
    policy = tmp_path / "policy"
    policy.write_text(collecting.policy_text(attest_key=str(key), attest_image=str(image)))
    runs = [(int(run.record("begin")["sid"], 16), [line + b"\n" for line in lines_of(run.log)])
            for run in (today, yesterday)]
    judged = []
    for n, order in enumerate((runs, runs[::-1])):
        collector = collect("--policy", policy, folder=f"runs{n}")
        for sid, lines in order:
            collector.deliver(sid, lines)
            time.sleep(1.1)  # runs of the same second have no order
        assert collector.end() == 0
        judged.append(HELD_BACK in collecting.status(TOOL, collector.folder, UUID)[1])
    assert sorted(judged) == [False, True]


@pytest.mark.full
def test_under_secure_boot(tmp_path, db_key):
    """The signature is no part of what the firmware measures of an image."""
    signed = db_key.sign(IMAGE, tmp_path / "signed.efi")
    run = Attested(tmp_path, "crb", tmp_path / "tpm", image=signed, firmware="secure")
    assert [record["stage"] for record in run.result.of_type("stage")][-1] == "handoff"
    document, code = run.attest(image=IMAGE, enroll=tmp_path / "key.pem")
    assert code == 0 and not bad(document)
    assert run.attest(key=tmp_path / "key.pem")[1] == 0
    assert run.attest(image=machines.BUILD / "inject.efi", key=tmp_path / "key.pem")[1] == 1
    check_by_tpm2_tools(run, tmp_path / "key.pem", tmp_path)


@pytest.mark.full
def test_on_aarch64_with_secure_boot(tmp_path, arm_key):
    signed = arm_key.sign(AARCH64, tmp_path / "signed.efi")
    run = AttestedOnArm(tmp_path, tmp_path / "tpm", image=signed, firmware="aarch64-secure")
    assert run.attest(image=AARCH64, enroll=tmp_path / "key.pem")[1] == 0


@pytest.mark.full
def test_on_aarch64_at_level_2(tmp_path):
    run = AttestedOnArm(tmp_path, tmp_path / "tpm", board="virt-el2")
    document, code = run.attest(enroll=tmp_path / "key.pem")
    assert code == 0 and not bad(document)
    assert run.attest(image=IMAGE, key=tmp_path / "key.pem")[1] == 1  # another image


@pytest.mark.full
def test_on_aarch64_without_an_address(run, quirks_aarch64):
    """The address of PCs' TPMs is not tried: anything may be there."""
    result = run(config=CONFIG, inject=quirks_aarch64, files={"quirks.txt": b"tpm-unplaced"},
                 firmware="aarch64", tpm="tis", smp=1, **ON_AARCH64)
    remarks = [log for log in result.of_type("log") if "attest" in log["text"]]
    assert result.code == 0 and not result.of_type("attest")
    assert [log["level"] for log in remarks] == ["info"]
    assert "neither the table TPM2 nor its device" in remarks[0]["text"]


def test_no_line_is_sent_while_it_measures(today):
    """The TPM is used before the cores are started and behind the summary: no record of a window
    comes after the attestation, and the one that it is ready for is the last but the end."""
    kinds = [record["type"] for record in today.result.records]
    assert kinds[-3:] == ["summary", "attest", "end"]


def test_tpm2_checkquote_agrees(today, key, tmp_path):
    check_by_tpm2_tools(today, key, tmp_path)


def check_by_tpm2_tools(run, key, tmp_path):
    record = run.record("attest")
    files = {name: tmp_path / name for name in ("quote", "signature", "pcrs")}
    for name in ("quote", "signature"):
        files[name].write_bytes(bytes.fromhex(record[name]))
    text = " ".join([record["sid"], *record["lines"]])
    data = hashlib.sha256(text.encode()).hexdigest()
    argv = ["tpm2_checkquote", "-u", key, "-m", files["quote"], "-s", files["signature"], "-g",
            "sha256", "-q"]
    done = ran(*argv, data)
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(bytes.fromhex("".join(record["values"]))).hexdigest()
    assert digest in record["quote"]
    wrong = ran(*argv, "00" * 32)
    assert wrong.returncode != 0


def test_required_by_a_collector(today, key, collect, tmp_path):
    """By the files that `attest` is given: another image does not count."""
    policy = tmp_path / "policy.conf"
    policy.write_text(collecting.policy_text(
        attest_key=str(key), attest_image=[str(machines.BUILD / "inject.efi")]))
    collector = collect("--policy", policy)
    collector.deliver(int(today.sid, 16), [line + b"\n" for line in lines_of(today.log)])
    policy.write_text(collecting.policy_text(
        attest_key=str(key), attest_image=[str(machines.BUILD / "inject.efi"), str(today.image)]))
    assert collecting.status(TOOL, collector.folder, UUID)[0] == 1
    collector.hang_up()
    assert collecting.status(TOOL, collector.folder, UUID)[0] == 0
    assert collector.end() == 0
    (run,) = [line for line in collector.text().splitlines() if "by the node" in line]
    assert " fail" in run and "which is not known" in run


def test_verdict_changed(today, key, tmp_path):
    lines = [with_crc(line.replace(b'"verdict":"none"', b'"verdict":"pass"'))
             if b'"type":"end"' in line else line for line in lines_of(today.log)]
    document, code = today.attest(write(tmp_path / "pass.jsonl", lines), key=key)
    assert code == 1 and bad(document) == {"records"}


def test_line_missing(today, key, tmp_path):
    lines = lines_of(today.log)
    lines.remove(next(line for line in lines if b'"type":"cpu"' in line))
    document, code = today.attest(write(tmp_path / "short.jsonl", lines), key=key)
    assert code == 3 and bad(document) == {"records"}


@pytest.mark.full
@pytest.mark.parametrize("machine", [
    {},
    # A device tree describes the machine, and its TPM.
    {"firmware": "uboot-aarch64", "tpm": "tis", **ON_AARCH64},
], ids=["x86_64", "device-tree"])
def test_without_one(run, machine):
    """One remark, and nothing of an attestation."""
    result = run(config=CONFIG, smp=1, **machine)
    remarks = [log for log in result.of_type("log") if "attest" in log["text"]]
    assert result.code == 0 and not result.of_type("attest")
    assert [log["level"] for log in remarks] == ["info"]
    assert "no ACPI table TPM2" in remarks[0]["text"]
    done = ran(TOOL, "fleet", "attest", "--image", IMAGE, "--enroll", result.out / "key.pem",
               result.out / "serial.log")
    assert done.returncode == 3 and "no attestation" in done.stderr
    assert not (result.out / "key.pem").exists()


@pytest.mark.full
def test_required_and_absent(run):
    result = run(config=f"{CONFIG} attest=yes", smp=1)
    assert result.code == 2 and not result.of_type("window")
    (error,) = [log["text"] for log in result.of_type("log") if log["level"] == "error"]
    assert "attest=yes" in error and "no ACPI table TPM2" in error


@pytest.mark.full
def test_switched_off(tmp_path, state):
    off = AttestedOnArm(tmp_path, state, config=f"{CONFIG} attest=no")
    assert not off.result.of_type("attest")
    assert not [log for log in off.result.of_type("log") if "attest" in log["text"]]


@pytest.mark.full
def test_saved_report_is_attested(run, out, tmp_path):
    """After ExitBootServices there are no files: the next start makes it of the variables."""
    run(config="duration=300ms window=100ms live=no gaps=3 save=file",
        firmware="aarch64", tpm="tis", tpm_state=tmp_path / "tpm", resets=True, smp=1,
        leave_seconds=240, **ON_AARCH64)
    (name,) = [name for name in esp.names(out / "esp.img", "noisefloor") if name.endswith(".jsonl")]
    saved = tmp_path / "saved.jsonl"
    saved.write_bytes(esp.read(out / "esp.img", f"noisefloor/{name}"))
    document, code = attest(saved, AARCH64, enroll=tmp_path / "key.pem")
    assert code == 0 and not bad(document)
    (text,) = [c["text"] for c in document["checks"] if c["name"] == "records"]
    assert "not covered: the end" in text
