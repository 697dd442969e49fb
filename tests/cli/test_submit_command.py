import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from click.testing import CliRunner

from device.fake_service import claims_of, serving, token_for
from privge import Campaign, Reports
from privge.campaign import Assignment
from privge.cli import main
from privge.collect.service.credentials import write_keys
from privge.wire.tokens import Key, Verifier

COUNT = 30
NAMES = ["a", "b", "c"]
ROUNDS = [("spring", "teach"), ("spring", "ask"), ("autumn", "later")]


@pytest.fixture
def service():
    with serving() as service:
        yield service


@pytest.fixture
def campaign():
    return Campaign(dimensions=3, names=NAMES, low=0, high=1, mechanism="hds", epsilon=1.0, k=2, levels=33)


@pytest.fixture
def keys(tmp_path):
    write_keys(tmp_path / "keys", [Key.new()])
    return tmp_path / "keys"


@pytest.fixture
def run(tmp_path, monkeypatch, service, campaign):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PRIVGE_TOKEN_KEYS", raising=False)
    url = service.add(campaign)

    def call(*arguments, url=url):
        return CliRunner().invoke(main, [str(a) for a in ("submit", "--campaign", url, *arguments)])

    return call


def users(path, count=COUNT, columns=NAMES, **more):
    table = {"id": [f"p{i}" for i in range(count)], **{name: np.linspace(0, 1, count) for name in columns}, **more}
    pq.write_table(pa.table(table), path)
    return path


def test_everybody_is_sent_in_batches_with_minted_tokens(run, tmp_path, keys, service, campaign):
    sent = []
    put = service.put
    service.put = lambda campaign, token, body: sent.append(token) or put(campaign, token, body)
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys, "--size", 8, "--json")
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["reports"], summary["drawn"], summary["outcomes"]) == (COUNT, COUNT, {"stored": COUNT})
    assert "everybody's private features" in result.stderr
    assert len(service.stored) == COUNT
    posts = [path.rsplit("/", 1)[-1] for method, path in service.requests if method == "POST"]
    assert posts == ["ask"] * 4 + ["reports"] * 4
    from privge.collect.service.credentials import read_keys

    verifier = Verifier(read_keys(keys))
    grants = [verifier.verify(token, now=0) for token in sent]
    assert {grant.node for grant in grants} == {f"p{i}" for i in range(COUNT)}
    assert {grant.campaign for grant in grants} == {campaign.id}


def test_a_proxy_and_a_person_can_use_the_same_data_folder(run, tmp_path, keys, service):
    run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_dir() or path.stat().st_mode & 0o077 == 0, path
    other = Campaign(dimensions=1, low=0, high=1, mechanism="hds", epsilon=1.0, k=1, levels=33)
    (tmp_path / "me.json").write_text("[0.5]")
    (tmp_path / "me.token").write_text(token_for("me"))
    command = ["contribute", "--campaign", service.add(other), "--features", tmp_path / "me.json",
               "--token-file", tmp_path / "me.token"]  # fmt: skip
    result = CliRunner().invoke(main, [str(a) for a in command])
    assert result.exit_code == 0, result.stderr


def test_a_second_run_sends_nothing_and_a_larger_file_only_what_is_new(run, tmp_path, keys, service):
    run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    again = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    assert again.exit_code == 0
    assert "nothing left to send" in again.stdout
    assert len(service.received) == COUNT
    summary = json.loads(run("--batch", users(tmp_path / "more.parquet", 40), "--keys-file", keys, "--json").stdout)
    assert (summary["drawn"], summary["acknowledged_before"], summary["outcomes"]) == (10, COUNT, {"stored": 10})


