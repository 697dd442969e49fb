"""Asking a service as its operator."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.cli.actor import as_field
from privge.cli.declared import file_option, flag
from privge.wire.messages import OPERATOR_HEADER
from privge.wire.tokens import authorization

if TYPE_CHECKING:
    from privge.device.web import Reply


@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """Who acts, when a service is asked as its operator."""

    admin_token_file: Path | None = file_option(
        "--admin-token-file", about="The operator's secret.  [default: PRIVGE_ADMIN_TOKEN]"
    )
    name: str | None = as_field()
    insecure_http: bool = flag("--insecure-http", about="Allow plain http to another machine: others can read along.")


@contextmanager
def asking(url: str, operator: ServiceOptions) -> Iterator[Callable[[str, str, bytes | None, str | None], "Reply"]]:
    """Ask a service as its operator: by method, path, body and its content type."""
    from privge.collect.service.credentials import ADMIN_VARIABLE, read_admin_token
    from privge.device.address import Address
    from privge.device.web import Client

    token = read_admin_token(operator.admin_token_file)
    if token is None:
        raise click.UsageError(f"Give --admin-token-file, or the secret in {ADMIN_VARIABLE}.")
    headers = authorization(token) | ({} if operator.name is None else {OPERATOR_HEADER: operator.name})
    with closing(Client(Address.parse(url, insecure_http=operator.insecure_http))) as client:

        def ask(method: str, path: str, body: bytes | None, kind: str | None) -> "Reply":
            typed = headers if kind is None else {**headers, "Content-Type": kind}
            return client.ask(method, f"{client.address.base}{path}", body=body, headers=typed)

        yield ask
