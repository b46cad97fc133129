/**
 * Describes which parts of an identity a client does not submit, which marks it does not read, and the consequences.
 */
import { MARK_LISTS, type MarkKind } from '../marks/mark-values.ts';

/** A part of an identity that no column contains. */
export interface MissingPart {
  part: 'address' | 'employer';
  /** The consequence of the missing part, in the form of a half sentence. */
  price: string;
}

/** Returns the parts of an identity that these columns do not contain. */
export function missingParts({
  addresses,
  employers,
}: {
  addresses: readonly string[];
  employers: readonly string[];
}): MissingPart[] {
  const missing: MissingPart[] = [];
  if (addresses.length === 0) {
    missing.push({
      part: 'address',
      price:
        'the service then recognises fewer contacts, and a contact that it does not recognise still costs one credit',
    });
  }
  if (employers.length === 0) {
    missing.push({
      part: 'employer',
      price: 'the service then recognises fewer of the contacts that have a common name',
    });
  }
  return missing;
}

const MARKED = {
  optOut: 'contacts that have opted out',
  deceased: 'deceased contacts',
  doNotContact: 'contacts that must not be contacted',
} as const satisfies Record<MarkKind, string>;

/**
 * Returns a text that names the marks without a column. donor-sync submits contacts with these marks like all other
 * contacts. Returns null if each mark has a column.
 */
export function missingMarksText(fields: Readonly<Record<MarkKind, string | null>>): string | null {
  const missing = (Object.keys(MARK_LISTS) as MarkKind[]).filter((kind) => fields[kind] === null);
  if (missing.length === 0) return null;
  const people = new Intl.ListFormat('en', { type: 'disjunction' });
  return `no column of the file marks ${people.format(missing.map((kind) => MARKED[kind]))}: if there are any, they are sent like all others, at one credit each`;
}