def test_a_killed_run_goes_on_with_the_same_bytes(run, tmp_path, keys, service, campaign):
    path = users(tmp_path / "u.parquet")
    service.faults = [None, "hang"]
    command = [sys.executable, "-m", "privge", "submit", "--campaign", f"{service.base}/v1/campaigns/{campaign.id}",
               "--batch", str(path), "--keys-file", str(keys), "--size", "10"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while len(service.received) < 20:
            assert process.poll() is None
            service.committed.wait(0.05)
        process.kill()
        process.communicate()
    result = run("--batch", path, "--keys-file", keys, "--size", 10, "--json")
    summary = json.loads(result.stdout)
    assert (summary["drawn"], summary["acknowledged_before"]) == (0, 10)
    assert summary["outcomes"] == {"same": 10, "stored": 10}
    bodies = {}
    for _, node, body in service.received:
        bodies.setdefault(node, set()).add(body)
    assert len(bodies) == COUNT
    assert all(len(different) == 1 for different in bodies.values())


def test_a_refused_report_makes_the_exit_code_1(run, tmp_path, keys, service):
    service.item_faults = [(409, "different"), (403, "over_budget")]
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    assert result.exit_code == 1
    assert "28 stored, 1 different, 1 over budget" in result.stdout


def test_finished_reports_are_passed_on_as_they_are(run, tmp_path, campaign, service):
    reports = campaign.simulate(np.full((5, 3), 0.5), ids=range(5))
    reports.to_parquet(tmp_path / "r.parquet")
    (tmp_path / "tokens.csv").write_text("id,token\n" + "".join(f"{i},{token_for(i)}\n" for i in range(5)))
    result = run("--reports", tmp_path / "r.parquet", "--tokens", tmp_path / "tokens.csv")
    assert result.exit_code == 0, result.stderr
    assert {node: body for (_, node), body in service.stored.items()} == {
        str(i): reports.codes[i].astype("<u2").tobytes() for i in range(5)
    }


def test_tokens_may_stand_beside_the_features(run, tmp_path, service):
    tokens = [token_for(f"p{i}") for i in range(COUNT)]
    result = run("--batch", users(tmp_path / "u.parquet", token=tokens))
    assert result.exit_code == 0, result.stderr
    assert len(service.stored) == COUNT


def test_columns_are_joined_by_name(run, tmp_path, keys, monkeypatch):
    seen = []
    import privge.device.outbox

    real = privge.device.outbox.simulate
    monkeypatch.setattr(
        privge.device.outbox,
        "simulate",
        lambda campaign, rows, **rest: seen.append(rows) or real(campaign, rows, **rest),
    )
    table = {"id": ["x", "y"], "c": [0.3, 0.6], "a": [0.1, 0.4], "b": [0.2, 0.5]}
    pq.write_table(pa.table(table), tmp_path / "u.parquet")
    assert run("--batch", tmp_path / "u.parquet", "--keys-file", keys).exit_code == 0
    assert seen[0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    result = run("--batch", users(tmp_path / "v.parquet", columns=["a", "b", "d"]), "--keys-file", keys)
    assert result.exit_code == 3
    assert "v.parquet: there is no column for 1 of 3 features: 'c'" in result.stderr


def test_parts_of_a_campaign_without_names_go_by_the_first_of_them(run, tmp_path, keys, service, monkeypatch):
    import privge.device.outbox

    seen, real = [], privge.device.outbox.simulate
    monkeypatch.setattr(
        privge.device.outbox,
        "simulate",
        lambda campaign, rows, **rest: seen.extend(rows.tolist()) or real(campaign, rows, **rest),
    )
    (tmp_path / "u").mkdir()
    pq.write_table(pa.table({"id": ["x"], "c": [0.3], "a": [0.1], "b": [0.2]}), tmp_path / "u" / "0.parquet")
    pq.write_table(pa.table({"id": ["y"], "a": [0.4], "b": [0.5], "c": [0.6]}), tmp_path / "u" / "1.parquet")
    nameless = Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=2, levels=33)
    result = run("--batch", tmp_path / "u", "--keys-file", keys, url=service.add(nameless))
    assert result.exit_code == 0, result.stderr
    assert seen == [[0.3, 0.1, 0.2], [0.6, 0.4, 0.5]]
    assert result.stderr.count("the columns go in their own order: c, a, b") == 1


def test_other_columns_stay_at_home_and_what_is_clipped_is_said(run, tmp_path, keys, service):
    table = users(tmp_path / "u.parquet", town=["x"] * COUNT, b=np.full(COUNT, 61_234.57))
    result = run("--batch", table, "--keys-file", keys)
    assert result.exit_code == 0, result.stderr
    assert "left out 1 column that is not a feature of the campaign: 'town'" in result.stderr
    assert re.search(r"^b: (\d+) of \1 values clipped to 0\.\.1$", result.stderr, re.MULTILINE)
    assert "61234" not in result.stderr
    assert not any("clipped" in str(request) for request in service.requests)


def test_a_sparse_matrix_has_numbers_for_nodes(run, tmp_path, keys, service):
    matrix = scipy.sparse.random_array((6, 3), density=0.5, rng=1).tocsr()
    scipy.sparse.save_npz(tmp_path / "u.npz", matrix)
    assert run("--batch", tmp_path / "u.npz", "--keys-file", keys).exit_code == 0
    assert {node for _, node in service.stored} == {str(i) for i in range(6)}
    assert all(type(claims_of(token_for(i))["node"]) is int for i in range(6))


def test_nothing_is_drawn_for_a_control(run, tmp_path, keys, service):
    control = Campaign(dimensions=3, names=NAMES, low=0, high=1, mechanism="none", k=2, levels=33)
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys, url=service.add(control))
    assert result.exit_code == 1
    assert "no device answers it" in result.stderr
    assert not list((tmp_path / "data").rglob("*.parquet"))


