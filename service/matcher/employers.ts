/** Employers, made comparable. */

import { withinOneEdit, words } from './words.ts';

/** A typo is forgiven in names of at least this length. */
const MIN_TYPO_LENGTH = 6;

const LEGAL_WORDS = new Set(
  words('the and of inc incorporated llc corp corporation co company ltd limited lp llp plc group'),
);

/** The name of an employer without its legal form: "ACME, Inc." and "The Acme Company" agree. */
export function comparableEmployer(name: string): string {
  const all = words(name);
  const own = all.filter((word) => !LEGAL_WORDS.has(word));
  return (own.length > 0 ? own : all).join(' ');
}

/** Whether two comparable names mean the same employer. */
export function isSameEmployer(one: string, other: string): boolean {
  return one === other || (one.length >= MIN_TYPO_LENGTH && withinOneEdit(one, other));
}
