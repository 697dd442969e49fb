"""How far do liars move an embedding, beside what honest noise moves it?

3,000 people of a made-up network report once. Then, with the same people, features and noise,

* some of them lie in concert: they send the code that stands for the largest value (*crude*), or draw anew from the law
  for the largest value, as an honest device would (*imitating*);
* or nobody lies, and all noise is drawn again.

The shift is the Frobenius norm of the difference of the two embeddings; what is printed is the shift by liars over the
shift by redrawing all noise, so 1 means that the liars do as much as everybody's noise. Liars are random people. Every
mechanism has the same people, liars and seeds (paired); each row is the mean of the repeats and their standard
deviation. *seen* is the share of the liars that `privge store verify` counts: for crude liars, and for imitating ones.
The last column is what clipping costs honest people: the root mean square error of one report with it over that
without, over all inputs.
"""

import argparse

import numpy as np

import privge as pg
from privge.collect.plausibility import least_false
from privge.datasets import social_network
from privge.mechanisms import Clipped, Sampled

PEOPLE = 3_000
CASES = [("hds", None), ("piecewise", None), ("multibit", None), ("laplace", None), ("laplace", 4.0), ("laplace", 2.0)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--epsilon", type=float, default=1.0)
    options.add_argument("--k", type=int, default=1)
    options.add_argument("--liars", type=int, nargs="+", default=[30, 100, 300])
    options.add_argument("--repeats", type=int, default=10)
    options.add_argument("--hubs", action="store_true", help="The best connected people lie, not random ones.")
    given = options.parse_args()
    print(f"{PEOPLE:,} people, epsilon {given.epsilon:g}, k {given.k}, {given.repeats} repeats, hubs {given.hubs}")
    print("law        clip  liars   crude          imitating     seen crude  seen imitating  error")
    for mechanism, clip in CASES:
        campaigns = [campaign_of(mechanism, given.epsilon, given.k, repeat) for repeat in range(given.repeats)]
        measured = [
            measure(campaign, clip, given.liars, repeat, hubs=given.hubs) for repeat, campaign in enumerate(campaigns)
        ]
        means, spreads = np.mean(measured, axis=0), np.std(measured, axis=0, ddof=1)
        for liars, mean, spread in zip(given.liars, means, spreads, strict=True):
            print(
                f"{mechanism:9}  {clip or '-':>4}  {liars:5}   {mean[0]:5.2f} ± {spread[0]:4.2f}   {mean[1]:5.2f} ± "
                f"{spread[1]:4.2f}  {mean[2]:9.0%}  {mean[3]:13.0%}  {cost(campaigns[0], clip):6.2f}",
                flush=True,
            )


def campaign_of(mechanism, epsilon, k, repeat):
    """Another purpose draws other indices."""
    return pg.Campaign(
        dimensions=24, low=0, high=1, mechanism=mechanism, epsilon=epsilon, k=k, purpose=f"repeat {repeat}"
    )


def measure(campaign, clip, numbers, repeat, *, hubs):
    """Return, for each number of liars, their shifts over that by noise, crude and imitating, and what is seen."""
    network = social_network(PEOPLE, seed=repeat)
    ids, law = network.graph.ids, campaign.law
    honest, redrawn = (campaign.simulate(network.features, ids=ids, seed=3 * repeat + i) for i in range(2))
    highest = campaign.simulate(np.ones_like(network.features), ids=ids, seed=3 * repeat + 2)
    order = np.random.default_rng(repeat).permutation(PEOPLE)
    if hubs:
        order = np.argsort(-network.graph.to_scipy().sum(axis=1), kind="stable")

    def embedded(codes):
        reports = pg.Reports.with_indices(campaign, honest.ids, codes, honest.indices)
        return pg.embed(network.graph, reports, clip=clip).matrix.astype(np.float64)

    start = embedded(honest.codes)
    noise = np.linalg.norm(embedded(redrawn.codes) - start)
    rows = []
    for liars in numbers:
        crude, imitating = honest.codes.copy(), honest.codes.copy()
        crude[order[:liars]] = law.outputs - 1
        imitating[order[:liars]] = highest.codes[order[:liars]]
        shifts = [np.linalg.norm(embedded(codes) - start) / noise for codes in (crude, imitating)]
        rows.append([*shifts, *(seen(law, campaign.k, codes, liars) for codes in (crude, imitating))])
    return rows


def seen(law, k, codes, liars):
    return least_false(law, k, np.bincount(codes.ravel(), minlength=law.outputs)) / liars


def cost(campaign, clip):
    """Return the root mean square error of one report with clipping over that without."""
    if clip is None:
        return 1.0
    plain, clipped = Sampled(campaign.law, 1, 1), Clipped(campaign.law, 1, 1, clip)
    return float(np.sqrt(error(clipped) / error(plain)))


def error(mechanism):
    some = mechanism.inputs[::32]
    return np.mean(mechanism.variance(some) + mechanism.bias(some) ** 2)


if __name__ == "__main__":
    main()
