/** Finds picklist values that are missing from the settings, and the contacts that are held because of such a value. */
import { z } from 'zod';
import type { ContactsSettings, Finding } from '../../contract.ts';
import { markColumns } from '../../marks/mark-values.ts';
import { unknownMarks } from '../../marks/unknown-marks.ts';
import { readAs } from '../errors.ts';
import { listUnknown, readMeanings } from '../marks.ts';
import { SEARCH_PAGE_SIZE } from '../reading/spans.ts';
import { recordPageSchema } from '../record.ts';
import type { HubspotSession } from '../session.ts';

/**
 * Counts the values that the settings do not define, in the first contacts that have such values. Sends one search to
 * HubSpot for each property.
 */
export async function checkMarks(
  session: HubspotSession,
  contacts: ContactsSettings,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { kind, column } of markColumns(contacts)) {
    const property = session.properties.get(column);
    const meanings = property && readMeanings(property, contacts, kind);
    if (property === undefined || meanings == null) continue;
    const counts = new Map<string, number>();
    for (const record of await findWithValue(session, column, meanings.known)) {
      for (const value of listUnknown(record, property, meanings)) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    findings.push(...unknownMarks({ kind, field: column, values: [...counts], ok: true }));
  }
  return findings;
}

const pageSchema = recordPageSchema.extend({ total: z.number() });

/** Returns contacts whose value of this property is not one of the known values. */
async function findWithValue(
  { api, filter }: HubspotSession,
  propertyName: string,
  known: readonly string[],
) {
  const own = [
    { propertyName, operator: 'HAS_PROPERTY' },
    ...(known.length === 0 ? [] : [{ propertyName, operator: 'NOT_IN', values: known }]),
  ];
  const reply = await api.searchContacts({
    filterGroups:
      filter.length === 0
        ? [{ filters: own }]
        : filter.map((filters) => ({ filters: [...own, ...filters] })),
    sorts: ['hs_object_id'],
    properties: [propertyName],
    limit: SEARCH_PAGE_SIZE,
    after: '0',
  });
  return readAs(pageSchema, reply).results;
}
