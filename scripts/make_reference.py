"""Write the generated pages of docs/reference from the code itself: python scripts/make_reference.py."""

import sys
from pathlib import Path

import click

from crowdseq.cli.main import COMMANDS, crowdseq
from crowdseq.methods import list_methods
from crowdseq.reports.methods import method_defaults, method_table
from crowdseq.reports.tables import Table, as_markdown
from crowdseq.workflows.listing import format_rows

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- written by scripts/make_reference.py; run `make docs` after a change -->\n"


def pages() -> dict[str, str]:
    """File name to content."""
    return {"cli.md": cli_page(), "methods.md": methods_page(), "formats.md": formats_page()}


def cli_page() -> str:
    """Every command with its help."""
    parts = [NOTE, "# Command line\n", _help(crowdseq, "crowdseq")]
    context = click.Context(crowdseq, info_name="crowdseq")
    for name in COMMANDS:
        command = crowdseq.get_command(context, name)
        assert command is not None
        parts += [f"## {name}\n", _help(command, f"crowdseq {name}")]
    return "\n".join(parts)


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, max_content_width=100, terminal_width=100)
    return f"```text\n{command.get_help(context)}\n```\n"


def methods_page() -> str:
    """The table of methods, and the settings of each."""
    rows = tuple((f"[{name}](../methods/{name}.md)", kind, summary) for name, kind, summary in method_table())
    parts = [NOTE, "# Methods\n", as_markdown(Table(("method", "kind", "what it does"), rows)), ""]
    for name, made in list_methods().items():
        settings = tuple((f"`{key}`", f"`{value!r}`") for key, value in method_defaults(made).items())
        parts += [f"## {name}\n", as_markdown(Table(("setting", "default"), settings)), ""]
    return "\n".join(parts)


def formats_page() -> str:
    """The table of formats."""
    rows = tuple((f"`{row.name}`", ", ".join(row.able), row.summary) for row in format_rows())
    return "\n".join([NOTE, "# Formats\n", as_markdown(Table(("format", "we can", "what it is"), rows)), ""])


def main() -> None:
    """Write every page that has changed."""
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()
