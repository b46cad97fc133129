import type { ObjectDescription } from './describe.ts';

/** The Nonprofit Success Pack's lookup field for the employer. */
export const PRIMARY_AFFILIATION = 'npsp__Primary_Affiliation__c';

/** Prefixes of the pack's fields and objects. */
const OF_THE_PACK = /^(npsp|npe01|npo02|npe03|npe4|npe5)__/;

/**
 * True if the org has the Nonprofit Success Pack. Its fields are hidden from an integration user until access is
 * granted. Objects that refer to Contact are therefore also checked. The org must not look different when a permission
 * changes.
 */
export function hasSuccessPack({ fields, childObjects }: ObjectDescription): boolean {
  const isOfThePack = (name: string) => OF_THE_PACK.test(name);
  return [...fields.keys(), ...childObjects.keys()].some(isOfThePack);
}
