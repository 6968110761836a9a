# SPDX-License-Identifier: BSD-2-Clause
"""Images signed for Secure Boot."""
import pathlib
import subprocess

# The firmware's store for tests has this key of Debian's in db: OVMF, and the same for AArch64.
DB_CERT = pathlib.Path("/usr/share/ovmf/PkKek-1-snakeoil.pem")
ARM_CERT = pathlib.Path("/usr/share/qemu-efi-aarch64/PkKek-1-snakeoil.pem")


def command(*argv, code=0, **options):
    done = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


class Key:
    def __init__(self, key, cert):
        self.key, self.cert = key, cert

    def sign(self, image, target):
        command("sbsign", "--key", self.key, "--cert", self.cert, "--output", target, image)
        return target


def new_key(folder, name, *more):
    """A key of this name, with its certificate, which no machine knows."""
    key = Key(folder / f"{name}.key", folder / f"{name}.pem")
    command("openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", *more, "-keyout", key.key, "-out", key.cert)
    return key


def db_key(folder, cert=DB_CERT):
    """The one in db, without its passphrase."""
    key = folder / "key.pem"
    command("openssl", "pkey", "-in", cert.with_suffix(".key"), "-passin", "pass:snakeoil", "-out",
            key)
    return Key(key, cert)
