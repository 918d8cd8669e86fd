"""Pages as templates: Markdown files beside the code, with a $name wherever something computed goes."""

from importlib.resources import files
from string import Template


def template(room: str, name: str) -> str:
    """The text of `templates/NAME.md` in a package."""
    return (files(room) / "templates" / f"{name}.md").read_text("utf-8").strip("\n")


def fill(room: str, name: str, **blocks: object) -> str:
    """The template with every $name replaced; a paragraph that comes out empty is left out."""
    return paragraphs(*Template(template(room, name)).substitute(blocks).split("\n\n"))


def paragraphs(*blocks: str) -> str:
    """The blocks that hold anything, one blank line apart."""
    return "\n\n".join(block for block in blocks if block)
