# SPDX-License-Identifier: BSD-2-Clause
"""What happens to a text on its way from a terminal to whoever reads it."""
import base64
import gzip
import html as markup
import io
import json
import quopri
import re
import tarfile
import textwrap


def lines(text):
    return text.splitlines(keepends=True)


def behind(prefix, text):
    """`prefix`: a text, or what makes it of the line's number."""
    make = prefix if callable(prefix) else lambda n: prefix
    return "".join(make(n) + line for n, line in enumerate(lines(text)))


def quoted(text, depth=1):
    return behind("> " * depth, text)


def ts(text):
    return behind(lambda n: f"Nov 22 21:{n // 60 % 60:02}:{n % 60:02} ", text)


def journalctl(text):
    return behind(lambda n: f"Nov 22 21:50:{n % 60:02} rack7 measure[831]: ", text)


def container(text):
    return behind(lambda n: f"2026-11-22T21:50:{n % 60:02}.{n:09}Z ", text)


def jenkins(text):
    return behind(lambda n: f"[2026-11-22T21:50:{n % 60:02}.003Z] ", text)


def lava(text):
    """A job's log: strings in YAML."""
    rows = ['- {"dt": "2026-11-22T21:49:59.123456", "lvl": "debug", "msg": "start: 2.1"}\n']
    for line in lines(text):
        inner = json.dumps(line.rstrip("\n"))
        rows.append(f'- {{"dt": "2026-11-22T21:50:01.123456", "lvl": "target", "msg": {inner}}}\n')
    return "".join(rows)


def folded(text, columns=72):
    """As a mail's program breaks: between words, and what was quoted stays so."""
    out = []
    for line in lines(text):
        mark = re.match("(> ?)*", line)[0]
        out += textwrap.wrap(
            line[len(mark):].rstrip("\n"), columns - len(mark), break_long_words=False,
            break_on_hyphens=False, replace_whitespace=False, drop_whitespace=True,
            initial_indent=mark, subsequent_indent=mark) or [mark.rstrip()]
    return "".join(line + "\n" for line in out)


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
    """Of script(1) within screen: a title and modes before each prompt."""
    return crlf("\x1b[?2004h\x1b]0;root@rack7: ~\x07" + text + "\x1b[?2004l\n")


def watch(*texts, every="2.0s", command="cat out.txt"):
    """A screen a time, each cleared."""
    return "".join(
        f"\x1b[H\x1b[2JEvery {every}: {command}{'rack7: Sun Nov 22 21:50:0' + str(n):>40} 2026\n\n"
        + text for n, text in enumerate(texts))


def page(text):
    return ("<!DOCTYPE html>\n<html><head><title>rt</title></head><body>\n<p>So:</p>\n<pre><code>"
            + markup.escape(text) + "</code></pre>\n</body></html>\n")


def fenced(text, language=""):
    return f"What I see:\n\n```{language}\n{text}```\n\n"


HEADERS = ("From: a@example.org\nTo: linux-rt-users@example.org\nSubject: latency\n"
           "Date: Sun, 22 Nov 2026 21:50:00 +0100\nMIME-Version: 1.0\n")


def mail(text, encoding="8bit"):
    body = text
    if encoding == "quoted-printable":
        body = quopri.encodestring(text.encode()).decode()
    elif encoding == "base64":
        body = base64.encodebytes(text.encode()).decode()
    return (HEADERS + 'Content-Type: text/plain; charset="utf-8"\n'
            f"Content-Transfer-Encoding: {encoding}\n\n{body}")


def attached(text, *attachments, encoding="7bit"):
    parts = [("inline", text), *(("attachment", each) for each in attachments)]
    body = "".join(
        f"--=_b1\nContent-Type: text/plain\nContent-Disposition: {kind}\n"
        f"Content-Transfer-Encoding: {encoding}\n\n"
        + (base64.encodebytes(part.encode()).decode() if encoding == "base64" else part) + "\n"
        for kind, part in parts)
    return HEADERS + 'Content-Type: multipart/mixed; boundary="=_b1"\n\n' + body + "--=_b1--\n"


def tar(**files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def packed(text):
    return gzip.compress(text if isinstance(text, bytes) else text.encode(), mtime=0)


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


def mid_line(text):
    """Behind what a program prints, up to a line with its own text."""
    return ("F0908 15:27:10.603523       1 main.go:53] failed to run the command; out: "
            + text.removesuffix("\n") + "\n; err: exit status 1\ngoroutine 1 [running]:\n")


# What logs have before each line: {n} is its number, {s} a second.
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

# It is read so, or refused.
CHANGED = {f"at {columns}": lambda text, columns=columns: terminal(text, columns)
           for columns in (*range(72, 81), 90, 100, 132, 160, 200)} | {
    "a kernel's lines between": beside_kernel,
    "page": page,
    "LAVA": lava,
    "docker": row('{"log":"', '\\n","stream":"stdout","time":"2026-11-22T21:50:01.1Z"}\n'),
    "journald's JSON": row('{"PRIORITY":"6","MESSAGE":"', '","_PID":"7"}\n'),
    "logfmt": row('time=2026-11-22T21:50:01Z level=info msg="', '"\n'),
    "ansible": string('ok: [rack7] => {\n    "stdout": "', '",\n    "rc": 0\n}\n'),
    "twice escaped": lambda text: string('    "stdout": "', '"\n')(json.dumps(text)),
    "bytes of Python": string("CompletedProcess(returncode=0, stdout=b'", "')\n"),
    "without quotes": string("level=error reason=exit out=", "\n"),
    "rsyslog": lambda text: "Nov 22 21:50:00 rack7 cnf[7]: " + text.replace("\n", "#012").replace(
        "\t", "#011").replace("\x1b", "#033") + "\n"}
