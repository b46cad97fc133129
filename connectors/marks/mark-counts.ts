/** A user must then confirm the mark. All functions are pure. */
import { describeCount } from '../../src/core/quantities.ts';
import type { MarkCount } from '../contract.ts';
import { A_DATE } from './mark-values.ts';

/** In shorter lists, half is only a few contacts. */
const FEWEST_CONTACTS = 20;

/** True if a mark excludes more than half of the contacts. The column or its values are often wrong in that case. */
export function leavesOutMost({ contacts, marked }: MarkCount): boolean {
  return contacts >= FEWEST_CONTACTS && marked * 2 > contacts;
}

/** The number of values that are listed, and the number of characters shown for each. */
const VALUES_NAMED = 5;
const VALUE_LENGTH = 40;

/** Describes how many contacts a mark excludes, and by which values. */
export function markText({ field, contacts, marked, values }: MarkCount): string {
  const sorted = [...values].toSorted(([, a], [, b]) => b - a);
  const named = sorted.slice(0, VALUES_NAMED).map(([value, count]) => {
    const name = value === A_DATE ? 'a date' : `"${value.slice(0, VALUE_LENGTH)}"`;
    return `${name}: ${count}`;
  });
  const others = sorted.length > named.length ? ', …' : '';
  return `"${field}" excludes ${marked} of ${describeCount(contacts, 'contact')} (${named.join(', ')}${others})`;
}
