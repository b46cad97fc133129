/** Recognises the exports of known products by their columns. All functions are pure. */
import { present } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';
import { isId, MOST_BLANK } from './guess-id.ts';
import type { NameColumns } from './guess-names.ts';
import { KNOWN_EXPORTS, type KnownExport } from './known-exports.ts';

export interface PersonColumns extends NameColumns {
  id: string | null;
  addresses: string[];
  employers: string[];
}

/**
 * The minimum share of a known export's columns that the file must contain. With a smaller share, the file comes from a
 * different product that uses some of the same names.
 */
const LEAST_KNOWN_SHARE = 0.5;

const FURTHER_LINE = /[2-9]$/;

/** Returns the known export that matches best. First compares the number of matching columns, then their share. */
export function bestExport(columns: readonly string[], sample: CsvSample): KnownExport | null {
  const scored = KNOWN_EXPORTS.flatMap((known) => {
    if (!known.knownBy.every((name) => present(columns, name) !== null)) return [];
    const ids = (known.id ?? []).flatMap((name) => present(columns, name) ?? []);
    // The same word can have a different meaning, for example the ID of a household.
    if (ids.length > 0 && !ids.some((name) => isId(name, sample, MOST_BLANK))) return [];
    const [address = []] = known.addresses
      .map((parts) => parts.filter((name) => present(columns, name) !== null))
      .filter((parts) => parts.length > 0);
    const names = [...known.knownBy, ...(known.id ?? []), ...known.firstName, ...known.lastName];
    const lines = (known.addresses[0] ?? []).filter((name) => !FURTHER_LINE.test(name));
    const wanted = new Set([...names, ...lines]);
    const found = new Set([...names.filter((name) => present(columns, name) !== null), ...address]);
    const share = found.size / wanted.size;
    return share < LEAST_KNOWN_SHARE ? [] : [{ known, found: found.size, share }];
  });
  const [best] = scored.toSorted((a, b) => b.found - a.found || b.share - a.share);
  return best?.known ?? null;
}

export function guessOfExport(
  columns: readonly string[],
  known: KnownExport,
  sample: CsvSample,
): PersonColumns {
  const all = (names: readonly string[]) => names.flatMap((name) => present(columns, name) ?? []);
  const first = (names: readonly string[]) => all(names)[0] ?? null;
  const firstName = first(known.firstName);
  const lastName = first(known.lastName);
  const isWhole = firstName === null || lastName === null;
  const employer = first(known.employers);
  return {
    id: all(known.id ?? []).find((name) => isId(name, sample)) ?? null,
    firstName,
    lastName,
    fullName: isWhole ? first(known.fullName ?? []) : null,
    addresses: known.addresses.map(all).find((parts) => parts.length > 0) ?? [],
    employers: employer === null ? [] : [employer],
  };
}

/**
 * Uses the columns of a known export. Missing parts are recognised by the columns' names. An address that lacks most of
 * its parts is also recognised by the names.
 */
export function withExport(known: PersonColumns, byWords: PersonColumns): PersonColumns {
  const hasNames = known.firstName !== null && known.lastName !== null;
  const names = hasNames || known.fullName !== null ? known : byWords;
  // An additional column with this name may have a different meaning, such as the region of a time zone.
  const hasWholeAddress =
    known.addresses.length > 0 && known.addresses.length + 1 >= byWords.addresses.length;
  const further = byWords.employers.slice(1).filter((name) => !known.employers.includes(name));
  return {
    id: known.id ?? byWords.id,
    firstName: names.firstName,
    lastName: names.lastName,
    fullName: names.fullName,
    addresses: hasWholeAddress ? known.addresses : byWords.addresses,
    employers: known.employers.length > 0 ? [...known.employers, ...further] : byWords.employers,
  };
}
