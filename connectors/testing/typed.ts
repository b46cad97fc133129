/** The fields of a harness with their types, and values for them. */
import type { CrmField, CrmFieldType, FieldValue } from '../../src/core/crm-field.ts';
import { writeUntilEnd } from './faults.ts';
import { getValues } from './readings.ts';
import type { ConnectorTest } from './suite.ts';

/** The connector's description of a field that the harness has named. */
export interface TypedField extends CrmField {
  value: FieldValue;
}

/** Returns the open connector's descriptions of the harness's typed fields. */
export async function describeTyped({ crm, connector }: ConnectorTest): Promise<TypedField[]> {
  const described = await connector.describeFields();
  return (crm.typedFields ?? []).flatMap(({ name, value }) => {
    const field = described.find((each) => each.name === name);
    return field === undefined ? [] : [{ ...field, value }];
  });
}

export async function listTyped(
  t: ConnectorTest,
  ...types: readonly CrmFieldType[]
): Promise<TypedField[]> {
  return (await describeTyped(t)).filter(({ type }) => types.includes(type));
}

/** A written value as the connector reads it and as users see it, together with the result of the write. */
export interface Held {
  sent: FieldValue;
  /** True if the connector reported that the value was written. */
  isAcknowledged: boolean;
  /** The value that the connector reads. */
  read: FieldValue | undefined;
  /** The value that the harness sees in the CRM. */
  seen: string | null;
}

/** Writes each value into a separate contact, and returns the results in the order of the values. */
export async function writeEach(
  { connector, crm }: ConnectorTest,
  ids: readonly string[],
  field: string,
  values: readonly FieldValue[],
): Promise<Held[]> {
  const changes = values.map((value, at) => ({ id: ids[at] ?? '', values: { [field]: value } }));
  const { results } = await writeUntilEnd(connector, changes);
  const lookups = await connector.readByIds(ids.slice(0, values.length), [field]);
  const held: Held[] = [];
  for (const [at, sent] of values.entries()) {
    const id = ids[at] ?? '';
    const isAcknowledged = results.some(
      (result) => result.id === id && result.status === 'written',
    );
    const read = getValues(lookups[at])?.[field];
    held.push({ sent, isAcknowledged, read, seen: await crm.seenValue(id, field) });
  }
  return held;
}

/** Returns true if the harness shows this day in any date format. */
export function isSameDay(seen: string, date: string): boolean {
  if (/^-?\d{7,}$/.test(seen)) return new Date(Number(seen)).toISOString().startsWith(date);
  const found = (seen.match(/\d+/g) ?? []).slice(0, 3).map(Number);
  const wanted = date.split('-').map(Number);
  const isNamedMonth = /[a-z]{3}/i.test(seen.replace(/T\d/, ''));
  const expected = isNamedMonth ? wanted.filter((_, at) => at !== 1) : wanted;
  const shown = isNamedMonth ? found.slice(0, 2) : found;
  return String(shown.sort(byNumber)) === String(expected.sort(byNumber));
}

function byNumber(a: number, b: number): number {
  return a - b;
}

/**
 * Returns the instant (epoch ms) of a string that a harness shows. Returns null if the string contains no time zone.
 */
export function instantOf(seen: string): number | null {
  if (/^-?\d+$/.test(seen)) return Number(seen);
  const hasZone = /(Z|UTC|GMT|[+-]\d\d:?\d\d)$/i.test(seen.trim());
  const ms = Date.parse(seen);
  return hasZone && Number.isFinite(ms) ? ms : null;
}
