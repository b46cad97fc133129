import type { ObjectDescription } from './describe.ts';

/** The Nonprofit Success Pack's lookup field for the employer. */
export const PRIMARY_AFFILIATION = 'npsp__Primary_Affiliation__c';

/** Matches the prefixes of the Nonprofit Success Pack's fields and objects. */
const OF_THE_PACK = /^(npsp|npe01|npo02|npe03|npe4|npe5)__/;

/**
 * Returns true if the org has the Nonprofit Success Pack. Until access is granted, the CRM user of donor-sync cannot
 * see the package's fields. The function therefore also checks the objects that refer to Contact. The result must not
 * change if a permission changes.
 */
export function hasSuccessPack({ fields, childObjects }: ObjectDescription): boolean {
  const isOfThePack = (name: string) => OF_THE_PACK.test(name);
  return [...fields.keys(), ...childObjects.keys()].some(isOfThePack);
}
