"""The package's log lines as remarks on stderr."""

import logging

import click

from privge.cli.terminal import one_line


class _Remarks(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(one_line(self.format(record)), err=True)


def show_remarks(*, quiet: bool) -> None:
    """Print log lines of the package on stderr: all from INFO on, or only warnings."""
    logger = logging.getLogger("privge")
    if not any(isinstance(handler, _Remarks) for handler in logger.handlers):
        logger.addHandler(_Remarks())
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
