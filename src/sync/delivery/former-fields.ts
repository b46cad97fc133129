/** Finds fields that may contain a different donor's values at the time of a delivery. All functions are pure. */

import { parseOwned } from '../../contacts/owned-values.ts';
import type { Profile } from '../../core/profile.ts';
import type { ReadyJob } from '../../credits/statements/jobs.ts';
import { fieldsOfOthers, type WrittenValues } from '../../fields/former-values.ts';
import type { IntendedValues } from '../../fields/statements/deliveries.ts';

/** Returns the fields that may contain values of a different donor than the profile's donor. */
export function formerFields(
  { contact }: ReadyJob,
  { donorId }: Profile,
  merged: readonly WrittenValues[],
  intended: readonly IntendedValues[],
): string[] {
  const { crmId, valuesDonor, ownedValues } = contact;
  const mayBeOther = valuesDonor !== null && valuesDonor !== donorId;
  if (!mayBeOther && merged.length === 0 && intended.length === 0) return [];
  const own = { crmId, owned: parseOwned(ownedValues), donor: valuesDonor };
  const begun = intended.map(({ owned, donor }) => ({
    crmId,
    owned,
    donor: donor ?? valuesDonor,
  }));
  return fieldsOfOthers([own, ...begun, ...merged], donorId);
}
