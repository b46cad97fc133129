/** Counts contacts with the same name. The database has no names, so the fingerprints of the names are compared. */
import type { Reader } from '../database/reader.ts';
import { parseIdentityText } from '../identity/identity-text.ts';
import type { ContactRecord } from './contacts.ts';

/** The maximum number of contacts that are counted. A user needs no larger number. */
const MOST_COUNTED = 100;

/** Returns the number of other contacts in the CRM that have the same name, at most `MOST_COUNTED`. */
export async function countNamesakes(
  reader: Reader,
  { integrationId, crmId, identity }: Pick<ContactRecord, 'integrationId' | 'crmId' | 'identity'>,
): Promise<number> {
  const name = parseIdentityText(identity)?.name;
  if (name === undefined) return 0;
  const rows = await reader
    .selectFrom('contacts')
    .select('identity')
    .where('integration_id', '=', integrationId)
    .where('crm_id', '<>', crmId)
    .where('state', '<>', 'removed')
    // A fingerprint can contain an underscore, which means any character here.
    .where('identity', 'like', `%:${name}:%`)
    .limit(MOST_COUNTED)
    .execute();
  return rows.filter((row) => parseIdentityText(row.identity)?.name === name).length;
}
