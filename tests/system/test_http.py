# SPDX-License-Identifier: BSD-2-Clause
"""Booted from a URI: the configuration comes from the same place, and servers that lie about it are
found out."""
import contextlib
import gzip
import time

import collecting
import flashvars
import http_boot
import pytest
import records
from netboot import MAC_FILE, SHORT, UUID, UUID_FILE, Impatient
from tiers import full_but

CONFIG = f"{SHORT} then=qemu-exit countdown=0\n".encode()


@pytest.fixture
def boot(run):
    """Run the probe by HTTP."""
    return lambda **wanted: run(**{"boot": "http", "smp": 1, "config_path": MAC_FILE, **wanted})


@pytest.mark.full
def test_a_machines_own_configuration_and_its_collector(boot, tool, collect):
    """By the machine's UUID; its run is at the collector, and it leaves as configured."""
    collector = collect(listen=":0")
    others = {MAC_FILE: b"duration=7s\n", "noisefloor.conf": b"duration=8s\n"}
    result = boot(
        extra=("-uuid", UUID), config_path=UUID_FILE, files=others,
        config=f"{SHORT} max=1us report=udp://10.0.2.2:{collector.port} linger=5s",
    )
    assert collector.end() == 0
    assert result.code == 1
    assert result.config()["duration"] == "300ms"
    assert any(text.startswith("http 10.0.2.2:") and f": {UUID_FILE}: " in text
               for text in result.logs())
    assert len(collecting.rows(collector.folder)) == 1
    sent = records.join(records.find(collecting.export(tool, collector.folder)))
    assert sent[-1]["type"] == "end"
    assert sent[-1]["verdict"] == result.of_type("end")[0]["verdict"]
    begin, = [record for record in sent if record["type"] == "begin"]
    assert begin["machine"]["uuid"] == UUID


@pytest.mark.full
def test_the_firmware_of_debian_13(boot, ovmf13):
    result = boot(firmware=ovmf13, config=f"{SHORT} max=10s")
    assert result.code == 0
    assert result.config()["duration"] == "300ms"


@pytest.mark.full
def test_an_iso_has_its_configuration_from_beside_it(boot, medium):
    """The image runs from a RAM disk; where that came from, the firmware still knows. No file is
    written there."""
    result = boot(medium=medium("iso"), boot_file="media/noisefloor.iso",
                  config_path="media/noisefloor.conf", config=f"{SHORT} max=10s save=file")
    assert result.code == 0
    assert result.config()["duration"] == "300ms"
    assert b"save: it is on a RAM disk, which the next reset loses" in result.serial
    (report,) = [v for v in flashvars.ours((result.out / "vars.fd").read_bytes()) if v.is_there]
    assert report.name == "NoisefloorReport"


# Servers that lie, and those that only speak in another way

SLEEP_SECONDS = 120  # longer than anybody waits


def answer(handler, code, headers, pieces=(), pause=0):
    handler.send_response(code)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    for piece in pieces:
        handler.wfile.write(piece)
        handler.wfile.flush()
        time.sleep(pause)


def raw(handler, data, seconds=0):
    handler.wfile.write(data)
    handler.wfile.flush()
    time.sleep(seconds)


def for_ever(data):
    while True:
        yield data


CHUNKED = {"Transfer-Encoding": "chunked"}
GZIP = {"Content-Encoding": "gzip", "Content-Length": str(len(gzip.compress(CONFIG, mtime=0)))}
LATE = "not complete within 10 s"
UNSIZED = "the server sends no length of it"
# Misbehaviour of the server, the log, and the end of the run.
LIES = {
    "endless": (lambda h: answer(h, 200, {}, for_ever(b"#" * 65536)), UNSIZED, 2),
    "chunks": (lambda h: answer(h, 200, CHUNKED, [b"1\r\n#\r\n0\r\n\r\n"]), UNSIZED, 2),
    "redirect": (lambda h: answer(h, 302, {"Location": "http://192.0.2.1/", "Content-Length": "0"}),
                 "the server answers with status 302, a redirection, which is not followed", 2),
    "stuck": (lambda h: answer(h, 200, {"Content-Length": "60000"}, [CONFIG], pause=SLEEP_SECONDS),
              LATE, 2),
    "silent": (lambda h: raw(h, b"", SLEEP_SECONDS), f"{MAC_FILE}: no answer", 3),
    "gzip": (lambda h: answer(h, 200, GZIP, [gzip.compress(CONFIG, mtime=0)]), "accepted: ", 2),
    "garbage": (lambda h: raw(h, b"no HTTP at all\r\n" * 99, 20), f"{MAC_FILE}: no answer", 3),
}


LIES_OF_ALL = ("silent",)  # test_pxe.py has one that ends the run


@pytest.fixture
def served(app, tmp_path):
    """served(answers): a server that answers so, and else has the probe."""
    with contextlib.ExitStack() as stack:

        def serve(answers):
            folder = tmp_path / "served"
            folder.mkdir()
            (folder / "noisefloor.efi").write_bytes(app.read_bytes())
            answers = {f"/{path}": answer for path, answer in answers.items()}
            return stack.enter_context(http_boot.Server(folder, answers))

        yield serve


@pytest.mark.parametrize("lie", full_but([], LIES, LIES_OF_ALL))
def test_a_lying_server(boot, served, lie):
    """The run does not start with half a configuration, and starts without any."""
    act, wrong, code = LIES[lie]
    server = served({MAC_FILE: act})
    result = boot(config_path=None, boot_uri=server.uri("noisefloor.efi"),
                  ticks=(Impatient(),))
    assert result.code == code
    logs = "\n".join(result.logs())
    assert wrong in logs, logs
    assert bool(result.of_type("begin")) == (code == 3)


@pytest.mark.full
@pytest.mark.long
def test_an_empty_file(boot, served):
    server = served({MAC_FILE: lambda h: answer(h, 200, {"Content-Length": "0"})})
    result = boot(boot_uri=server.uri("noisefloor.efi"), config_bytes=b"",
                  ticks=(Impatient(),))
    assert any(text.endswith(f": {MAC_FILE}: 0 bytes") for text in result.logs())
    assert result.config()["duration"] == "1m"


@pytest.mark.full
def test_what_is_not_there_is_looked_for_elsewhere(boot, served):
    """The server can also serve correctly: else its wrong answers would show nothing."""
    def absent(code):
        return lambda h: answer(h, code, {"Content-Length": "3"}, [b"no\n"])

    names = {UUID_FILE: absent(403), MAC_FILE: absent(404), "noisefloor/X11.conf": absent(410),
             "noisefloor.conf": lambda h: answer(
                 h, 200, {"Content-Length": str(len(CONFIG))}, [CONFIG[:5], CONFIG[5:]], 0.3)}
    server = served(names)
    result = boot(boot_uri=server.uri("noisefloor.efi?token=1"), config_bytes=CONFIG,
                  extra=("-uuid", UUID, "-smbios", "type=2,product=X11"))
    assert any(text.endswith(f": noisefloor.conf: {len(CONFIG)} bytes") for text in result.logs())
    assert result.config()["duration"] == "300ms"
    assert server.asked[-len(names):] == [f"/{name}" for name in names]
