import type { NetworkQuestionKind } from '../core/questions/question-kinds.ts';
import type { NetworkDecision } from '../decisions/statements/network-questions.ts';
import { askAboutNetwork } from '../decisions/statements/network-questions.ts';
import type { NetworkDeps, NetworkRun } from './network-deps.ts';

/** A decision about a network. `matter` distinguishes it from other decisions of the same kind. */
export interface Question {
  kind: NetworkQuestionKind;
  matter: string;
  /** Details for users, without personal data. Null if the kind alone explains the decision. */
  detail: string | null;
}

/** Opens a decision about a network, or finds the existing decision. */
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
