"""Judge forecasts by what was measured: rank correlation, errors, ceilings and verdicts; and draw both."""

import math

import numpy as np
from scipy.stats import spearmanr

from privge.planning import standing_of

WORTH = 0.5


def settings(records):
    """Return the mean of each setting over its seeds, with the standard error of the measured lift."""
    groups = {}
    for record in records:
        key = (record["world"], record["epsilon"], record["teacher epsilon"])
        groups.setdefault(key, []).append(record)
    return [{"setting": key, "seeds": len(members), **_means(members)} for key, members in groups.items()]


def _means(members):
    names = ("forecast", "measured", "ceiling", "low", "high")
    means = {name: float(np.mean([each[name] for each in members])) for name in names}
    lifts = [each["measured"] for each in members]
    error = float(np.std(lifts, ddof=1) / math.sqrt(len(lifts))) if len(lifts) > 1 else math.nan
    return {**means, "error": error}


def near(row):
    """Within half a point, or 30 % of what was measured."""
    apart = abs(row["forecast"] - row["measured"])
    return apart <= 0.5 or apart <= 0.3 * abs(row["measured"])


def significant(row):
    """The measured lift is above 0 by more than two standard errors; with one seed, any lift above 0 counts."""
    return row["measured"] > (0.0 if math.isnan(row["error"]) else 2 * row["error"])


def judge(records, output):
    rows = settings(records)
    print(f"{'setting':42} seeds  forecast (95 %: between)     measured    ceiling")
    for row in sorted(rows, key=lambda each: str(each["setting"])):
        name, epsilon, teachers = row["setting"]
        title = f"{name}, ε = {epsilon:g}" + (f", teachers {teachers:g}" if teachers else "")
        print(
            f"{title:42} {row['seeds']:5}  {row['forecast']:+8.2f} ({row['low']:5.2f} to {row['high']:5.2f})  "
            f"{row['measured']:+7.2f} ± {row['error']:.2f}  {row['ceiling']:7.2f}  {'' if near(row) else 'FAR'}"
        )
    forecast, measured = (np.array([row[name] for row in rows]) for name in ("forecast", "measured"))
    beaten = [row for row in rows if row["measured"] - 2 * np.nan_to_num(row["error"]) > row["ceiling"]]
    unworthy = [row for row in rows if _standing(row) == "not worth it"]
    wrong = [row for row in unworthy if significant(row) and row["measured"] > WORTH]
    hopeless = [row for row in rows if row["ceiling"] < WORTH]
    wrong_public = [row for row in hopeless if significant(row) and row["measured"] > WORTH]
    print(f"{len(rows)} settings, {len(records)} runs")
    print(f"rank correlation {spearmanr(forecast, measured).statistic:.3f} (wanted: at least 0.8)")
    print(f"within 0.5 points or 30 %: {100 * np.mean([near(row) for row in rows]):.0f} % (wanted: at least 80 %)")
    print(f"ceiling beaten by a significant lift: {len(beaten)} of {len(rows)} (wanted: at most 5 %)")
    print(f"'not worth it' said {len(unworthy)} times with a panel, contradicted {len(wrong)} times (wanted: 0)")
    print(
        f"'not worth it' said {len(hopeless)} times by public data, contradicted {len(wrong_public)} times (wanted: 0)"
    )
    pairs = np.array([(each["forecast"], each["measured"]) for each in records])
    print(
        f"run by run: rank correlation {spearmanr(pairs[:, 0], pairs[:, 1]).statistic:.3f}, near "
        f"{100 * np.mean([near(each) for each in records]):.0f} %, above the ceiling "
        f"{sum(each['measured'] > each['ceiling'] for each in records)} of {len(records)}"
    )
    if output is not None:
        draw(rows, output)


def _standing(row):
    return standing_of(row["forecast"], row["low"], row["high"], WORTH)


def draw(rows, output):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 6.2), layout="constrained")
    worlds = sorted({row["setting"][0] for row in rows})
    colours = plt.get_cmap("tab20")
    for number, name in enumerate(worlds):
        own = [row for row in rows if row["setting"][0] == name]
        x, y = ([_place(row[what]) for row in own] for what in ("forecast", "measured"))
        errors = [
            [_place(row["measured"]) - _place(row["measured"] - 2 * np.nan_to_num(row["error"])) for row in own],
            [_place(row["measured"] + 2 * np.nan_to_num(row["error"])) - _place(row["measured"]) for row in own],
        ]
        marker = "os^D"[number % 4]
        axes.errorbar(x, y, yerr=errors, fmt=marker, color=colours(number % 20), label=name, capsize=2, linewidth=1)
    line = np.linspace(0, 25, 400)
    axes.plot(_place(line), _place(line), color="#26323a", linewidth=1)
    width = np.maximum(0.5, 0.3 * line)
    axes.fill_between(_place(line), _place(line - width), _place(line + width), color="#0f766e", alpha=0.12)
    ticks = [0, 0.5, 1, 2, 5, 10, 20]
    axes.set_xticks(_place(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_yticks(_place(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("forecast lift with a panel of 500, points (square-root scale)")
    axes.set_ylabel("measured lift ± 2 standard errors, points")
    axes.legend(fontsize=8, loc="upper left")
    axes.set_title("Forecast of privge plan against measured lift; shaded: within 0.5 points or 30 %", fontsize=10)
    figure.savefig(output, dpi=120, metadata={"Date": None} if output.suffix == ".svg" else None)


def _place(points):
    """Return the place of a lift on the axes."""
    values = np.asarray(points, dtype=float)
    return np.sign(values) * np.sqrt(np.abs(values))
