/** Interprets the values of fields that mark contacts to exclude. */

import type { Contact } from '../../src/core/contact.ts';
import type { ContactsSettings } from '../contract.ts';
import { folded, yesOrNo } from './yes-or-no.ts';

/** The three marks that the settings define. */
export type MarkKind = 'optOut' | 'deceased' | 'doNotContact';

/**
 * The meaning of a value. The meaning `unknown` says that neither list in the settings contains the value, so the
 * contact waits for a decision.
 */
export type MarkMeaning = 'marked' | 'unmarked' | 'unknown';

/** The normalised values that the settings list for one mark. */
export interface MarkValues {
  /**
   * The values that mark a contact, or null if the settings list no values. If the settings list no values, dates and
   * words such as "yes" and "no" have their usual meaning.
   */
  marked: ReadonlySet<string> | null;
  /** The values that do not mark a contact, or null if the settings list none. */
  unmarked: ReadonlySet<string> | null;
}

/** The settings that list the values. */
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

/** Returns the mark columns. The result omits a mark if the settings include contacts with this mark. */
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
 * Reads a contact's marks according to the settings. The result is an opt-out, a different reason to exclude the
 * contact, or no mark. The function `textOf` returns a field's value as a string. If the field can have several values,
 * `textOf` returns a list of strings. For a blank field, `textOf` returns a blank string or an empty list. For a field
 * that does not exist, `textOf` returns undefined. If the field does not exist, the mark is unknown, and the contact
 * waits for a decision.
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

/**
 * A single marking value marks the contact. If there is no marking value, a single undefined value makes the mark
 * unknown.
 */
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
 * A blank value means "no". If the settings list only marking values, all other values mean "no". If the settings also
 * list values that mean "no", all remaining values are unknown.
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

/** Returns the name under which a value is counted. All dates are counted under the same name. */
export function nameOfMark(text: string): string {
  const value = folded(text);
  return isDate(value) ? A_DATE : value;
}

/** The name under which all dates are counted. */
export const A_DATE = '(a date)';

/** The maximum length of a date, including its time and time zone. */
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