def test_one_source_and_keys_are_needed(run, tmp_path, keys):
    batch = users(tmp_path / "u.parquet")
    assert run("--keys-file", keys).exit_code == 2
    assert run("--batch", batch, "--reports", batch, "--keys-file", keys).exit_code == 2
    result = run("--batch", batch)
    assert result.exit_code == 3
    assert "keys" in result.stderr


def test_reports_of_another_campaign_are_refused(run, tmp_path, keys):
    other = Campaign(dimensions=3, low=0, high=1, mechanism="hds", epsilon=1.0, k=2, levels=33, purpose="another")
    other.simulate(np.full((2, 3), 0.5)).to_parquet(tmp_path / "r.parquet")
    result = run("--reports", tmp_path / "r.parquet", "--keys-file", keys)
    assert result.exit_code == 3
    assert "r.parquet: the reports answer campaign" in result.stderr
    assert isinstance(Reports.from_parquet(tmp_path / "r.parquet"), Reports)


def erased(reason="erased", status=410):
    return status, {"reason": reason}


def drawn_in(folder):
    """Who has a report in an outbox."""
    return {node for path in folder.rglob("part-*.parquet") for node in Reports.from_parquet(path).ids.tolist()}


def test_another_state_draws_and_sends_nobody_whose_report_is_stored(run, tmp_path, keys, service):
    path = users(tmp_path / "u.parquet")
    assert run("--batch", users(tmp_path / "some.parquet", 20), "--keys-file", keys).exit_code == 0
    result = run("--batch", path, "--keys-file", keys, "--state", tmp_path / "other")
    assert result.exit_code == 0, result.stderr
    assert "20 were stored before by another state" in result.stdout
    assert drawn_in(tmp_path / "other") == {f"p{i}" for i in range(20, COUNT)}
    assert len(service.received) == len(service.stored) == COUNT
    summary = json.loads(run("--batch", path, "--keys-file", keys, "--state", tmp_path / "third", "--json").stdout)
    assert (summary["reports"], summary["drawn"], summary["held_before"], summary["outcomes"]) == (COUNT, 0, COUNT, {})


def test_whom_the_service_would_refuse_is_neither_drawn_nor_sent(run, tmp_path, keys, service):
    service.refusals = {"p1": erased(), "p4": erased("over_budget", 403), "p5": erased("unauthorized", 401)}
    result = run("--batch", users(tmp_path / "u.parquet", 8), "--keys-file", keys, "--state", tmp_path / "s", "--json")
    assert result.exit_code == 1
    summary = json.loads(result.stdout)
    assert summary["outcomes"] == {"erased": 1, "over_budget": 1, "stored": 5, "unauthorized": 1}
    assert (summary["reports"], summary["drawn"]) == (8, 5)
    expected = {"p0", "p2", "p3", "p6", "p7"}
    assert drawn_in(tmp_path / "s") == {node for _, node, _ in service.received} == expected
    service.refusals = {f"p{i}": erased("closed") for i in range(8)}
    again = run("--batch", tmp_path / "u.parquet", "--keys-file", keys, "--state", tmp_path / "closed")
    assert again.exit_code == 1
    assert "8 closed" in again.stdout
    assert not drawn_in(tmp_path / "closed")


