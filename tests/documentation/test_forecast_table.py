"""The table of forecasts is the one that the raw lines give, and it keeps what the page promises."""

import forecast_table
import numpy as np
from scipy.stats import spearmanr


def means():
    return [
        {name: np.mean([run[name] for run in runs]) for name in ("forecast", "measured", "ceiling")}
        for runs in forecast_table.settings().values()
    ]


def test_the_page_has_the_table_of_the_stored_runs():
    page = forecast_table.PAGE.read_text(encoding="utf-8")
    assert forecast_table.written(page) == page


def test_forecasts_rank_settings_as_measured_lifts_do_and_are_near_them():
    found = means()
    assert len(found) >= 40
    assert spearmanr([each["forecast"] for each in found], [each["measured"] for each in found]).statistic >= 0.8
    head, *_ = forecast_table.table().splitlines()
    assert "graph alone" in head
    assert "structure" in head
    assert forecast_table.table().count("| yes |") >= 0.8 * len(found)


def test_no_forecast_is_above_its_ceiling():
    assert all(each["forecast"] <= each["ceiling"] for each in means())
