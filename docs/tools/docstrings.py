"""Markdown of the project's docstrings: prose with numpydoc's sections, and examples for doctest."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from itertools import pairwise

SECTION = re.compile(r"^([A-Z][a-z]+)\n-{3,}\n", re.MULTILINE)
LISTS = ("Parameters", "Attributes", "Raises")
ENTRY = re.compile(r"^(\S.*?) : ", re.MULTILINE)


def as_markdown(docstring: str) -> str:
    """Return the Markdown of a docstring that `inspect.cleandoc` has cleaned.

    >>> print(as_markdown("Grow.\\n\\nParameters\\n----------\\ndepth : of the tree,\\n    at most"))
    Grow.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `depth`: of the tree, at most
    """
    parts = SECTION.split(docstring)
    sections = zip(parts[1::2], parts[2::2], strict=True)
    texts = [parts[0], *(f"**{title}**\n\n{_section(title, body)}" for title, body in sections)]
    return "\n\n".join(examples_fenced(text.strip("\n")) for text in texts if text.strip())


def _section(title: str, body: str) -> str:
    """Return the body of a section; the entries of lists as bullets, and what follows them as paragraphs."""
    if title not in LISTS:
        return body
    entries, _, rest = body.strip("\n").partition("\n\n")
    return f"{_bullets(entries)}\n\n{rest}"


def _bullets(entries: str) -> str:
    starts = [match.start() for match in ENTRY.finditer(entries)]
    return "\n".join(_bullet(entries[a:b]) for a, b in pairwise([*starts, len(entries)]))


def _bullet(entry: str) -> str:
    names, _, text = " ".join(entry.split()).partition(" : ")
    return f"- {', '.join(f'`{name}`' for name in names.split(', '))}: {text}"


def examples_fenced(text: str) -> str:
    """Return the text with every example between fences, since Markdown takes ``>>>`` for quotations.

    >>> examples_fenced("Add.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    paragraphs = re.split(r"\n{2,}", text)
    return "\n\n".join(f"```pycon\n{textwrap.dedent(p)}\n```" if _is_example(p) else p for p in paragraphs)


def _is_example(paragraph: str) -> bool:
    return paragraph.lstrip().startswith(">>> ")


def fields_as_markdown(source: str) -> str:
    """Return the fields of a record as bullets, each with the comment beside it, from the source of its class.

    >>> print(fields_as_markdown("class Point(NamedTuple):\\n    x: float  # in metres\\n    y: float = 0"))
    **Fields**
    <BLANKLINE>
    - `x` (`float`): in metres
    - `y` (`float = 0`)
    """
    record = ast.parse(source).body[0]
    assert isinstance(record, ast.ClassDef)
    fields = [node for node in record.body if isinstance(node, ast.AnnAssign)]
    comments = _comments(source)
    return "\n".join(["**Fields**\n", *(_field(node, comments.get(node.end_lineno or 0, "")) for node in fields)])


def _field(node: ast.AnnAssign, comment: str) -> str:
    default = f" = {ast.unparse(node.value)}" if node.value else ""
    head = f"- `{ast.unparse(node.target)}` (`{ast.unparse(node.annotation)}{default}`)"
    return f"{head}: {comment}" if comment else head


def _comments(source: str) -> dict[int, str]:
    """Return the comments of a source by their lines."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
