/**
 * Recognises groups that are marks. Deceased people and people who opted out are never offered as introducers. All
 * functions are pure.
 */
import type { GroupSummary } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { plain } from './column-names.ts';
import { DECEASED, DO_NOT_CONTACTS, OPT_OUTS } from './guess-words.ts';

const MARKS: ReadonlySet<string> = new Set([...OPT_OUTS, ...DECEASED, ...DO_NOT_CONTACTS]);

/** The number of words in the longest mark, `does not want to be contacted`. */
const MOST_WORDS = 6;

/**
 * True if a group is a mark. Either the settings use the group's field for a mark, or the group's name contains a mark
 * (`Do Not Contact: X`, `Status: Deceased`, `Deceased donors`).
 */
export function isMarkGroup(
  { selector, name }: Pick<GroupSummary, 'selector' | 'name'>,
  { optOutField, deceasedField, doNotContactField }: Integration['contacts'],
): boolean {
  const marks = [optOutField, deceasedField, doNotContactField];
  const { column, property } = selector as Readonly<Record<string, unknown>>;
  if ([column, property].some((field) => typeof field === 'string' && marks.includes(field))) {
    return true;
  }
  return namesMark(name);
}

/** True if the name contains a mark in whole words. For example, `Deadline` contains no mark. */
function namesMark(name: string): boolean {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words.some((_, start) =>
    words.slice(start, start + MOST_WORDS).some((_, count) => {
      const part = words.slice(start, start + count + 1).join(' ');
      return MARKS.has(plain(part));
    }),
  );
}
