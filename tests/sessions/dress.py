# SPDX-License-Identifier: BSD-2-Clause
"""Changes to a text on its way from a terminal to its reader."""
import base64
import gzip
import html as markup
import io
import json
import re
import tarfile


def lines(text):
    return text.splitlines(keepends=True)


def behind(prefix, text):
    """`prefix`: a text, or what makes it of the line's number."""
    make = prefix if callable(prefix) else lambda n: prefix
    return "".join(make(n) + line for n, line in enumerate(lines(text)))


def lava(text):
    """A job's log: strings in YAML."""
    rows = ['- {"dt": "2026-11-22T21:49:59.123456", "lvl": "debug", "msg": "start: 2.1"}\n']
    for line in lines(text):
        inner = json.dumps(line.rstrip("\n"))
        rows.append(f'- {{"dt": "2026-11-22T21:50:01.123456", "lvl": "target", "msg": {inner}}}\n')
    return "".join(rows)


def terminal(text, columns=80):
    """Broken where the screen ends."""
    out = []
    for line in lines(text.expandtabs()):
        line = line.rstrip("\n")
        out += [line[at: at + columns].rstrip() for at in range(0, len(line) or 1, columns)]
    return "".join(line + "\n" for line in out)


def crlf(text):
    return text.replace("\n", "\r\n")


def tmux(text):
    """`capture-pane -e`, piped: colours, and the status line between."""
    return crlf("".join(f"\x1b[39m\x1b[49m{line[:-1]}\x1b[0m\n" for line in lines(text))
                + "\x1b[30m\x1b[42m[0] 0:bash*            \"rack7\" 21:50 22-Nov-26\x1b[0m\n")


def screen(text):
    """A session recorded by script(1) within screen: a title and modes before each prompt."""
    return crlf("\x1b[?2004h\x1b]0;root@rack7: ~\x07" + text + "\x1b[?2004l\n")


def page(text):
    return ("<!DOCTYPE html>\n<html><head><title>rt</title></head><body>\n<p>So:</p>\n<pre><code>"
            + markup.escape(text) + "</code></pre>\n</body></html>\n")


def fenced(text):
    return f"What I see:\n\n```\n{text}```\n\n"


def tar(text):
    file, entry = io.BytesIO(), tarfile.TarInfo("output")
    entry.size = len(text.encode())
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(entry, io.BytesIO(text.encode()))
    return file.getvalue()


def packed(text):
    return gzip.compress(text.encode(), mtime=0)


def row(begin, end):
    """Each line as a string between these."""
    return lambda text: "".join(
        begin + json.dumps(line.rstrip("\n"))[1:-1] + end for line in lines(text))


def string(begin, end):
    """All of it as one string."""
    return lambda text: begin + json.dumps(text)[1:-1] + end


def double_spaced(text):
    return "".join(line + "\n" for line in lines(text))


def padded(text):
    """By a terminal that copies the blanks of a row's end."""
    return "".join(line.rstrip("\n").ljust(160) + "\n" for line in lines(text))


def coloured(text):
    return "".join(f"\x1b[0;32m{line[:-1]}\x1b[0m\n" for line in lines(text))


def script(text):
    return ('Script started on 2026-11-22 21:50:00+01:00 [TERM="xterm"]\r\n# ./measure\r\n'
            + crlf(text) + "# exit\r\n\r\nScript done on 2026-11-22 21:51:00+01:00\n")


def console(text):
    return ("[    0.000000] Linux version 6.1.0-56-rt-amd64\n\nrack7 login: root\n"
            "root@rack7:~# ./measure\n" + text + "root@rack7:~# poweroff\n"
            "[  812.402113] reboot: Power down\n")


def beside_kernel(text):
    """Its lines between those of the output."""
    return "".join(
        line + "[   35.814714] Uhhuh. NMI received for unknown reason 31 on CPU 0.\n" * (n % 3 == 2)
        for n, line in enumerate(lines(text)))


