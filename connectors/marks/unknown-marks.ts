/** Creates findings about values whose meaning is not defined. */
import type { Finding } from '../contract.ts';
import { MARK_LISTS, type MarkKind } from './mark-values.ts';

/** The number of values that a message lists for a field, and the number of characters that it shows of each value. */
const VALUES_NAMED = 10;
const VALUE_LENGTH = 40;

export interface UnknownMarks {
  kind: MarkKind;
  field: string;
  /** The values with their number of contacts, or null if the contacts were not counted. */
  values: readonly (readonly [value: string, contacts: number | null])[];
  ok: boolean;
}

/**
 * Returns the finding about a field with undefined values. The most frequent value comes first. Returns an empty list
 * if the field has no undefined values.
 */
export function unknownMarks({ kind, field, values, ok }: UnknownMarks): Finding[] {
  if (values.length === 0) return [];
  const named = values
    .toSorted(([, a], [, b]) => (b ?? 0) - (a ?? 0))
    .slice(0, VALUES_NAMED)
    .map(
      ([value, count]) => `"${value.slice(0, VALUE_LENGTH)}"${count === null ? '' : ` (${count})`}`,
    );
  const others = values.length > named.length ? ` and ${values.length - named.length} others` : '';
  const message = `contacts wait because "${field}" has values that the settings do not list: ${named.join(', ')}${others}`;
  return [
    {
      subject: 'unknown marks',
      ok,
      message,
      fix: `Add each value to contacts.${MARK_LISTS[kind]} if it means that the contact must be excluded, and to contacts.unmarkedValues.${kind} if it does not.`,
      report: `${values.length} values of a mark are unknown`,
    },
  ];
}
