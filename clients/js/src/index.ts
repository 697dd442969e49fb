/** Private reports from browsers and phones. See README.md; the protocol is spec/protocol.md of the repository. */
export { Campaign } from './campaign.ts';
export {
  contribute,
  erase,
  fetchCampaign,
  fetchShard,
  ledger,
  stored,
  type AboutOptions,
  type Contact,
  type ContributeOptions,
  type Contribution,
  type GivenFeatures,
  type Holding,
  type Keeping,
  type Ledger,
} from './contribute.ts';
export type { NearestLaw } from './directions.ts';
export { PrivgeError, type ErrorCode } from './errors.ts';
export { certainty, explain, odds, type Explanation, type Odds } from './explain.ts';
export type { Column } from './features.ts';
export type { Node } from './indices.ts';
export type { Law } from './laws.ts';
export { DEFAULT_CAPS, type Caps } from './ledger.ts';
export { answersOf, perturb, perturbWith, type Person, type PrivateAnswer, type Report } from './perturb.ts';
export type { Answer, Personal, Question } from './questions.ts';
export { indexedDBStore, type KeyValue, type Store } from './store.ts';
export { nodeOf } from './token.ts';
export type { Features } from './values.ts';
export type { Patience } from './web.ts';
