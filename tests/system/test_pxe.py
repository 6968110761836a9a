# SPDX-License-Identifier: BSD-2-Clause
"""Booted over PXE: where the configuration comes from, and from servers that lie."""
import pytest

import pxe_server
from netboot import MAC_FILE, SHORT, UUID, UUID_FILE, Impatient
from tiers import full_but, long


@pytest.fixture
def boot(run):
    """Run the probe over PXE."""
    return lambda **wanted: run(**{"boot": "pxe", "smp": 1, "config_path": MAC_FILE, **wanted})


@pytest.mark.parametrize(
    "nic,limit,code",
    [("virtio-net-pci", "10s", 0), long("e1000e", "1us", 1)],
    ids=("virtio", "e1000e"),
)
def test_configuration_by_mac(boot, nic, limit, code):
    """With the firmware's own PXE code, and with that of iPXE, which e1000e has in its ROM."""
    result = boot(nic=nic, config=f"{SHORT} max={limit} report=auto linger=1s")
    assert result.code == code
    assert result.of_type("end")[0]["verdict"] == ("pass", "fail")[code]
    config = result.config()
    assert config["duration"] == "300ms" and config["max"] == limit
    assert config["report"] == "udp://10.0.2.2:5514"
    # The DHCP server gives the same address again.
    assert b": 10.0.2.15/24; records go to udp://10.0.2.2:5514" in result.serial
    size = (result.out / "tftp" / MAC_FILE).stat().st_size
    assert f"tftp 10.0.2.2: {MAC_FILE}: {size} bytes" in result.logs()


@pytest.mark.full
def test_a_boards_name_stays_in_its_folder(boot):
    """Beside the boot file, wherever that is."""
    result = boot(
        boot_file="images/x86/nf.efi",
        extra=("-smbios", "type=2,product=../Board 7/x"),
        config_path="images/x86/noisefloor/_._Board_7_x.conf",
        config=SHORT,
        files={"Board 7/x.conf": b"nonsense\n", MAC_FILE: b"nonsense\n"},
    )
    assert result.code == 0
    assert result.config()["duration"] == "300ms"


@pytest.mark.full
def test_no_configuration(boot):
    """Then the defaults are in force, and what was tried is logged."""
    result = boot(config_path=None, ticks=(Impatient(),), extra=("-uuid", UUID))
    config = result.config()
    assert config["duration"] == "1m" and config["report"] == "none"
    tried = f"{UUID_FILE}, {MAC_FILE}, noisefloor.conf"
    assert f"tftp 10.0.2.2: no configuration file there; tried {tried}" in result.logs()


@pytest.mark.full
def test_mistakes_name_file_and_line(boot):
    result = boot(config_bytes=b"# ours\nduration=5\nthen=qemu-exit\nnonsense=1\n")
    assert result.code == 2
    logs = "\n".join(result.logs())
    assert f"tftp:{MAC_FILE}:2: duration=5 needs a unit; accepted: " in logs
    assert f"tftp:{MAC_FILE}:4: unknown key `nonsense`" in logs
    assert not result.of_type("begin")


@pytest.mark.full
@pytest.mark.long
def test_too_long_a_file(boot):
    """Nothing of it is applied, so the machine stays on: `then` was in it."""
    result = boot(config_bytes=b"duration=300ms\n".ljust(70000, b"#"))
    assert result.code == 2
    wrong = f"tftp 10.0.2.2: {MAC_FILE}: longer than 65536 bytes, the most accepted"
    assert wrong in result.logs()


@pytest.mark.full
@pytest.mark.long
def test_the_longest_file(boot):
    result = boot(config_bytes=f"{SHORT} then=qemu-exit\n".encode().ljust(65536, b"#"))
    assert result.code == 0
    assert f"tftp 10.0.2.2: {MAC_FILE}: 65536 bytes" in result.logs()


@pytest.mark.full
def test_ipxe_script(boot, app):
    """A file of iPXE's, what is fetched, and load options behind the image's name: later wins."""
    script = (
        "#!ipxe\n"
        "imgfetch --name noisefloor.conf site.conf\n"
        "chain noisefloor.efi duration=300ms then=qemu-exit\n"
    )
    files = {
        "boot.ipxe": script.encode(),
        "noisefloor.efi": app,
        "site.conf": b"window=50ms gaps=3 duration=9s\n",
        MAC_FILE: b"gaps=4 duration=8s\n",
    }
    result = boot(nic="e1000e", boot_file="boot.ipxe", config_path=None, files=files)
    assert result.code == 0
    config = result.config()
    assert [config[key] for key in ("window", "gaps", "duration")] == ["50ms", "4", "300ms"]


# Servers that lie

LIES = {
    "garbage": (pxe_server.noise(5000), "is not text; accepted: lines of key=value", 2),
    "stuck": (pxe_server.STUCK, f"{MAC_FILE}: the transfer ended early (EFI status ", 2),
    "endless": (pxe_server.ENDLESS, f"{MAC_FILE}: not complete within 10 s", 2),
    "silent": (pxe_server.SILENT, f"tftp 10.0.0.1: {MAC_FILE}: no answer (EFI status ", 3),
}


@pytest.mark.parametrize("lie", full_but([], LIES, ["endless"]))
def test_a_lying_server(boot, app, lie):
    """The run does not start with half a configuration, and starts without any."""
    file, wrong, code = LIES[lie]
    with pxe_server.PxeServer({"noisefloor.efi": app.read_bytes(), MAC_FILE: file}) as server:
        result = boot(config_path=None, network=server.netdev, ticks=(Impatient(),))
    assert result.code == code
    assert wrong in "\n".join(result.logs())
    assert bool(result.of_type("begin")) == (code == 3)


@pytest.mark.full
@pytest.mark.long
def test_an_honest_server(boot, app):
    """The server can also serve correctly: else its wrong answers would show nothing."""
    config = f"{SHORT} then=qemu-exit\n".encode()
    files = {"boot/nf.efi": app.read_bytes(), f"boot/{MAC_FILE}": config}
    with pxe_server.PxeServer(files) as server:
        result = boot(config_bytes=config, network=server.netdev)
    assert result.code == 0
    assert result.config()["duration"] == "300ms"
    assert f"tftp 10.0.0.1: boot/{MAC_FILE}: {len(config)} bytes" in result.logs()
    assert server.asked[-1] == f"boot/{MAC_FILE}"
