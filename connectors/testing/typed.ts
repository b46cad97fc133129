/** The fields of a harness with their types, and values for them. */
import type { CrmField, CrmFieldType, FieldValue } from '../../src/core/crm-field.ts';
import { writeUntilEnd } from './faults.ts';
import { getValues } from './readings.ts';
import type { ConnectorTest } from './suite.ts';

/** A field that the harness names, as the connector describes it. */
export interface TypedField extends CrmField {
  /** The harness's own value for it. */
  value: FieldValue;
}

/** Returns the typed fields of the harness, as the open connector describes them. */
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

/** The two views of one written value, and the result of its write. */
export interface Held {
  sent: FieldValue;
  /** True if the connector says that the value is written. */
  isAcknowledged: boolean;
  /** As the connector reads it. */
  read: FieldValue | undefined;
  /** As the harness sees it in the CRM. */
  seen: string | null;
}

/** Writes each of the values into its own contact, and returns the results in their order. */
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

/** True if a text that a harness shows is this day, in whatever form the CRM's users see it. */
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

/** Returns the instant of a text that a harness shows (epoch ms), or null if it does not say its zone. */
export function instantOf(seen: string): number | null {
  if (/^-?\d+$/.test(seen)) return Number(seen);
  const hasZone = /(Z|UTC|GMT|[+-]\d\d:?\d\d)$/i.test(seen.trim());
  const ms = Date.parse(seen);
  return hasZone && Number.isFinite(ms) ? ms : null;
}