@pytest.mark.parametrize("fault", [403, 404, lambda handler: handler.answer(200, b"[]")])
def test_nobody_is_drawn_before_the_service_has_answered(run, tmp_path, keys, service, fault):
    service.ask_faults = [fault]
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 2
    assert not list((tmp_path / "data").rglob("*.parquet"))
    assert not service.received


def test_finished_reports_of_whom_the_service_would_refuse_are_not_sent(run, tmp_path, keys, service, campaign):
    ids = [f"p{i}" for i in range(4)]
    campaign.simulate(np.full((4, 3), 0.5), ids=ids).to_parquet(tmp_path / "r.parquet")
    service.refusals = {"p2": erased()}
    assert run("--reports", tmp_path / "r.parquet", "--keys-file", keys).exit_code == 1
    assert {node for _, node, _ in service.received} == {"p0", "p1", "p3"}
    result = run("--reports", tmp_path / "r.parquet", "--keys-file", keys, "--state", tmp_path / "other", "--json")
    assert json.loads(result.stdout)["held_before"] == 3
    assert len(service.received) == 3


def test_one_person_has_one_report_whatever_stands_beside_their_id(run, tmp_path, keys, service):
    header, values = "id,a,b,c\n", ",0.1,0.2,0.3\n"
    (tmp_path / "numbers.csv").write_text(header + f"007{values}8{values}")
    (tmp_path / "names.csv").write_text(header + f"007{values}x{values}")
    for name in ("numbers.csv", "names.csv"):
        result = run("--batch", tmp_path / name, "--keys-file", keys)
        assert result.exit_code == 0, result.stderr
    assert sorted(node for _, node, _ in service.received) == ["007", "8", "x"]
    (tmp_path / "typed.csv").write_text(header + f"8{values}9{values}")
    summary = json.loads(run("--batch", tmp_path / "typed.csv", "--keys-file", keys, "--integer-ids", "--json").stdout)
    assert (summary["drawn"], summary["acknowledged_before"]) == (1, 1)
    result = run("--batch", tmp_path / "numbers.csv", "--keys-file", keys, "--integer-ids")
    assert result.exit_code == 3
    assert "numbers.csv, line 2: an id is not an integer" in result.stderr


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        (token_for("secret-name"), "the token is that of another node than the id"),
        (token_for("p2", "0" * 64), "the token is for another campaign"),
        ("nonsense", "the token is not one"),
        ("", "there is no token"),
        (None, "there is no token"),
    ],
)
@pytest.mark.parametrize("way", ["column", "csv", "table", "folder"])
def test_a_token_of_another_node_is_refused_by_line_before_anybody_is_drawn(
    run, tmp_path, service, token, problem, way
):
    tokens = [token_for(f"p{i}") for i in range(5)]
    tokens[2] = token
    path = users(tmp_path / "u.parquet", 5, **({"token": tokens} if way == "column" else {}))
    place, more = path, []
    if way == "csv":
        place = tmp_path / "u.csv"
        rows = "".join(f"p{i},0,0,0,{token or ''}\n" for i, token in enumerate(tokens))
        place.write_text("id,a,b,c,token\n" + rows)
    elif way == "table":
        more = ["--tokens", tmp_path / "t.csv"]
        more[1].write_text("id,token\n" + "".join(f"p{i},{token or ''}\n" for i, token in enumerate(tokens)))
    elif way == "folder":
        place = folder_of_users(tmp_path / "f", 5, token=lambda rows: pa.array([tokens[i] for i in rows], pa.string()))
    result = run("--batch", place, *more)
    assert result.exit_code == 3
    where = {
        "column": "u.parquet, row 3",
        "csv": "u.csv, line 4",
        "table": "t.csv, line 4",
        "folder": "1.parquet, row 1",
    }
    assert f"{where[way]}: {problem}" in result.stderr
    assert "secret-name" not in result.stderr
    assert not drawn_in(tmp_path / "data")
    assert not service.received


