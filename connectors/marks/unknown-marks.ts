/** All functions are pure. */
import type { Finding } from '../contract.ts';
import { MARK_LISTS, type MarkKind } from './mark-values.ts';

/** The number of values that are listed for a field, and the number of characters shown for each. */
const VALUES_NAMED = 10;
const VALUE_LENGTH = 40;

export interface UnknownMarks {
  kind: MarkKind;
  field: string;
  /** Each value with its number of contacts, or null if they were not counted. */
  values: readonly (readonly [value: string, contacts: number | null])[];
  ok: boolean;
}

/**
 * Returns the finding for a field with such values, the most frequent value first. Returns an empty list for a field
 * without them.
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
