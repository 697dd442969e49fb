"""A small collection from end to end: what a person has, what they send, what the curator learns.

Run it with ``make demo``. Every device draws from the operating system, so the numbers change a little from
run to run; the printed interval says by how much.
"""

import math

import numpy as np

from privge import Campaign
from privge.cli.progress import progress_bar

PEOPLE = 50_000
TOPICS = ["music", "football", "cooking", "chess", "gardening", "politics"]
INTEREST = np.array([0.80, 0.55, 0.40, 0.10, 0.25, 0.30])  # average interest, unknown to the curator


def main():
    generator = np.random.default_rng(2024)  # for the made-up people only; their noise has no seed
    features = generator.beta(4 * INTEREST, 4 * (1 - INTEREST), size=(PEOPLE, len(TOPICS)))
    campaign = Campaign(
        dimensions=len(TOPICS),
        names=TOPICS,
        low=0,
        high=1,
        mechanism="hds",
        epsilon=1.0,
        k=2,
        purpose="Which topics interest our readers?",
    )

    print(f"Campaign {campaign.id[:12]}: {campaign.purpose}")
    print(
        f"  {campaign.k} of {campaign.dimensions} topics a person; epsilon {campaign.epsilon:g} in all, "
        f"of which the integer law spends {campaign.sampled.realised_epsilon:.13f}\n"
    )

    alice = features[0]
    report = campaign.report(alice, node="alice")
    sent = campaign.sampled.law.decode(np.array(report.codes, dtype=np.uint16))
    print("One person, on their own device (0 = no interest, 1 = all of it):")
    print("  topic       has    sends")
    shown = dict(zip(campaign.indices_of("alice"), sent, strict=True))
    for topic, (name, value) in enumerate(zip(TOPICS, alice, strict=True)):
        answer = f"{(shown[topic] + 1) / 2:+.2f}" if topic in shown else "  -   (not asked)"
        print(f"  {name:10} {value:.2f}   {answer}")
    print(
        f"  No report is more than {math.exp(campaign.epsilon):.2f} times likelier than if alice had other interests.\n"
    )

    with progress_bar(f"{PEOPLE:,} devices report") as progress:
        reports = campaign.simulate(features, progress=progress)
    estimates = reports.decode("unbiased").mean(axis=0)
    # The variance is on the scale from -1 to 1, twice as long as the one from 0 to 1 that is printed.
    # 2.64 deviations on either side hold all six estimates at once in 95 of 100 runs.
    interval = 2.64 * math.sqrt(campaign.sampled.worst_case_variance("unbiased") / PEOPLE) / 2
    print(f"What the curator learns from {PEOPLE:,} noisy reports (each within {interval:.2f}, in 95 of 100 runs):")
    print("  topic      truth   estimate")
    for name, truth, estimate in zip(TOPICS, features.mean(axis=0), (estimates + 1) / 2, strict=True):
        bar = "█" * round(30 * min(max(estimate, 0), 1))
        print(f"  {name:10} {truth:.2f}    {estimate:.2f}  {bar}")
    print("\nNext: look at the law itself,  .venv/bin/privge law --epsilon 1 --k 2")


if __name__ == "__main__":
    main()
