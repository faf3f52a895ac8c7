"""Every link and anchor of a site that was made: each must lead to a file of it, and to a place in that file."""
import html.parser
import pathlib
import posixpath
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src") and tag not in ("use",):
                self.links.append((value, self.getpos()[0]))


def dead_links(site, skip=("api/",)):
    """Errors, "page: what leads nowhere"; pages below `skip` are targets only."""
    site = pathlib.Path(site)
    pages = {}

    def page(name):
        if name not in pages:
            pages[name] = Page((site / name).read_text(encoding="utf-8", errors="replace"))
        return pages[name]

    errors, count = [], 0
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if name.startswith(skip) or name == "404.html":
            continue
        for link, line in page(name).links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else name
            file = site / target
            if file.is_dir():
                target, file = posixpath.join(target, "index.html"), file / "index.html"
            if not file.is_file():
                errors.append(f"{name}:{line}: found '{link}', expected a page or file of the site")
            elif parts.fragment and target.endswith(".html") and urllib.parse.unquote(parts.fragment) not in page(target).places:
                errors.append(f"{name}:{line}: found '{link}', but {target} has no such place")
    return errors, count
