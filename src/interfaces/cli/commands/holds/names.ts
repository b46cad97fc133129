import type { Application } from '../../../../application.ts';
import { nameText } from '../../../../decisions/contact-name.ts';
import { type HoldEvidence, readHoldEvidence } from '../../../../decisions/evidence.ts';
import type { ContactQuestion } from '../../../../decisions/statements/questions.ts';
import { KINDS } from '../../../../decisions/views/kinds.ts';
import { neverAborted } from '../../action/product.ts';

/** The names behind the holds that have a profile, by hold id. What cannot be had is said in `problem`. */
export async function findNames(
  application: Application,
  holds: readonly ContactQuestion[],
): Promise<Map<string, HoldNames>> {
  const withProfile = holds.filter(({ kind }) => KINDS[kind].hasProfile);
  const evidence = await readHoldEvidence(application, withProfile, neverAborted());
  return new Map([...evidence].map(([id, one]) => [id, toNames(one)]));
}

function toNames({ contact, profile, problems }: HoldEvidence): HoldNames {
  const { first = null, middle = null, last = null } = profile?.name ?? {};
  return {
    contact: contact && nameText([contact.firstName, contact.lastName]),
    profile: profile && nameText([first, middle, last]),
    problem: problems.join('; ') || null,
  };
}

/** The names that differ, as CRM and service have them now. */
export interface HoldNames {
  contact: string | null;
  profile: string | null;
  /** Why a name is missing here. */
  problem: string | null;
}
