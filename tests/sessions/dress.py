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
