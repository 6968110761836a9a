# SPDX-License-Identifier: BSD-2-Clause
"""The pages of the documentation: their commands, links and pictures."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])

# Languages of fences: commands, commands with their output, or neither.
COMMANDS, SESSION = "sh", "console"
LANGUAGES = (COMMANDS, SESSION, "ini", "json", "text", "yaml")

FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.M | re.S)
REASON = re.compile(r"<!-- not run: ([^>]+) -->\s*\Z")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", re.M)
HEADING = re.compile(r"^#+ (.*)$", re.M)
# Blocks that start a machine, or need the tools for one: not in the short tier.
LONG = re.compile(r"\bqemu/run\b|\bmake (?!-)")


@dataclasses.dataclass(frozen=True)
class Block:
    page: pathlib.Path
    line: int
    language: str
    text: str
    reason: str | None  # why it is not run

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def commands(self):
        if self.language == COMMANDS:
            return self.text
        lines = self.text.splitlines(keepends=True) if self.language == SESSION else []
        return "".join(line[2:] for line in lines if line.startswith("$ "))

    def is_long(self):
        return bool(LONG.search(self.commands()))


def blocks(page, text=None):
    text = page.read_text() if text is None else text
    found = []
    for match in FENCE.finditer(text):
        indent, language, body = match.groups()
        reason = REASON.search(text[: match.start()])
        line = text.count("\n", 0, match.start()) + 1
        body = re.sub(f"^{indent}", "", body, flags=re.M)
        found.append(Block(page, line, language, body, reason[1] if reason else None))
    return found


def prose(page):
    """The page without its fences."""
    return FENCE.sub("", page.read_text())


def spans(page):
    """`code` within sentences, in which a line may break."""
    joined = re.sub(r"(?<=\S)\n *(?=\S)", " ", prose(page))
    return SPAN.findall(joined)


def links(page):
    """Targets below ROOT, without those on other machines."""
    targets = [a or b for a, b in LINK.findall(prose(page))]
    return [target for target in targets if "://" not in target]


def anchors(page):
    """Names of links that GitHub makes of headings."""
    names = [re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(prose(page))]
    return {name.replace(" ", "-") for name in names}
