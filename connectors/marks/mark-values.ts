/** The meaning of a value in a field that marks contacts to exclude. All functions are pure. */

import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { folded, yesOrNo } from './yes-or-no.ts';

/** The three marks of the settings. */
export type MarkKind = 'optOut' | 'deceased' | 'doNotContact';

/** `unknown`: no list has the value, so the contact waits for a user. */
export type MarkMeaning = 'marked' | 'unmarked' | 'unknown';

/** The values that the settings list for one mark, normalised. */
export interface MarkValues {
  /** Null if the settings list no values. Words for yes and no, and dates, then have their usual meaning. */
  marked: ReadonlySet<string> | null;
  /** Null if the settings list no such values. */
  unmarked: ReadonlySet<string> | null;
}

/** The settings that list the marking values. */
export const MARK_LISTS = {
  optOut: 'optOutValues',
  deceased: 'deceasedValues',
  doNotContact: 'doNotContactValues',
} as const satisfies Record<MarkKind, keyof ContactsSettings>;

export interface MarkColumn {
  kind: MarkKind;
  column: string;
  listed: MarkValues;
}

/** Marks that the settings include are omitted. */
export function markColumns(contacts: ContactsSettings): readonly MarkColumn[] {
  const known = cached.get(contacts);
  if (known !== undefined) return known;
  const columns = findMarkColumns(contacts);
  cached.set(contacts, columns);
  return columns;
}

/** The result is cached, because each row of a file needs the same columns. */
const cached = new WeakMap<ContactsSettings, readonly MarkColumn[]>();

function findMarkColumns(contacts: ContactsSettings): MarkColumn[] {
  const { optOutField, deceasedField, doNotContactField } = contacts;
  const all = [
    { kind: 'optOut', column: optOutField },
    { kind: 'deceased', column: contacts.includeDeceased === true ? null : deceasedField },
    {
      kind: 'doNotContact',
      column: contacts.includeDoNotContact === true ? null : doNotContactField,
    },
  ] as const;
  return all.flatMap(({ kind, column }) =>
    column == null ? [] : [{ kind, column, listed: markValues(contacts, kind) }],
  );
}

/**
 * Reads a contact's marks according to the settings: an opt-out, a different reason to exclude it, or neither. `textOf`
 * returns a field's value as a string. If the field can have several values, it returns a list of strings. For a field
 * without a value, it returns a blank string or an empty list. If the field does not exist, it returns undefined. The
 * mark is then unknown, and the contact waits.
 */
export function readMarks(
  contacts: ContactsSettings,
  textOf: (field: string) => string | readonly string[] | undefined,
): Pick<Contact, 'optedOut' | 'excluded'> {
  const columns = markColumns(contacts);
  if (columns.length === 0) return { optedOut: false };
  const meanings = new Map<MarkKind, MarkMeaning>();
  for (const { kind, column, listed } of columns) {
    const text = textOf(column);
    meanings.set(kind, text === undefined ? 'unknown' : meaningOfTexts(text, listed));
  }
  const optedOut = meanings.get('optOut') === 'marked';
  if (meanings.get('deceased') === 'marked') return { optedOut, excluded: 'deceased' };
  if (meanings.get('doNotContact') === 'marked') return { optedOut, excluded: 'do_not_contact' };
  const isUnknown = [...meanings.values()].includes('unknown');
  return isUnknown && !optedOut ? { optedOut, excluded: 'mark_unknown' } : { optedOut };
}

/** One marking value is enough. Otherwise an undefined value makes the mark unknown. */
function meaningOfTexts(texts: string | readonly string[], listed: MarkValues): MarkMeaning {
  if (typeof texts === 'string') return meaningOfMark(texts, listed);
  const meanings = texts.map((text) => meaningOfMark(text, listed));
  if (meanings.includes('marked')) return 'marked';
  return meanings.includes('unknown') ? 'unknown' : 'unmarked';
}

function markValues(contacts: ContactsSettings, kind: MarkKind): MarkValues {
  return {
    marked: foldedSet(contacts[MARK_LISTS[kind]]),
    unmarked: foldedSet(contacts.unmarkedValues?.[kind]),
  };
}

function foldedSet(values: readonly string[] | null | undefined): ReadonlySet<string> | null {
  return values == null ? null : new Set(values.map(folded));
}

/**
 * Blank means no. If the settings list only the marking values, all other values mean no. With a list of harmless
 * values, all others are unknown.
 */
export function meaningOfMark(text: string, { marked, unmarked }: MarkValues): MarkMeaning {
  const value = folded(text);
  if (value === '') return 'unmarked';
  if (marked?.has(value) === true) return 'marked';
  if (unmarked?.has(value) === true) return 'unmarked';
  if (marked !== null && unmarked === null) return 'unmarked';
  const answer = yesOrNo(value);
  if (answer === false) return 'unmarked';
  if (marked !== null) return 'unknown';
  return answer === true || isDate(value) ? 'marked' : 'unknown';
}

/** All dates count as the same value. */
export function nameOfMark(text: string): string {
  const value = folded(text);
  return isDate(value) ? A_DATE : value;
}

/** The name that is used for every date. */
export const A_DATE = '(a date)';

/** The maximum length of a date, with its time and zone. */
const LONGEST_DATE = 40;

/**
 * Returns true for `2019-03-04`, `4.3.2019`, `12 mars 2019` and `2019`. Returns false for a sentence that contains a
 * year.
 */
function isDate(value: string): boolean {
  if (value.length > LONGEST_DATE) return false;
  if (/^\d{1,4}[-./]\s?\d{1,2}[-./]\s?\d{1,4}([ t,].*)?$/.test(value)) return true;
  const words = value.split(/[\s.,/-]+/).filter((word) => word !== '');
  const isShort = words.filter((word) => !/^\d+$/.test(word)).length <= 1;
  return isShort && words.length <= 3 && words.some((word) => /^(1[89]|20)\d\d$/.test(word));
}
