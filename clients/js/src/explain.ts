/** What a campaign means for a person: odds before and after, and what a report looks like for two values. */
import type { Campaign } from './campaign.ts';
import type { Node } from './indices.ts';

/** A guess before, and between what it lies after seeing the whole report. */
export interface Odds {
  readonly before: number;
  readonly least: number;
  readonly most: number;
}

export interface Explanation {
  readonly epsilon: number;
  /** How sure somebody can become who thought it was 50:50, such as "73.1 %". */
  readonly sure: string;
  readonly odds: readonly Odds[];
  /** What the features or questions that this node answers are called. */
  readonly asked: readonly string[];
}

const PRIORS = [0.01, 0.1, 0.5, 0.9];

/** Return how sure an observer can become who was undecided, in as many digits as the doubt needs. */
export function certainty(epsilon: number): string {
  const doubt = 1 / (1 + Math.exp(Math.min(epsilon, 700)));
  if (doubt < 1e-6) return 'more than 99.9999 %';
  return `${(100 * (1 - doubt)).toFixed(Math.max(1, Math.ceil(-Math.log10(doubt)) - 1))} %`;
}

/** Return the range of a guess after a report: its odds change by a factor of at most e^epsilon, either way. */
export function odds(before: number, epsilon: number): Odds {
  const factor = Math.exp(Math.min(epsilon, 700));
  return {
    before,
    least: before / (before + (1 - before) * factor),
    most: (before * factor) / (before * factor + 1 - before),
  };
}

/** Explain a campaign: to everybody, or to one person. Nothing private is needed. */
export function explain(campaign: Campaign, node?: Node): Explanation {
  const { epsilon } = campaign;
  return {
    epsilon,
    sure: certainty(epsilon),
    odds: PRIORS.map((before) => odds(before, epsilon)),
    asked: node === undefined ? [] : campaign.indicesOf(node).map((index) => campaign.titleOf(index)),
  };
}
