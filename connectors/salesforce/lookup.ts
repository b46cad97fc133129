import type { Contact } from '../../src/core/contact.ts';
import type { FieldValues } from '../../src/core/crm-field.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { RecordLookup } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { type DescribedField, describeObject } from './describe.ts';
import { contactId } from './ids.ts';
import {
  type ColumnReader,
  createColumnReader,
  queryInHalves,
  queryPath,
  queryRecords,
  quotedList,
  whereClause,
} from './query.ts';
import { getMasterId, isDeleted } from './reading/removed.ts';
import { withRelations } from './relations.ts';
import type { SalesforceSession } from './session.ts';
import { canonicalValue } from './values.ts';

/**
 * The maximum number of characters in a request's address. Salesforce accepts 16,384 characters for the address and the
 * headers together.
 */
const MAX_PATH_LENGTH = 12_000;

/** Reads contacts by ID. If the list of IDs is too long for one request, splits the list in half. */
export async function readByIds(
  session: SalesforceSession,
  ids: readonly string[],
  fieldNames: readonly string[],
): Promise<RecordLookup[]> {
  if (ids.length === 0) return [];
  throwIfStopped(session.signal);
  const fields = await findFields(session, fieldNames);
  if (fields.length > 0) session.lookups.note(session.api.serverTimeMs());
  const canonicalIds = new Map(ids.map((id) => [id, contactId(id)]));
  const wanted = [...new Set(canonicalIds.values())].filter((id) => id !== null);
  const names = fields.map(({ name }) => name);
  const columns = new Set([...session.shape.columns, 'IsDeleted', 'MasterRecordId', ...names]);
  const records = await findRecords(session, wanted, [...columns]);
  const contacts = await readContacts(session, records);
  return ids.map((id) => {
    const canonicalId = canonicalIds.get(id) ?? '';
    return toLookup(id, records.get(canonicalId), contacts.get(canonicalId), fields);
  });
}

/**
 * Finds the fields in the description. If a field is unknown, the function requests the description again, because the
 * field may be new.
 */
export async function findFields(
  session: SalesforceSession,
  names: readonly string[],
): Promise<DescribedField[]> {
  if (names.some((name) => !session.description.fields.has(name))) {
    session.description = await describeObject(session.api, 'Contact');
  }
  return names.map((name) => {
    const field = session.description.fields.get(name);
    if (field !== undefined) return field;
    throw new ConfigurationError(
      `Contact no longer has the field ${name}, or the field is now hidden from the integration's user.`,
      { code: 'crm_field_missing', details: { field: name } },
    );
  });
}

/**
 * Returns the contacts that were merged into this contact. Salesforce knows the merged contacts only while they are in
 * the recycle bin.
 */
export async function findMerged(
  session: Pick<SalesforceSession, 'api'>,
  id: string,
): Promise<readonly string[]> {
  const master = contactId(id);
  if (master === null) return [];
  const where = whereClause(['IsDeleted = true', `MasterRecordId IN ${quotedList([master])}`]);
  const records = await queryRecords(session.api, `SELECT Id FROM Contact${where}`, 'queryAll');
  return records.map((record) => String(record['Id']));
}

/** Returns the contacts with these IDs that currently match the filter. */
export async function findIncluded(
  session: SalesforceSession,
  ids: readonly string[],
): Promise<Set<string>> {
  const wanted = ids.flatMap((id) => contactId(id) ?? []);
  // The condition excludes deleted and merged contacts, because `queryAll` returns them too.
  const conditions = ['IsDeleted = false', session.filter].filter((each) => each !== null);
  const found = await findRecords(session, wanted, ['Id'], conditions.join(' AND '));
  return new Set(ids.filter((id) => found.has(contactId(id) ?? '')));
}

/**
 * Returns these columns of the contacts with these IDs, including deleted contacts. The map's key is the contact's ID.
 * The result omits contacts that do not match the condition.
 */
export async function findRecords(
  session: Pick<SalesforceSession, 'api'>,
  ids: readonly string[],
  columns: readonly string[],
  condition: string | null = null,
): Promise<Map<string, ColumnReader>> {
  if (ids.length === 0) return new Map();
  const soqlFor = (some: readonly string[]) =>
    `SELECT ${columns.join(',')} FROM Contact${whereClause([`Id IN ${quotedList(some)}`, condition])}`;
  if (queryPath(soqlFor(ids), 'queryAll').length > MAX_PATH_LENGTH && ids.length > 1) {
    const middle = Math.ceil(ids.length / 2);
    const first = await findRecords(session, ids.slice(0, middle), columns, condition);
    return new Map([
      ...first,
      ...(await findRecords(session, ids.slice(middle), columns, condition)),
    ]);
  }
  const records = await queryInHalves(ids, (some) =>
    queryRecords(session.api, soqlFor(some), 'queryAll'),
  );
  return new Map(records.map((record) => [String(record['Id']), createColumnReader(record)]));
}

/** Converts the records to contacts, and omits deleted contacts. The map's key is the contact's ID. */
async function readContacts(
  session: SalesforceSession,
  records: ReadonlyMap<string, ColumnReader>,
): Promise<Map<string, Contact>> {
  const present = [...records.values()].filter((read) => !isDeleted(read));
  const contacts = await withRelations(
    session,
    present.map((read) => session.shape.toContact(read)),
  );
  return new Map(contacts.map((contact) => [contact.id, contact]));
}

/**
 * The result contains the ID as the caller requested it. The contact in the result has the canonical ID. `queryAll`
 * does not return records that have been removed from the recycle bin or that the user cannot see.
 */
function toLookup(
  id: string,
  read: ColumnReader | undefined,
  contact: Contact | undefined,
  fields: readonly DescribedField[],
): RecordLookup {
  if (read === undefined) return { state: 'missing', id };
  if (contact === undefined) return { state: 'removed', id, mergedInto: getMasterId(read) };
  const values: FieldValues = Object.fromEntries(
    fields.map((field) => [field.name, canonicalValue(read(field.name), field)]),
  );
  return { state: 'found', id, contact, values };
}
