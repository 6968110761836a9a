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
LOADER = "/lib64/ld-linux-x86-64.so.2"
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu")


class InitramfsError(Exception):
    """It cannot be made; the text names what is missing."""


def _libraries(program, root):
    """What the loader will ask for, the loader included. Below a `root` other than the host's, it
    is that root's loader which knows."""
    command = ["ldd", program]
    if root:
        folders = ":".join(f"{root}{folder}" for folder in FOLDERS)
        command = [f"{root}{LOADER}", "--library-path", folders, "--list", program]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "not found" in done.stdout:
        raise InitramfsError(f"{program}: {done.stdout}{done.stderr}")
    return LIBRARY.findall(done.stdout) + ([f"{root}{LOADER}"] if root else [])


def _copy(source, root, path):
    to = root / path.lstrip("/")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, to, follow_symlinks=True)


def make(out, stage, programs, modules, settings, init=HERE / "init", tools=TOOLS,
         tools_root=""):
    """Write the file `out`, by way of the folder `stage`. `programs` maps names in /bin to
    static programs on the host, `tools` are what the host has installed, or lies unpacked below
    `tools_root`; `settings` are init's variables."""
    shutil.rmtree(stage, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys/kernel/tracing", "tmp", "lib"):
        (stage / folder).mkdir(parents=True)
    _copy(BUSYBOX, stage, "bin/busybox")
    for applet in APPLETS:
        (stage / "bin" / applet).symlink_to("busybox")
    for tool in tools:
        path = shutil.which(tool, path=f"{tools_root}/usr/bin" if tools_root else None)
        if not path:
            raise InitramfsError(f"there is no {tool}")
        _copy(path, stage, f"bin/{tool}")
        for library in _libraries(path, tools_root):
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
