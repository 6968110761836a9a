#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the ACPI and SMBIOS tables that QEMU's q35 and OVMF leave in memory.

    tests/data/capture_tables.py CPUS OUT

Boots OVMF without a disk, stops the machine once the tables are there, and
finds them by their anchors. OUT is a list of pieces of physical memory, RSDP
first, SMBIOS 2.x entry point second: address (8 bytes, little-endian), length
(4), then the bytes.
"""
import json
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

RAM = 128 << 20
FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
VARIABLES = "/usr/share/OVMF/OVMF_VARS_4M.fd"
LIMIT_S = 60


class Qmp:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile()
        self.lines.readline()
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        request = {"execute": name, "arguments": arguments}
        self.socket.sendall(json.dumps(request).encode())
        while True:
            answer = json.loads(self.lines.readline())
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                sys.exit(f"{name}: {answer['error']['desc']}")


def start_qemu(folder, cpus):
    variables = folder / "vars.fd"
    variables.write_bytes(pathlib.Path(VARIABLES).read_bytes())
    return subprocess.Popen(
        ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-smp", cpus]
        + ["-m", str(RAM >> 20), "-display", "none", "-net", "none", "-serial", "null"]
        + ["-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={FIRMWARE}"]
        + ["-drive", f"if=pflash,unit=1,format=raw,file={variables}"]
        + ["-uuid", "00112233-4455-6677-8899-aabbccddeeff"]
        + ["-qmp", f"unix:{folder}/qmp,server=on,wait=off"]
    )


def sound(memory, at, length):
    return 0 < length <= len(memory) - at and sum(memory[at : at + length]) % 256 == 0


def find(memory, anchor, length_at):
    """Address and length of the structure that starts with `anchor` and whose sum is 0."""
    at = memory.find(anchor)
    while at >= 0:
        length = memory[at + length_at]
        if at % 4 == 0 and sound(memory, at, length):
            return at, length
        at = memory.find(anchor, at + 1)
    return None


def pieces(memory):
    """Address and length of RSDP, SMBIOS entry point and what they lead to; None until there."""
    rsdp = find(memory, b"RSD PTR ", 20)
    smbios = find(memory, b"_SM_", 5)
    if not rsdp or not smbios:
        return None
    (xsdt,) = struct.unpack_from("<Q", memory, rsdp[0] + 24)
    (xsdt_bytes,) = struct.unpack_from("<I", memory, xsdt + 4)
    tables = struct.unpack_from(f"<{(xsdt_bytes - 36) // 8}Q", memory, xsdt + 36)
    found = [rsdp, smbios, (xsdt, xsdt_bytes)]
    found += [(t, struct.unpack_from("<I", memory, t + 4)[0]) for t in tables]
    structs_bytes, structs = struct.unpack_from("<HI", memory, smbios[0] + 0x16)
    return found + [(structs, structs_bytes)]


def capture(folder, qemu):
    end = time.monotonic() + LIMIT_S
    while not (folder / "qmp").exists() and qemu.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    qmp = Qmp(folder / "qmp")
    time.sleep(30)  # the tables are final once the boot manager looks for a disk
    qmp.command("stop")
    qmp.command("pmemsave", val=0, size=RAM, filename=str(folder / "ram"))
    memory = (folder / "ram").read_bytes()
    found = pieces(memory)
    if not found:
        sys.exit("the tables are not there")
    return b"".join(struct.pack("<QI", at, n) + memory[at : at + n] for at, n in found)


def main(cpus, out):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        qemu = start_qemu(folder, cpus)
        try:
            pathlib.Path(out).write_bytes(capture(folder, qemu))
        finally:
            qemu.kill()
            qemu.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
