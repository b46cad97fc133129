/** Finds marks that exclude so many contacts that a user must confirm them. */
import { describeCount } from '../../src/core/quantities.ts';
import type { MarkCount } from '../contract.ts';
import { A_DATE } from './mark-values.ts';

/**
 * The minimum number of contacts for this check. In a shorter list of contacts, half of them is only a few contacts.
 */
const FEWEST_CONTACTS = 20;

/**
 * Returns true if a mark excludes more than half of the contacts. If a mark excludes that many contacts, the settings
 * often name a wrong column or wrong values.
 */
export function leavesOutMost({ contacts, marked }: MarkCount): boolean {
  return contacts >= FEWEST_CONTACTS && marked * 2 > contacts;
}

/** The number of values that a message lists, and the number of characters that it shows of each value. */
const VALUES_NAMED = 5;
const VALUE_LENGTH = 40;

/** Returns a text that says how many contacts a mark excludes, and which values exclude them. */
export function markText({ field, contacts, marked, values }: MarkCount): string {
  const sorted = [...values].toSorted(([, a], [, b]) => b - a);
  const named = sorted.slice(0, VALUES_NAMED).map(([value, count]) => {
    const name = value === A_DATE ? 'a date' : `"${value.slice(0, VALUE_LENGTH)}"`;
    return `${name}: ${count}`;
  });
  const others = sorted.length > named.length ? ', …' : '';
  return `"${field}" excludes ${marked} of ${describeCount(contacts, 'contact')} (${named.join(', ')}${others})`;
}