def marked(before, behind):
    """The middle line, by somebody who shows it to others."""
    def mark(text):
        rows = lines(text)
        rows[len(rows) // 2] = before + rows[len(rows) // 2].rstrip("\n") + behind + "\n"
        return "".join(rows)
    return mark


def mid_line(text):
    """Behind what a program prints, up to a line with its own text."""
    return ("F0908 15:27:10.603523       1 main.go:53] failed to run the command; out: "
            + text.removesuffix("\n") + "\n; err: exit status 1\ngoroutine 1 [running]:\n")


# Prefixes of lines in logs: {n} is the line's number, {s} a second.
PREFIXES = (
    "2026-11-22T21:50:{s:02}.12345{n}Z ", "2026-11-22T21:50:{s:02}.12345{n}+01:00 stdout F ",
    "node-7: ", "[2026-11-22T21:50:{s:02}.{n}Z] ", "21:50:{s:02}  ", "[rack7] ", "{s:3}{n:4}\t",
    "> ", "> > ", "<root> ", "Nov 22 21:50:{s:02} ", "[Sun Nov 22 21:50:{s:02} 2026] ",
    "<13>1 2026-11-22T21:50:{s:02}.003Z rack7 measure 7 - - ",
    "Nov 22 21:50:{s:02} rack7 measure[831]: ", "2026-11-22T21:50:{s:02}+0100 rack7 measure[831]: ",
    "[{s:5}.{n:06}] rt: ", "measure_1  | ", "[pod/measure-7/rt] ", "[1,0]<stdout>:", "7: ",
    "[{s}/60] ", "[INFO] ", "2026-11-22 21:50:{s:02},123 INFO  [main] rt.Measure - ",
    "2026-11-22 21:50:{s:02},{n:03} - rt - INFO - ", "I1122 21:50:{s:02}.123456 {n:7} rt.go:46] ",
    "11-22 21:50:{s:02}.123  1234  1234 I rt      : ", "2026-11-22 21:50:{s:02}.123456 | rack7 | ",
    ":: [ 21:50:{s:02} ] :: [   LOG    ] :: ", "[21:50:{s:02}] :\t [Step 1/1] ", "|   ", "rt.log:",
    "    ")

# The output is read as it is alone.
KEPT = {repr(prefix): lambda text, prefix=prefix: behind(
    lambda n: prefix.format(n=n + 1, s=(n + 1) % 60), text) for prefix in PREFIXES} | {
        of.__name__: of for of in (
            console, crlf, script, fenced, double_spaced, padded, coloured, mid_line, packed)} | {
        "byte order mark": lambda text: "\ufeff" + text}

# Changes of a text that compare must read or refuse.
CHANGED = {f"at {columns}": lambda text, columns=columns: terminal(text, columns)
           for columns in (*range(72, 81), 90, 100, 132, 160, 200)} | {
    "a kernel's lines between": beside_kernel,
    "page": page,
    "tmux": tmux,
    "tar": tar,
    "base64": lambda text: base64.encodebytes(text.encode()),
    "UTF-16": lambda text: text.encode("utf-16"),
    "CR alone": lambda text: text.replace("\n", "\r"),
    "blanks that do not break": lambda text: text.replace("  ", "\u00a0 "),
    "one blank each": lambda text: re.sub(" +", " ", text),
    "cat -A": lambda text: text.replace("\n", "$\n"),
    "a table": lambda text: "".join(f"| {line.rstrip()} |\n" for line in lines(text)),
    "a remark": marked("", "  <-- there!"),
    "emphasis": marked("**", "**"),
    "LAVA": lava,
    "docker": row('{"log":"', '\\n","stream":"stdout","time":"2026-11-22T21:50:01.1Z"}\n'),
    "journald's JSON": row('{"PRIORITY":"6","MESSAGE":"', '","_PID":"7"}\n'),
    "logfmt": row('time=2026-11-22T21:50:01Z level=info msg="', '"\n'),
    "ansible": string('ok: [rack7] => {\n    "stdout": "', '",\n    "rc": 0\n}\n'),
    "twice escaped": lambda text: string('    "stdout": "', '"\n')(json.dumps(text)),
    "bytes of Python": string("CompletedProcess(returncode=0, stdout=b'", "')\n"),
    "without quotes": string("level=error reason=exit out=", "\n"),
    "rsyslog": lambda text: "Nov 22 21:50:00 rack7 cnf[7]: " + text.replace("\n", "#012").replace(
        "\t", "#011").replace("\x1b", "#033") + "\n",
    "screen": screen}

# Ways of those in which something is read.
READ = tmux, screen, beside_kernel
