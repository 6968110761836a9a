# SPDX-License-Identifier: BSD-2-Clause
"""mk/packages.sh on systems that are not this one: a root and a PATH of their own."""
import os
import pathlib
import shutil
import subprocess
import sys

import firmware
import pytest
from ran import ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "mk" / "packages.sh"
TABLE = ROOT / "mk" / "packages.txt"
pytestmark = pytest.mark.full
# Programs that any system has; those that the groups need come on top.
BASE = """awk basename cat chmod cmp cut dirname env find flock grep mkdir mv rm sed sh sha256sum
sort stat tail tar touch tr xargs xz""".split()
SYSTEMS = {
    "debian": 'ID=debian\nVERSION_CODENAME=forky\n',
    "ubuntu": 'ID=ubuntu\nID_LIKE=debian\n',
    "fedora": 'ID=fedora\n',
    "rocky": 'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
    "arch": 'ID=arch\n',
    "opensuse": 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n',
    "other": 'ID=other\n',
}
# A compiler that knows the headers below its include folder, and one library.
COMPILER = """#!/bin/sh
for word; do case $word in -print-file-name=*) echo "${word#*=}"; exit;; esac; done
read -r line
name=${line#*<}
for file in ROOT/usr/include/${name%>}; do [ ! -e "$file" ] || echo "-: $file"; done
"""
APT = """#!/bin/sh
echo "$@" >>LOG
case $* in *install*) for name in INSTALLS; do : >BIN/$name; chmod +x BIN/$name; done;; esac
"""


class System:
    def __init__(self, folder, name, uid):
        self.root, self.bin = folder / "root", folder / "bin"
        self.stamp = folder / "build" / "group"
        self.bin.mkdir(parents=True)
        self.file("/etc/os-release", SYSTEMS[name])
        for program in BASE:
            (self.bin / program).symlink_to(shutil.which(program))
        self.command("id", f"#!/bin/sh\necho {uid}\n")

    def file(self, path, text=""):
        to = self.root / path.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)

    def command(self, name, text="#!/bin/sh\n"):
        (self.bin / name).unlink(missing_ok=True)  # a link to this system's command, perhaps
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def python(self):
        to = self.root / "usr/bin/python3"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.unlink(missing_ok=True)
        to.symlink_to(sys.executable)

    def compiler(self, name="gcc"):
        self.command(name, COMPILER.replace("ROOT", str(self.root)))

    def run(self, script, *arguments, **more):
        environment = {"PATH": str(self.bin), "PACKAGES_ROOT": str(self.root), **more}
        return ran(script, *arguments, env=environment, stdin=subprocess.DEVNULL, cwd=ROOT)

    def check(self, *groups):
        return self.run(SCRIPT, self.stamp, *groups)


def build_needs(of):
    of.python()
    of.compiler()
    for header in ("stdlib.h", "jansson.h", "sqlite3.h", "zlib.h", "zstd.h", "openssl/evp.h",
                   "efi/efi.h"):
        of.file(f"/usr/include/{header}")
    for command in ("ld", "objcopy", "make", "curl", "bzip2"):
        of.command(command)


@pytest.fixture
def system(tmp_path):
    """system("fedora"): it can build, and has nothing else."""

    def make(name, uid=1000):
        of = System(tmp_path, name, uid)
        build_needs(of)
        return of

    return make


@pytest.fixture
def bare(tmp_path):
    return lambda name: System(tmp_path, name, 1000)


def test_all_is_there(system):
    of = system("other")
    done = of.check("build")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{of.root}/usr/include/jansson.h " in of.stamp.read_text()


@pytest.mark.parametrize("name,install,package", [
    ("debian", "apt-get install -y --no-install-recommends", "libjansson-dev"),
    ("ubuntu", "apt-get install -y --no-install-recommends", "libjansson-dev"),
    ("fedora", "dnf install", "jansson-devel"),
    ("rocky", "dnf install", "jansson-devel"),
    ("arch", "pacman -S --needed", "jansson"),
    ("opensuse", "zypper install", "libjansson-devel"),
])
def test_the_missing_one_is_named(system, name, install, package):
    of = system(name)
    (of.root / "usr/include/jansson.h").unlink()
    done = of.check("build")
    assert done.returncode == 1 and not of.stamp.exists()
    named, _, command = done.stderr.splitlines()
    assert named == f"packages: missing: <jansson.h> (package {package})"
    assert command.endswith(f"{install} {package}")


def test_a_system_nobody_knows(system):
    done = system("other").check("image")
    assert done.returncode == 1
    assert "missing: sgdisk (in Debian: gdisk)" in done.stderr
    assert "not known" in done.stderr.splitlines()[-1]


def test_neither_root_nor_sudo(system):
    of = system("debian")
    of.command("apt-get", APT.replace("LOG", str(of.root / "log")))
    done = of.check("coverage")
    assert done.returncode == 1 and not (of.root / "log").exists()
    assert "missing: gcovr (package gcovr)" in done.stderr
    assert "neither root nor sudo" in done.stderr and done.stderr.endswith("recommends gcovr\n")


@pytest.mark.parametrize("installs,groups,code", [
    ("gcovr", ["coverage"], 0), ("", ["coverage"], 1),
    ("gcovr lintian", ["coverage", "lintian"], 0)])
