/**
 * Finds the stored data about a contact that is about to be erased: its traces, the values that donor-sync wrote, and
 * similar contacts.
 */
import { sql } from 'kysely';
import { parseOwned } from '../../contacts/owned-values.ts';
import type { Reader } from '../../database/reader.ts';
import type { Store } from '../../database/store.ts';
import {
  mayBeSamePerson,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import { CONTACT_PLACES, idsIn } from './contact-places.ts';
import { leftContact } from './left-values.ts';

/** An integration, and a contact's ID in this integration. */
export interface KnownContact {
  integration: string;
  crmId: string;
}

/**
 * True if any table contains a contact with one of these forms of ID. If `asked` is true, also returns true for an
 * erasure request that a second user has not confirmed yet.
 */
export async function hasTracesOfContact(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
  { asked = true }: { asked?: boolean } = {},
): Promise<boolean> {
  for (const place of CONTACT_PLACES) {
    if (place.table === 'answers' && !asked) continue;
    const { rows } = await sql`
      select 1 as found from (${idsIn(place, integrationId)}) as held
      where id in (${sql.join(crmIds)}) limit 1`.execute(reader);
    if (rows.length > 0) return true;
  }
  return false;
}

/**
 * Returns the fingerprints of all values that donor-sync wrote or intended to write into a contact, by field. A write
 * without a recorded result may have reached the CRM.
 */
export async function findOurValues(
  { reader, fingerprint }: Pick<Store, 'reader' | 'fingerprint'>,
  integrationIds: readonly string[],
  crmIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const contacts = await reader
    .selectFrom('contacts')
    .select('owned_values')
    .where('integration_id', 'in', integrationIds)
    .where('crm_id', 'in', crmIds)
    .execute();
  const left = crmIds.map((id) => leftContact(fingerprint, id));
  const writes = await reader
    .selectFrom('writes')
    .select(['after', 'owned_before'])
    .where('integration_id', 'in', integrationIds)
    .where('crm_id', 'in', [...crmIds, ...left])
    .execute();
  const found = new Map<string, Set<string>>();
  for (const json of [
    ...contacts.map((row) => row.owned_values),
    ...writes.flatMap((row) => [row.after, row.owned_before]),
  ]) {
    for (const [field, fingerprintOfValue] of Object.entries(parseOwned(json))) {
      const fingerprints = found.get(field) ?? new Set<string>();
      for (const one of fingerprintOfValue.split(' ')) fingerprints.add(one);
      found.set(field, fingerprints);
    }
  }
  return found;
}

/** Returns stored contacts that may be this person. If the integration is null, searches in all integrations. */
export async function findContactsAlike(
  { reader, fingerprint }: Pick<Store, 'reader' | 'fingerprint'>,
  person: PersonFingerprints,
  integrationIds: readonly string[] | null,
): Promise<KnownContact[]> {
  const rows = await reader
    .selectFrom('contacts')
    .select(['integration_id', 'crm_id', 'identity'])
    .where('identity', 'like', `2:%:${person.name}:%`)
    .$if(integrationIds !== null, (query) =>
      query.where('integration_id', 'in', [...(integrationIds ?? [])]),
    )
    .orderBy('integration_id')
    .orderBy('crm_id')
    .execute();
  return rows.flatMap(({ integration_id: integration, crm_id: crmId, identity }) => {
    const other = storedPersonFingerprints(fingerprint, identity);
    return other !== null && mayBeSamePerson(person, other) ? [{ integration, crmId }] : [];
  });
}
