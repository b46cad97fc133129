/** Reads the current values of contacts, before and after a write. */
import type { FieldValues } from '../../src/core/crm-field.ts';
import { canonicalId, NOT_IN_TRASH } from './contact.ts';
import type { CivicrmSession } from './session.ts';
import { fromApi } from './values.ts';

/**
 * Returns the values. The map's key is the contact's ID. The result omits contacts and fields that donor-sync's user
 * cannot see.
 */
export async function readValues(
  { api, fields }: Pick<CivicrmSession, 'api' | 'fields'>,
  ids: readonly string[],
  names: readonly string[],
): Promise<Map<string, FieldValues>> {
  const numbers = ids.flatMap((id) => canonicalId(id) ?? []).map(Number);
  if (numbers.length === 0) return new Map();
  const known = names.filter((name) => fields.has(name));
  const { values: rows } = await api.get('Contact', {
    select: ['id', ...known],
    where: [['id', 'IN', numbers], NOT_IN_TRASH],
  });
  return new Map(
    rows.map((row) => {
      const values = known.flatMap((name) => {
        const field = fields.get(name);
        return field !== undefined && name in row
          ? [[name, fromApi(field, row[name])] as const]
          : [];
      });
      return [String(row['id']), Object.fromEntries(values)];
    }),
  );
}
