import re

import numpy as np
from click.testing import CliRunner

from privge.cli import main
from privge.datasets import social_network


def test_the_network_is_homophilous_uneven_and_repeatable():
    network = social_network(1000, seed=3)
    table = network.graph.to_edges().to_pydict()
    rows = [network.graph.rows_of(table[side]) for side in ("source", "target")]
    inside = (network.labels[rows[0]] == network.labels[rows[1]]).mean()
    assert 0.5 < inside < 0.85
    assert network.graph.degrees.max() > 5 * network.graph.degrees.mean()
    assert ((network.features >= 0) & (network.features <= 1)).all()
    again = social_network(1000, seed=3)
    assert again.graph.fingerprint == network.graph.fingerprint
    assert (again.features == network.features).all()


def test_the_demo_ends_with_a_page(tmp_path):
    page = tmp_path / "sub" / "report.html"
    result = CliRunner().invoke(main, ["demo", "--people", "1000", "-o", str(page)])
    assert result.exit_code == 0, result.output
    html = page.read_text(encoding="utf-8")
    assert html.count("data:image/png;base64,") == 2
    assert "http" not in re.sub(r"data:image[^\"]+", "", html)  # nothing is loaded from elsewhere
    found = dict(
        re.findall(r"^\s+(structure only|no privacy|epsilon \d)\s+([\d.]+)%", result.output, flags=re.MULTILINE)
    )
    assert float(found["no privacy"]) > float(found["epsilon 6"]) > float(found["structure only"]) > 100 / 6 - 5
    assert len(found) == 5
    assert np.isfinite([float(value) for value in found.values()]).all()
