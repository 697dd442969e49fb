"""A Dask scheduler runs code for whoever reaches it: ours stays on this machine, and TLS is set up as Dask has it."""

import logging
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import dask.config
import distributed  # noqa: F401 (brings the defaults of what is set below)
import numpy as np
import psutil
import pytest
import scipy.sparse
from click.testing import CliRunner

from privge import Graph
from privge._dask import connected
from privge.cli import main
from privge.errors import ClusterFailed
from privge.propagation import OnCluster, propagate


@contextmanager
def local_cluster(**environment):
    """Run `privge cluster --local 1`; yield the process and the address that it prints."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would ours
    command = [sys.executable, "-m", "privge", "cluster", "--local", "1", "--port", "0"]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process, process.stdout.readline().split()[3].rstrip(";")
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=dask"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return {"cert": str(folder / "cert.pem"), "key": str(folder / "key.pem")}


def settings(certificate):
    """Return Dask's own TLS settings, for all roles."""
    found = {"distributed.comm.require-encryption": True, "distributed.comm.tls.ca-file": certificate["cert"]}
    for role in ("scheduler", "worker", "client"):
        found |= {f"distributed.comm.tls.{role}.{part}": path for part, path in certificate.items()}
    return found


def as_variables(settings):
    """Return the same as variables of the environment, in Dask's way of writing them."""
    return {
        "DASK_" + name.upper().replace(".", "__").replace("-", "_"): str(value).lower() if value is True else value
        for name, value in settings.items()
    }


def embed_three(address, folder):
    features = scipy.sparse.csr_array(np.eye(3, dtype=np.float32))
    there, _ = propagate(Graph.from_edges([(0, 1), (1, 2)]), features, on=OnCluster(address, folder=folder))
    return np.asarray(there)


def test_a_local_cluster_listens_on_loopback_only_and_says_who_can_reach_it():
    with local_cluster() as (process, address):
        everybody = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        heard = {
            connection.laddr.ip
            for one in everybody
            for connection in one.net_connections(kind="inet")
            if connection.status == psutil.CONN_LISTEN
        }
        assert heard == {"127.0.0.1"}
        assert address.startswith("tcp://127.0.0.1:")
        assert "every user of this machine" in process.stderr.readline()


def test_a_cluster_with_certificates_serves_those_who_have_them(certificate, tmp_path):
    with local_cluster(**as_variables(settings(certificate))) as (_, address):
        assert address.startswith("tls://127.0.0.1:")
        with dask.config.set(settings(certificate)):
            assert embed_three(address, tmp_path).shape == (3, 3)
        with pytest.raises(ClusterFailed, match="certificates"):
            embed_three(address, tmp_path)
        with pytest.raises(ClusterFailed, match="no Dask scheduler"):
            embed_three(address.replace("tls:", "tcp:"), tmp_path)


def test_encryption_that_is_required_is_not_left_out(certificate, tmp_path):
    with (
        dask.config.set(settings(certificate)),
        pytest.raises(ClusterFailed, match=r"require encryption.*tls://"),
    ):
        embed_three("tcp://127.0.0.1:9", tmp_path)


def test_a_certificate_that_cannot_be_read_is_named(certificate, tmp_path):
    with (
        dask.config.set(settings({**certificate, "cert": str(tmp_path / "nowhere.pem")})),
        pytest.raises(ClusterFailed, match=r"Dask's TLS settings.*No such file"),
    ):
        embed_three("tls://127.0.0.1:9", tmp_path)


@pytest.mark.parametrize(
    ("address", "open_to_others"),
    [
        ("tcp://192.0.2.1:9", True),
        ("192.0.2.1:9", True),
        ("tcp://scheduler.invalid:9", True),
        ("tcp://127.0.0.1:9", False),
        ("tcp://localhost:9", False),
        ("tcp://[::1]:9", False),
        ("127.0.0.1:9", False),
    ],
)
def test_a_scheduler_elsewhere_without_tls_is_warned_of(address, open_to_others, caplog):
    with (
        caplog.at_level(logging.WARNING, logger="privge"),
        pytest.raises(ClusterFailed, match="no Dask scheduler"),
        connected(address, timeout=0.1),
    ):
        pass
    assert ("run code" in caplog.text) == open_to_others


def test_tls_is_not_warned_of(certificate, caplog):
    with (
        dask.config.set(settings(certificate)),
        caplog.at_level(logging.WARNING, logger="privge"),
        pytest.raises(ClusterFailed, match="no Dask scheduler"),
        connected("tls://192.0.2.1:9", timeout=0.1),
    ):
        pass
    assert "run code" not in caplog.text


def test_how_to_start_a_cluster_says_how_to_protect_it():
    text = CliRunner().invoke(main, ["cluster"]).stdout
    for word in ("tls://", "--tls-ca-file", "run code"):
        assert word in text
