"""HTML as a strict reader takes it: every tag closed in order, one id once, no
style and no script in the text; and its links. And Markdown as HTML, by a
renderer that is not ours."""
import re
import subprocess
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "rect"}


class Page(HTMLParser):
    """wrong: what is not well formed; links: href and src, with their tag."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.links, self.tags = [], [], [], []
        self.ids, self.words, self.metas, self.scripts = set(), [], {}, []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append((tag, given))
        if len(given) != len(attrs):
            self.wrong.append(f"<{tag}> has an attribute twice")
        for name in given:
            if name == "style" or name.startswith("on"):
                self.wrong.append(f"<{tag}> has {name}=")
        if tag == "style":
            self.wrong.append("<style>")
        if "id" in given:
            if given["id"] in self.ids:
                self.wrong.append(f"id {given['id']} twice")
            self.ids.add(given["id"])
        if tag == "meta":
            self.metas[given.get("http-equiv") or given.get("name")] = \
                given.get("content")
        for name in ("href", "src", "data-src"):
            if name in given:
                self.links.append((tag, given[name], given))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> inside <{self.open[-1:]}>")
        elif tag not in VOID:
            self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] == ["script"] and data.strip():
            self.wrong.append("a script in the page")
        self.words.append(data)

    def text(self):
        return "".join(self.words)


def rendered(pages):
    """{name: Markdown} as HTML, raw HTML let through, from one run: in front of
    each page stands its name."""
    text = "".join(f"\n\n<!-- page {name} -->\n\n{page}"
                   for name, page in pages.items())
    done = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e",
                           "strikethrough", "-e", "autolink", "-e",
                           "tagfilter"], input=text.encode(), check=True,
                          stdout=subprocess.PIPE)
    parts = re.split("(?m)^<!-- page (.*) -->\n", done.stdout.decode())
    assert parts[1::2] == list(pages), "a page does not end"
    return dict(zip(parts[1::2], parts[2::2]))