def test_root_installs_on_debian(system, installs, groups, code):
    """All that groups lack at once."""
    of = system("debian", uid=0)
    of.command("apt-get", APT.replace("LOG", str(of.root / "log"))
               .replace("BIN", str(of.bin)).replace("INSTALLS", installs))
    done = of.check(*groups)
    assert done.returncode == code and of.stamp.exists() == (code == 0)
    update, install = (of.root / "log").read_text().splitlines()
    assert update.endswith("update") and install.endswith(
        f"--no-install-recommends {installs or 'gcovr'}")
    assert ("still missing" in done.stderr) == (code == 1)


@pytest.mark.parametrize("pair", firmware.FIRMWARE["plain"].places)
def test_firmware_where_others_have_it(system, pair):
    of = system("other")
    for command in ("qemu-system-x86_64", "mformat", "setpriv"):
        of.command(command)
    of.file("/usr/share/ipxe/qemu/efi-e1000e.rom")
    of.file(pair[0])
    assert of.check("run").returncode == 1
    of.file(pair[1])
    done = of.check("run")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"{of.root}{path} " in of.stamp.read_text() for path in pair)


@pytest.mark.parametrize("name,by", [
    ("debian", "apt-get"), ("debian", "wget"), ("ubuntu", "wget"), ("fedora", "curl")])
def test_what_fetches(bare, name, by):
    """Ubuntu's apt-get knows no release of Debian's."""
    of = bare(name)
    build_needs(of)
    (of.bin / "curl").unlink()
    if name == "ubuntu":
        of.command("apt-get")
    done = of.check("fetch")
    assert done.returncode == 1 and "missing: curl or wget (package curl)" in done.stderr
    of.command(by)
    assert of.check("fetch").returncode == 0


def rows():
    lines = TABLE.read_text().replace("\\\n", "").splitlines()
    return [line.split() for line in lines if line and line[0] != "#"]


def test_table():
    assert all(len(row) == 6 for row in rows())
    groups = subprocess.run(
        ["make", "-s", "-f", "-", "print"], cwd=ROOT, capture_output=True, text=True, check=True,
        input="include mk/packages.mk\nprint: ; @echo $(PACKAGE_GROUPS)\n",
        env={**os.environ, "BUILD": "build"},
    ).stdout.split()
    assert {row[0] for row in rows()} == set(groups)
    assert not [row for row in rows() if row[2] == "-"]


# Files of Debian's, which systems without apt take from its archive.

CURL = """#!/bin/sh
for url; do :; done
echo "$url" >>ARCHIVE.log
cp "ARCHIVE/${url##*/}" "$3"
"""


class Source:
    """Files of two releases, each with one file that names its release, and their list."""

    name = "lwip"

    def __init__(self, folder):
        self.folder, self.archive, self.sums = folder, folder / "archive", folder / "sums"
        self.got = folder / "got"
        self.archive.mkdir()
        for version in ("2.1.3", "2.2.1"):
            tree = folder / version
            (tree / "usr").mkdir(parents=True)
            (tree / "usr" / "version").write_text(version)
            self.pack(tree, self.file(version))
        names = sorted(path.name for path in self.archive.iterdir())
        self.sums.write_bytes(subprocess.run(
            ["sha256sum", *names], cwd=self.archive, capture_output=True, check=True).stdout)

    def file(self, version):
        return self.archive / f"lwip_{version}+dfsg1.orig.tar.xz"

    def pack(self, tree, to):
        subprocess.run(["tar", "-cJf", to, "-C", tree.parent, tree.name], check=True)

    def version(self):
        return (self.got / "src" / "usr" / "version").read_text()

    def run(self, of, copy=""):
        for program in ("ar", "cp"):
            of.command(program, f"#!/bin/sh\nexec {shutil.which(program)} \"$@\"\n")
        return of.run(ROOT / "mk" / "source.sh", self.name, self.got, self.sums,
                      f"ITS_FILE={copy}")

    def from_archive(self, of):
        of.command("curl", CURL.replace("ARCHIVE", str(self.archive)))
        return self.run(of)


class Deb(Source):
    """A Debian package with another name than its source's."""

    name = "libfont"

    def file(self, version):
        return self.archive / f"fonts-other_{version}-1_all.deb"

    def pack(self, tree, to):
        subprocess.run(["tar", "-cJf", tree / "data.tar.xz", "-C", tree, "./usr"], check=True)
        subprocess.run(["ar", "r", to, "data.tar.xz"], cwd=tree, check=True,
                       stderr=subprocess.DEVNULL)


@pytest.fixture(params=[Source, Deb])
def source(request, tmp_path):
    return request.param(tmp_path)


@pytest.mark.parametrize("version", ["2.1.3", "2.2.1"])
def test_source_any_listed_version(system, source, tmp_path, version):
    """A copy may have any name; what is kept has the listed one."""
    copy = tmp_path / "copy"
    shutil.copy(source.file(version), copy)
    assert source.run(system("arch"), copy).returncode == 0
    assert source.version() == version
    assert (source.got / source.file(version).name).read_bytes() == copy.read_bytes()


def test_source_newest_that_is_there(system, source):
    source.file("2.2.1").unlink()
    assert source.from_archive(system("arch")).returncode == 0
    assert source.version() == "2.1.3"


def test_source_not_listed(system, source):
    source.file("2.2.1").write_text("something else")
    done = source.from_archive(system("arch"))
    assert done.returncode == 1 and "does not list" in done.stderr
    assert not (source.got / "src").exists()
