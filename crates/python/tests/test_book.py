"""The Python blocks of the book run, page by page; those of the guide and of the adapters have tests of their own."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
PAGES = sorted(page for page in DOCS.glob("*.md") if page.name not in ("python.md", "adapters.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_blocks_of_a_page_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