def test_tokens_go_with_either_kind_of_id(run, tmp_path, service):
    (tmp_path / "u.csv").write_text("id,a,b,c,token\n" + "".join(f"{i},0,0,0,{token_for(i)}\n" for i in range(3)))
    assert run("--batch", tmp_path / "u.csv").exit_code == 0
    assert run("--batch", tmp_path / "u.csv", "--integer-ids").exit_code == 0
    assert [node for _, node, _ in service.received] == ["0", "1", "2"]


def test_a_table_without_tokens_is_refused(run, tmp_path, keys):
    (tmp_path / "t.csv").write_text("id,name\np0,x\n")
    result = run("--batch", users(tmp_path / "u.parquet"), "--tokens", tmp_path / "t.csv")
    assert result.exit_code == 3
    assert "t.csv: there is no column 'token'" in result.stderr
    assert run("--batch", tmp_path / "u.parquet", "--tokens", tmp_path / "t.csv", "--keys-file", keys).exit_code == 2


@pytest.mark.parametrize("parts", [False, True])
def test_reports_that_were_drawn_with_a_seed_are_not_sent(run, tmp_path, keys, service, campaign, parts):
    campaign.save(tmp_path / "c.json")
    features = folder_of_users(tmp_path / "u", 9) if parts else users(tmp_path / "u.parquet", 9)
    output = tmp_path / ("r" if parts else "r.parquet")
    command = ["perturb", "--features", features, "--campaign", tmp_path / "c.json", "-o", output, "--seed", 0]
    assert CliRunner().invoke(main, [str(a) for a in command]).exit_code == 0
    result = run("--reports", output, "--keys-file", keys)
    assert result.exit_code == 1
    assert "parquet: these reports were drawn with a seed" in result.stderr
    assert not service.received
    assert not drawn_in(tmp_path / "data")


def folder_of_users(path, people, parts=3, **more):
    """The same people, cut into parts: a person stays the same whatever file they come in."""
    path.mkdir()
    for part, rows in enumerate(np.array_split(np.arange(people), parts)):
        table = {"id": [f"p{i}" for i in rows], **{name: np.full(len(rows), 0.5) for name in NAMES}}
        pq.write_table(
            pa.table({**table, **{name: values(rows) for name, values in more.items()}}), path / f"{part}.parquet"
        )
    return path


def bodies_of(service):
    """The different reports that arrived for each node."""
    bodies = {}
    for _, node, body in service.received:
        bodies.setdefault(node, set()).add(body)
    return bodies


def test_a_folder_is_sent_part_by_part(run, tmp_path, keys, campaign):
    result = run("--batch", folder_of_users(tmp_path / "u", COUNT), "--keys-file", keys, "--size", 4, "--json")
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["reports"], summary["drawn"], summary["outcomes"]) == (COUNT, COUNT, {"stored": COUNT})
    assert result.stderr.count("everybody's private features") == 1
    assert len(list((tmp_path / "data" / "privge" / "submit" / campaign.id).glob("part-*.parquet"))) == 3
    again = json.loads(run("--batch", tmp_path / "u", "--keys-file", keys, "--json").stdout)
    assert (again["drawn"], again["acknowledged_before"], again["outcomes"]) == (0, COUNT, {})


def test_people_who_come_in_other_files_are_not_drawn_again(run, tmp_path, keys, service):
    assert run("--batch", users(tmp_path / "u.parquet", 10), "--keys-file", keys).exit_code == 0
    for name, parts in (("three", 3), ("five", 5)):
        result = run("--batch", folder_of_users(tmp_path / name, COUNT, parts), "--keys-file", keys, "--json")
        assert result.exit_code == 0, result.stderr
    assert len(bodies_of(service)) == COUNT
    assert all(len(different) == 1 for different in bodies_of(service).values())


