"""Writes the generated parts of docs/ anew: ``python -m tests.docs.regenerate``."""

from __future__ import annotations

from tests.docs.generated import DOCS, PAGES, fill


def main() -> None:
    for page in PAGES:
        path = DOCS / page
        path.write_text(fill(page, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
