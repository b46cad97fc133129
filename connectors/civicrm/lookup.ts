/** Reads contacts by their IDs, together with the values of fields. */
import type { FieldValues } from '../../src/core/crm-field.ts';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { RecordLookup } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import type { Row } from './api.ts';
import { canonicalId, contactFields, PEOPLE, toContact } from './contact.ts';
import { findWinner } from './merges.ts';
import type { CivicrmSession } from './session.ts';
import { fromApi } from './values.ts';

export async function readByIds(
  session: CivicrmSession,
  ids: readonly string[],
  names: readonly string[],
): Promise<RecordLookup[]> {
  const { api, signal, contacts, fields } = session;
  throwIfStopped(signal);
  const numbers = ids.flatMap((id) => canonicalId(id) ?? []).map(Number);
  if (numbers.length === 0) return ids.map((id) => ({ state: 'missing', id }));
  const { values } = await api.get('Contact', {
    select: [...new Set([...contactFields(contacts), 'is_deleted', ...names])],
    // Without a condition on `is_deleted`, only some versions of CiviCRM return contacts in the trash.
    where: [['id', 'IN', numbers], ['is_deleted', 'IN', [true, false]], PEOPLE],
  });
  const rows = new Map(values.map((row) => [String(row['id']), row]));
  const lookups: RecordLookup[] = [];
  for (const id of ids) lookups.push(await toLookup(id));
  return lookups;

  async function toLookup(id: string): Promise<RecordLookup> {
    const row = rows.get(canonicalId(id) ?? '');
    if (row === undefined) return { state: 'missing', id };
    if (row['is_deleted'] === true) {
      const mergedInto = await findWinner({ api }, String(row['id']));
      return { state: 'removed', id, mergedInto };
    }
    const contact = toContact(row, contacts, fields);
    return { state: 'found', id, contact, values: toValues(session, row, names) };
  }
}

/**
 * Throws a ConfigurationError if the row does not contain a field. An unknown value must not look like a blank value.
 */
function toValues(
  { fields }: Pick<CivicrmSession, 'fields'>,
  row: Row,
  names: readonly string[],
): FieldValues {
  return Object.fromEntries(
    names.map((name) => {
      const field = fields.get(name);
      if (field === undefined || !(name in row)) throw hidden(name);
      return [name, fromApi(field, row[name])];
    }),
  );
}

function hidden(name: string): ConfigurationError {
  return new ConfigurationError(
    `CiviCRM does not show the field ${name}: create it with \`donor-sync fields create\`, or give the integration's user access to its custom group.`,
    { code: 'crm_field_missing', details: { field: name } },
  );
}
