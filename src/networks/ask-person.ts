import type { NetworkQuestionKind } from '../core/question-kinds.ts';
import type { NetworkDecision } from '../decisions/statements/network-questions.ts';
import { askAboutNetwork } from '../decisions/statements/network-questions.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';

/** A question about a network: `matter` tells it from other questions of its kind. */
export interface Question {
  kind: NetworkQuestionKind;
  matter: string;
  /** More for a person, without personal data; null if the kind says it all. */
  detail: string | null;
}

/** Holds a network for a person's decision, or finds the one that was made. */
export function askPerson(
  { store, newId }: Pick<NetworkDeps, 'store' | 'newId'>,
  { lease }: Pick<NetworkRun, 'lease'>,
  network: string,
  question: Question,
): Promise<'open' | NetworkDecision> {
  return store.checkpoint(lease, (trx) =>
    askAboutNetwork(trx, { id: newId(), network, ...question }),
  );
}
