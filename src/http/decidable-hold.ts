import {
  type AnyHold,
  type DecisionWord,
  decisionsFor,
  findHold,
  type HoldStore,
} from '../views/hold.ts';
import { HttpError } from './request/http-error.ts';

/**
 * The hold with this id, for a decision about it. Throws an HttpError: 404 if there is none, 409 if
 * the decision makes no sense for it.
 */
export async function findDecidableHold(
  store: HoldStore,
  id: string,
  word: DecisionWord,
): Promise<AnyHold> {
  const hold = await findHold(store, id);
  if (hold === null) throw new HttpError(404, 'hold_unknown', `There is no hold "${id}".`);
  if (decisionsFor(hold).includes(word)) return hold;
  throw hold.row.kind === 'lost_answer' ? withoutProfile() : notDecidable(hold);
}

/** Approving writes the profile that is there; after a lost answer there is none. */
function withoutProfile(): HttpError {
  return new HttpError(
    409,
    'hold_without_profile',
    'The answer was lost, so there is no profile to approve. Resubmit the contact or reject it.',
  );
}

function notDecidable(hold: AnyHold): HttpError {
  const words = decisionsFor(hold).join(', ');
  const message = `This hold cannot be decided like that; it takes: ${words}.`;
  return new HttpError(409, 'hold_not_decidable', message);
}
