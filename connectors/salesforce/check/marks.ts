/** Finds picklist values that are missing from the settings, and the contacts that are held because of such a value. */
import type { ContactsSettings, Finding } from '../../contract.ts';
import { MARK_LISTS, markColumns } from '../../marks/mark-values.ts';
import { unknownMarks } from '../../marks/unknown-marks.ts';
import type { DescribedField } from '../describe.ts';
import { PICKLIST_TYPES, readListed } from '../marks.ts';
import { createColumnReader, queryAtOnce, quotedList, whereClause } from '../query.ts';
import type { SalesforceSession } from '../session.ts';

/** Counts the values in each field whose marks are listed in the settings. The function needs one query per field. */
export async function checkMarks(
  session: SalesforceSession,
  contacts: ContactsSettings,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { kind, column } of markColumns(contacts)) {
    const field = session.description.fields.get(column);
    const marked = contacts[MARK_LISTS[kind]];
    const unmarked = contacts.unmarkedValues?.[kind];
    if (field === undefined || marked == null || unmarked === undefined) continue;
    const meaning = readListed(field, kind, marked, unmarked);
    const isUnknown = ([value]: readonly [string, unknown]) => meaning(value) === 'unknown';
    const values = (await countValues(session, field)).filter(isUnknown);
    findings.push(...unknownMarks({ kind, field: column, values, ok: true }));
  }
  return findings;
}

/** Counts values in contacts. If Salesforce takes too long, returns the values without counts. */
async function countValues(
  session: SalesforceSession,
  field: DescribedField,
): Promise<(readonly [string, number | null])[]> {
  const options = (field.picklistValues ?? []).map(({ value }) => value);
  // A SOQL query cannot group by a multi-select picklist.
  if (field.type === 'multipicklist') return countPicked(session, field.name, options);
  const soql = `SELECT ${field.name}, COUNT(Id) total FROM Contact${where(session, `${field.name} != null`)} GROUP BY ${field.name} ORDER BY COUNT(Id) DESC LIMIT ${MOST_VALUES}`;
  const rows = await queryAtOnce(session.api, soql);
  if (rows === null) return PICKLIST_TYPES.has(field.type) ? options.map(uncounted) : [];
  return rows.map((row) => {
    const read = createColumnReader(row);
    return [String(read(field.name)), Number(read('total'))];
  });
}

/** The maximum number of groups that Salesforce returns. */
const MOST_VALUES = 2_000;

/** Returns the options that occur in at least one contact. */
async function countPicked(
  session: SalesforceSession,
  name: string,
  options: readonly string[],
): Promise<(readonly [string, number | null])[]> {
  if (options.length === 0) return [];
  const soql = `SELECT ${name} FROM Contact${where(session, `${name} INCLUDES (${quotedList(options)})`)} LIMIT ${MOST_VALUES}`;
  const rows = await queryAtOnce(session.api, soql);
  if (rows === null) return options.map(uncounted);
  const counts = new Map<string, number>();
  const picked = rows.flatMap((row) => String(createColumnReader(row)(name)).split(';'));
  for (const value of picked) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

function uncounted(value: string): readonly [string, null] {
  return [value, null];
}

function where({ filter }: SalesforceSession, condition: string): string {
  return whereClause([condition, filter]);
}
