"""The documentation site: `sphinx-build -W docs target/site`."""

import re
from importlib import metadata

project = "elbowroom"
author = "the elbowroom contributors"
release = metadata.version("elbowroom")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "furo"
html_show_copyright = False
html_title = f"elbowroom {release}"

# The book's own front page and table of contents, which index.md has for the site.
exclude_patterns = ["README.md", "SUMMARY.md"]

# Pages are Markdown. Notebooks are shown as they were stored; the tests run them.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"

# The reference is what the docstrings say, in the order of the sources.
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
_ALIASES = "Array ArrayLike Design Goal KernelName Named Observed Outcome Outcomes Params PenalizerName Space State Told"
autodoc_type_aliases = {name: name for name in _ALIASES.split()}
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
# Packages that a page is about and that need not be there to write of them.
autodoc_mock_imports = []
for _name in ("bayesmark", "distributed", "gest_api", "joblib", "mlflow", "optuna", "ray", "sklearn", "wandb"):
    try:
        __import__(_name)
    except ImportError:
        autodoc_mock_imports.append(_name)


def setup(app):
    app.connect("source-read", _link_results)
    app.connect("autodoc-process-signature", _name_aliases)


def _link_results(app, name, source):
    """Links to pages beside the site, such as tables of results, become files to load."""
    source[0] = re.sub(r"\[([^\]]+)\]\((\.\./[^)]+\.(?:md|py))\)", r"{download}`\1 <\2>`", source[0])


def _name_aliases(app, what, name, object_, options, signature, returned):
    """An alias in a union is shown by its name."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, returned))
