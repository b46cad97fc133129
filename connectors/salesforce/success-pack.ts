import type { ObjectDescription } from './describe.ts';

/** The lookup of the Nonprofit Success Pack that names a person's employer. */
export const PRIMARY_AFFILIATION = 'npsp__Primary_Affiliation__c';

/** What the pack calls its fields and objects. */
const OF_THE_PACK = /^(npsp|npe01|npo02|npe03|npe4|npe5)__/;

/**
 * True if the org has the Nonprofit Success Pack. Its fields are hidden from an integration user
 * until they are granted, so that objects which point to Contact tell of it too: an org must not
 * become another one because a permission changed.
 */
export function hasSuccessPack({ fields, childObjects }: ObjectDescription): boolean {
  const isOfThePack = (name: string) => OF_THE_PACK.test(name);
  return [...fields.keys(), ...childObjects.keys()].some(isOfThePack);
}
