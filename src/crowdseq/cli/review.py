"""crowdseq review."""

import getpass
import os
from contextlib import suppress
from pathlib import Path

import click

from crowdseq.cli.options import quiet_option

_PASSWORD_VARIABLE = "CROWDSEQ_REVIEW_PASSWORD"
_OPEN_LINE = (
    "warning: the line is not encrypted. Whoever can listen to the network reads the texts and the password; "
    "give --certificate and --key, or reach this machine through a tunnel instead."
)


@click.command(
    help="Settle what the annotators differ on, in the browser: every decision is kept in the run."
)
@click.argument("run")
@click.option(
    "--reviewer", help="Your name, which your decisions carry (default: your name on this machine)."
)
@click.option("--blind", is_flag=True, help="Hide the suggestion and its probability until you have decided.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Where to listen (default: 8765, or the next free one)."
)
@click.option("--no-browser", is_flag=True, help="Only print the link, open nothing.")
@click.option("--host", help="Listen at this address, for people at other machines too; asks for a password.")
@click.option(
    "--name", "names", multiple=True, help="A further host name under which browsers may ask, with --host."
)
@click.option(
    "--password-file",
    type=click.Path(),
    help=f"With --host: read the password here; or set {_PASSWORD_VARIABLE}.",
)
@click.option("--certificate", type=click.Path(), help="Encrypt the line with this certificate (PEM).")
@click.option("--key", type=click.Path(), help="The key of the certificate, if it is in a file of its own.")
@quiet_option
def command(
    run: str,
    reviewer: str | None,
    blind: bool,
    port: int | None,
    no_browser: bool,
    host: str | None,
    names: tuple[str, ...],
    password_file: str | None,
    certificate: str | None,
    key: str | None,
    quiet: bool,
) -> None:
    from crowdseq.web import require_web

    require_web()
    from crowdseq.web.access import clean_name
    from crowdseq.web.serving import Certificate, serve
    from crowdseq.web.settings import LOOPBACK, WebSettings, is_loopback

    address = host or LOOPBACK
    is_local = is_loopback(address)
    if key and not certificate:
        raise click.UsageError("a key alone encrypts nothing, name the certificate too.")
    settings = WebSettings(
        reviewer=clean_name(reviewer or _own_name()) or "reviewer",
        blind=blind,
        host=address,
        port=8765 if port is None else port,
        names=names,
        password=None if is_local else _password(password_file),
        certificate=certificate is not None,
    )
    if not is_local and not certificate:
        click.echo(_OPEN_LINE, err=True)

    def opened(link: str) -> None:
        click.echo(link)
        if not quiet:
            click.echo(
                "The link works once. Decisions are saved as they are made; Ctrl-C ends the app.", err=True
            )
        if not no_browser:
            click.launch(link)

    pair = Certificate(certificate, key) if certificate else None
    # Ctrl-C is how the app is meant to end, so that it is no failure.
    with suppress(KeyboardInterrupt):
        serve(run, settings, opened=opened, certificate=pair, any_port=port is None)


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # nobody, as in some containers
        return ""


def _password(file: str | None) -> str:
    if file is not None:
        try:
            return Path(file).read_text("utf-8").strip("\r\n")
        except UnicodeDecodeError:
            raise click.UsageError(f"{file} holds no text, the password must be one line of it.") from None
    given = os.environ.get(_PASSWORD_VARIABLE)
    return given or str(
        click.prompt("Password for the other reviewers", hide_input=True, confirmation_prompt=True, err=True)
    )
