"""The site: the pages of the top-level docs folder, the reference of the package, and the examples as executed notebooks.

One command builds it, without a network: ``sphinx-build -W docs docs/_build`` in the folder ``python``, after
``pip install 'passel[docs]'``. With ``-D nb_execution_mode=off`` it takes seconds, and examples are pages of code alone: that is what
CI does, whose tests run them. Pages are taken from where they are; what is made of them is ignored by git.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
if any((HERE.parent / "passel").glob("_engine*.so")):
    # The package of this tree, where its extension was built, else the one that is installed.
    sys.path.insert(0, str(HERE.parent))
    # Examples run in processes of their own.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))

project = "passel"
author = "the authors of passel"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "passel"
exclude_patterns = ["_build", "conf.py", "jupyter_execute"]
html_show_sourcelink = False

# Notebooks: the examples, which are scripts with cells.
nb_custom_formats = {".py": ["jupytext.reads", {"fmt": "py:percent"}]}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
# Examples that do not run have no kernel that says what their language is.
suppress_warnings = ["myst-nb.lexer"]
nb_render_image_options = {"alt": "a figure of the result above"}
myst_heading_anchors = 4

# Attributes in the docs of a class, where properties of the same name are described too.
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "undoc-members": False}


def _take_pages() -> None:
    """Copies the pages and the examples to where Sphinx looks; links to files beside the docs lead to the repository's names."""
    for folder in ("pages", "notebooks"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
        (HERE / folder).mkdir()
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        # A file outside of the docs is no page of the site: its name alone is left.
        text = re.sub(r"\[([^\]]*)\]\(((?:\.\./)[^)]*|[^):#]*\.(?:json|html)|pages/[^)]*)\)", r"\1", text)
        (HERE / "pages" / page.name).write_text(text, encoding="utf-8")
    if (ROOT / "docs/figures").is_dir():
        shutil.copytree(ROOT / "docs/figures", HERE / "pages/figures")
    for example in sorted((HERE.parent / "examples").glob("*.py")):
        shutil.copy(example, HERE / "notebooks" / example.name)


def _without_options(app: Any, what: str, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """The options that help shows below a function have a page of their own; names that end with _ are no references."""
    if "Options" in lines:
        del lines[lines.index("Options"):]
    lines[:] = [re.sub(r"(?<![`\w.])(\w+)_(?=[\s,)])", r"\1\\_", line) for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _without_options)


_take_pages()
