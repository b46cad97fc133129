import type { FieldValues } from '../../src/core/crm-field.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { RecordLookup } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { type DescribedProperty, describeProperties, isSensitive } from './describe.ts';
import { findArchived, findRecords } from './find-records.ts';
import { canonicalId, type HubspotRecord, listMergedIds } from './record.ts';
import type { HubspotSession } from './session.ts';
import { READ_SENSITIVE, scopeMissing } from './sign-in/scopes.ts';
import { canonicalValue } from './values.ts';

/**
 * Reads the current records of these contacts in one request. If some contacts do not exist, the function sends a
 * second request.
 */
export async function readByIds(
  session: HubspotSession,
  ids: readonly string[],
  fieldNames: readonly string[],
): Promise<RecordLookup[]> {
  if (ids.length === 0) return [];
  throwIfStopped(session.signal);
  const fields = await findProperties(session, fieldNames);
  const wanted = [...session.shape.properties, ...fieldNames];
  const knownIds = ids.map((id) => canonicalId(id) ?? id);
  const found = await findRecords(session.api, 'contacts', knownIds, wanted);
  const records = [...found.values()].flatMap((one) => (one.state === 'found' ? [one.record] : []));
  requireSensitive(fields, records);
  const contacts = await session.shape.toContacts(records);
  const byId = new Map(contacts.map((contact) => [contact.id, contact]));
  const gone = [...found].flatMap(([id, one]) => (one.state === 'gone' ? id : []));
  const archived = await findArchived(session.api, 'contacts', gone);
  return ids.map((id, at) => {
    const one = found.get(knownIds[at] ?? id);
    const contact = byId.get(knownIds[at] ?? id);
    if (one?.state === 'found' && contact !== undefined) {
      const values: FieldValues = Object.fromEntries(
        fields.map((field) => [
          field.name,
          canonicalValue(one.record.properties[field.name], field),
        ]),
      );
      return { state: 'found', id, contact, values };
    }
    if (one?.state === 'merged') return { state: 'removed', id, mergedInto: one.into };
    if (!archived.has(knownIds[at] ?? id)) return { state: 'missing', id };
    return { state: 'removed', id, mergedInto: null };
  });
}

/**
 * Returns the records that were merged into this record. The result includes records that were merged into those merged
 * records earlier.
 */
export async function findMerged(
  { api }: Pick<HubspotSession, 'api'>,
  id: string,
): Promise<readonly string[]> {
  const known = canonicalId(id) ?? id;
  const one = (await findRecords(api, 'contacts', [known], [])).get(known);
  return one?.state === 'found' ? listMergedIds(one.record) : [];
}

/**
 * Throws a ConfigurationError if the token cannot see Sensitive Data. Hidden values look blank, so donor-sync would
 * overwrite existing values. HubSpot omits properties that a token cannot see but includes blank properties.
 */
function requireSensitive(
  fields: readonly DescribedProperty[],
  records: readonly HubspotRecord[],
): void {
  const isHidden = fields
    .filter(isSensitive)
    .some(({ name }) => records.some(({ properties }) => !Object.hasOwn(properties, name)));
  if (isHidden) throw scopeMissing(READ_SENSITIVE);
}

/**
 * Finds the properties in the account's description. If a property is unknown, the function requests the description
 * again, because the property may be new.
 */
async function findProperties(
  session: HubspotSession,
  names: readonly string[],
): Promise<DescribedProperty[]> {
  if (names.some((name) => !session.properties.has(name))) {
    session.properties = await describeProperties(session.api, session.settings);
  }
  return names.map((name) => {
    const property = session.properties.get(name);
    if (property !== undefined) return property;
    throw new ConfigurationError(`HubSpot no longer has the contact property ${name}.`, {
      code: 'crm_field_missing',
      details: { field: name },
    });
  });
}