def test_a_person_in_two_parts_is_drawn_once(run, tmp_path, keys, service):
    folder = folder_of_users(tmp_path / "u", 6)
    (folder / "9.parquet").write_bytes((folder / "0.parquet").read_bytes())
    result = run("--batch", folder, "--keys-file", keys, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["drawn"] == 6
    assert [len(different) for different in bodies_of(service).values()] == [1] * 6


def test_a_run_that_stops_in_the_second_part_goes_on_with_the_same_bytes(run, tmp_path, keys, service):
    folder = folder_of_users(tmp_path / "u", COUNT)
    service.faults = [None, 404]
    assert run("--batch", folder, "--keys-file", keys).exit_code == 1
    assert len(service.stored) == 10
    summary = json.loads(run("--batch", folder, "--keys-file", keys, "--json").stdout)
    assert (summary["drawn"], summary["acknowledged_before"], summary["outcomes"]) == (10, 10, {"stored": 20})
    assert [len(different) for different in bodies_of(service).values()] == [1] * COUNT


def test_tokens_may_stand_beside_the_features_of_each_part(run, tmp_path, service):
    folder = folder_of_users(tmp_path / "u", 7, token=lambda rows: [token_for(f"p{i}") for i in rows])
    result = run("--batch", folder)
    assert result.exit_code == 0, result.stderr
    assert len(service.stored) == 7


def test_nobody_is_drawn_before_the_tokens_are_known(run, tmp_path):
    result = run("--batch", folder_of_users(tmp_path / "u", 7))
    assert result.exit_code == 3
    assert not list((tmp_path / "data").rglob("*.parquet"))


def test_a_folder_of_finished_reports_is_passed_on(run, tmp_path, keys, campaign, service):
    from privge.perturbation.simulate_parts import simulate_parts

    parts = simulate_parts(campaign, folder_of_users(tmp_path / "u", 9), tmp_path / "r")
    result = run("--reports", tmp_path / "r", "--keys-file", keys, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["outcomes"] == {"stored": 9}
    expected = {
        node: codes for i in range(3) for node, codes in zip(parts.read(i).ids, parts.read(i).codes, strict=True)
    }
    assert {node: body for (_, node), body in service.stored.items()} == {
        node: codes.astype("<u2").tobytes() for node, codes in expected.items()
    }
    (tmp_path / "r" / "_SUCCESS").unlink()
    result = run("--reports", tmp_path / "r", "--keys-file", keys)
    assert result.exit_code == 3
    assert "unfinished" in result.stderr


def test_the_words_of_a_service_are_shown_harmlessly(run, tmp_path, keys, service):
    service.item_faults = [(422, "\x1b[2J\x9bbad\nstored 1,000")]
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys)
    assert result.exit_code == 1
    assert not set(result.output) & {"\x1b", "\x9b"}
    assert "\nstored 1,000" not in result.output


def test_nobody_is_drawn_in_a_second_campaign_of_a_round_whatever_the_service_says(
    run, tmp_path, keys, service, campaign
):
    teach, ask, later = (replace(campaign, round=name, purpose=purpose) for name, purpose in ROUNDS)
    everybody = users(tmp_path / "u.parquet")
    half = users(tmp_path / "half.parquet", COUNT // 2)
    said = {}
    for each, people in ((teach, half), (ask, everybody), (later, everybody)):
        result = run("--batch", people, "--keys-file", keys, "--json", url=service.add(each))
        said[each.purpose] = json.loads(result.stdout)["outcomes"], result.exit_code
    assert said["teach"] == ({"stored": COUNT // 2}, 0)
    assert said["ask"] == ({"stored": COUNT - COUNT // 2, "other_round": COUNT // 2}, 1)
    assert said["later"] == ({"stored": COUNT}, 0)
    asked = {node for name, node, _ in service.received if name == ask.id}
    assert asked == {f"p{i}" for i in range(COUNT // 2, COUNT)}


def test_only_those_who_are_asked_are_drawn_and_nobody_asks_the_service_about_others(
    run, tmp_path, keys, service, campaign
):
    some = [f"p{i}" for i in range(0, COUNT, 3)]
    asking = replace(campaign, assignment=Assignment.members(some, bits=2))
    result = run("--batch", users(tmp_path / "u.parquet"), "--keys-file", keys, "--json", url=service.add(asking))
    summary = json.loads(result.stdout)
    assert (summary["drawn"], summary["outcomes"]) == (10, {"stored": 10, "not_asked": 20})
    assert {node for _, node, _ in service.received} == set(some)
    shards = [path for _, path in service.requests if "/shards/" in path]
    assert len(shards) == len(set(shards)) == 4
