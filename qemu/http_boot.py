# SPDX-License-Identifier: BSD-2-Clause
"""Booting from a URI: the folder that a web server on this host shows, and the boot entry that
leads a machine there. Source: UEFI 2.10, 3.1.3 (EFI_LOAD_OPTION), 10.3.4.22 (URI), 24.7.
"""
import contextlib
import functools
import http.server
import struct
import threading

import varstore

HOST = "10.0.2.2"  # this host, for a machine on QEMU's user network
ENTRY = 0x4E46
ACTIVE = 1
URI_NODE, END_NODE = (3, 24), (0x7F, 0xFF)
ATTRIBUTES = varstore.NON_VOLATILE | varstore.BOOT_SERVICE | varstore.RUNTIME


class _Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path)
        # The machine may have gone, or have had enough.
        with contextlib.suppress(ConnectionError):
            if answer:
                answer(self)
            else:
                super().do_GET()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Server:
    """Shows a folder; `answers` maps paths to functions that answer in another way, with the
    handler as argument. `asked` lists the paths that were asked for."""

    def __init__(self, folder, answers=None):
        handler = functools.partial(_Handler, directory=str(folder))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._server.answers = answers or {}
        self._server.asked = self.asked = []
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self):
        return self._server.server_port

    def uri(self, path):
        """The address that the machine has to request."""
        return f"http://{HOST}:{self.port}/{path}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def _node(kind, data=b""):
    return struct.pack("<BBH", *kind, 4 + len(data)) + data


def add_entry(store, uri):
    """Let the machine whose variables are in the file `store` boot from there first, always."""
    path = _node(URI_NODE, uri.encode()) + _node(END_NODE)
    option = struct.pack("<IH", ACTIVE, len(path)) + "noisefloor by HTTP\0".encode("utf-16-le")
    image = bytearray(store.read_bytes())
    varstore.remove(image, "BootOrder")
    for name, value in ((f"Boot{ENTRY:04X}", option + path), ("BootOrder", _order())):
        varstore.add(image, name, varstore.GLOBAL_GUID, value, attributes=ATTRIBUTES)
    store.write_bytes(image)


def _order():
    return struct.pack("<H", ENTRY)
