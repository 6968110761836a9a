# SPDX-License-Identifier: BSD-2-Clause
"""The guest's root file system: busybox, the peers, the host tool, and an init of ours."""
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BUSYBOX = "/usr/bin/busybox"
APPLETS = "sh mount umount mkdir cat echo sleep uname insmod ls stty sync reboot poweroff".split()
TOOLS = ("rtla", "oslat", "cyclictest")
LIBRARY = re.compile(r"(?:=> |^\s+)(/\S+)", re.M)
NEEDED = re.compile(r"\(NEEDED\).*\[(.*)\]|interpreter: /(.*)\]")
FOLDERS = ("usr/lib/*-linux-gnu*", "lib/*-linux-gnu*", "lib64", "lib")


class InitramfsError(Exception):
    """No initramfs can be made; the text names the missing program."""


def _printed(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "not found" in done.stdout:
        raise InitramfsError(f"{command[-1]}: {done.stdout}{done.stderr}")
    return done.stdout


def _libraries(program):
    """Libraries that the loader will open, the loader included."""
    return LIBRARY.findall(_printed("ldd", program))


def _libraries_below(root, program, found):
    """Add the libraries of a program below a root, for any processor, to `found`."""
    for name, loader in NEEDED.findall(_printed("readelf", "-ld", program)):
        paths = [path for folder in FOLDERS for path in root.glob(f"{folder}/{name}") if name]
        path = paths[0] if paths else root / (loader or name)
        if not path.exists():
            raise InitramfsError(f"{program}: {path} not found")
        if str(path) not in found:
            found.append(str(path))
            _libraries_below(root, path, found)
    return found


def _copy(source, root, path):
    to = root / path.lstrip("/")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, to, follow_symlinks=True)


def make(out, stage, programs, modules, settings, init=HERE / "init", tools=TOOLS,
         tools_root=""):
    """Write the file `out`, by way of the folder `stage`. `programs` maps names in /bin to
    static programs on the host, `tools` are what the host has installed, or lies unpacked below
    `tools_root`, as may busybox; `settings` are init's variables."""
    shutil.rmtree(stage, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys/kernel/tracing", "tmp", "lib"):
        (stage / folder).mkdir(parents=True)
    search = f"{tools_root}/usr/bin:{tools_root}/bin" if tools_root else None
    _copy(shutil.which("busybox", path=search) or BUSYBOX, stage, "bin/busybox")
    for applet in APPLETS:
        (stage / "bin" / applet).symlink_to("busybox")
    for tool in tools:
        path = shutil.which(tool, path=search)
        if not path:
            raise InitramfsError(f"there is no {tool}")
        _copy(path, stage, f"bin/{tool}")
        for library in (_libraries_below(pathlib.Path(tools_root), path, []) if tools_root else
                        _libraries(path)):
            _copy(library, stage, library.removeprefix(str(tools_root)))
    for name, source in programs.items():
        _copy(source, stage, f"bin/{name}")
    for module in modules:
        _copy(module, stage, f"lib/{module.name}")
    _copy(init, stage, "init")
    lines = (f"{name}={value}\n" for name, value in settings.items())
    (stage / "settings").write_text("".join(lines))
    names = sorted(str(path.relative_to(stage)) for path in stage.rglob("*"))
    with open(out, "wb") as file:
        subprocess.run(
            ["cpio", "--create", "--format=newc", "--quiet"],
            cwd=stage, input="\n".join(names).encode(), stdout=file, check=True,
        )
