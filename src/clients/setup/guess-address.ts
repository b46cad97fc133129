/** Finds the columns of a contact's address, from the street to the country. All functions are pure. */
import type { ContentKind } from './column-content.ts';
import { findAll, getNameIndex, plain } from './column-names.ts';
import type { CsvSample } from './csv-header.ts';
import {
  ADDRESS_PREFIXES,
  CITIES,
  COUNTRIES,
  DISTRICTS,
  FURTHER_LINES,
  HOUSE_NUMBERS,
  NUMBERS_AFTER_STREET,
  POSTAL_CODES,
  REGION_CODES,
  REGIONS,
  STREET_TYPES,
  STREETS,
} from './guess-words.ts';
import { createKinds, findFitting, type GuessedFile, NO_WORDS } from './guessed-file.ts';

const NO_STREET: readonly ContentKind[] = ['e-mail', 'web address', 'yes or no', 'date'];
const NO_CODE: readonly ContentKind[] = ['e-mail', 'web address', 'yes or no', 'date', 'street'];

/**
 * Finds the columns of the best address. Addresses with a street come first. If several are equal, the first address is
 * used.
 */
export function guessAddress(file: GuessedFile): string[] {
  const own = { ...file, columns: getNameIndex(file.columns).own };
  const near = (street: string | null, name: string | null) =>
    street === null || name === null ? name : sameNameAfter(file.columns, street, name);
  const isShared = findFitting(own, STREETS, NO_STREET) === null;
  const candidates = ADDRESS_PREFIXES.map((prefix) => {
    const withPrefix = (words: readonly string[]) => words.map((word) => prefix + word);
    const street = findFitting(own, withPrefix(STREETS), NO_STREET);
    const part = (words: readonly string[], misfits: readonly ContentKind[]) =>
      findFitting(own, withPrefix(words), misfits) ??
      // In a file with `Home Street`, `Work Street` and `City`, both addresses share the `City` column, which has no
      // prefix.
      (isShared && street !== null ? findFitting(own, words, misfits) : null);
    const lines = findLines(own, withPrefix(FURTHER_LINES), street);
    const number = part(HOUSE_NUMBERS, []) ?? nextNumber(own, street);
    const parts = [
      ...[part(STREET_TYPES, NO_WORDS), ...inOrder(own.columns, number, street), ...lines],
      ...[part(DISTRICTS, NO_WORDS), part(CITIES, NO_WORDS)],
      ...[
        part(REGIONS, NO_WORDS) ?? part(REGION_CODES, []),
        part(POSTAL_CODES, NO_CODE),
        part(COUNTRIES, NO_WORDS),
      ],
    ];
    const found = parts.map((name) => near(street, name)).filter((name) => name !== null);
    return { found: [...new Set(found)], hasStreet: street !== null };
  });
  const byRank = candidates.toSorted(
    (a, b) => Number(b.hasStreet) - Number(a.hasStreet) || b.found.length - a.found.length,
  );
  return byRank[0]?.found ?? [];
}

/** Finds the address lines. A column that is blank in the first rows may have a value later. */
function findLines(own: GuessedFile, names: readonly string[], street: string | null): string[] {
  const lines = findAll(own.columns, names).filter(
    (name) => !NO_STREET.includes(own.getKind(name)),
  );
  if (lines.length > 0) return own.columns.filter((name) => lines.includes(name));
  const next = nextLine(own, street);
  return next === null ? [] : [next];
}

/** Puts the house number before or after the street, in the order of the file. */
function inOrder(columns: readonly string[], number: string | null, street: string | null) {
  const isFirst = number !== null && columns.indexOf(number) < columns.indexOf(street ?? '');
  return isFirst ? [number, street] : [street, number];
}

/** Returns the column of the house number. A column `Numero` right after the street is the house number. */
function nextNumber({ columns }: GuessedFile, street: string | null): string | null {
  const next = street === null ? undefined : columns[columns.indexOf(street) + 1];
  return next !== undefined && NUMBERS_AFTER_STREET.includes(plain(next)) ? next : null;
}

function nextLine({ columns, getKind }: GuessedFile, street: string | null): string | null {
  const next = street === null ? undefined : columns[columns.indexOf(street) + 1];
  if (next === undefined || NO_STREET.includes(getKind(next))) return null;
  return NUMBERED_LINE.test(plain(next)) ? next : null;
}

const NUMBERED_LINE = /(address|street|line|adresse|adres|rue|direccion|indirizzo|morada)2$/;

function sameNameAfter(columns: readonly string[], street: string, name: string): string {
  const [bare, at] = [withoutPlace(name), columns.indexOf(street)];
  if (bare === name) return name;
  return columns.find((other, place) => place > at && withoutPlace(other) === bare) ?? name;
}

function withoutPlace(name: string): string {
  return name.replace(/ \(\d+\)$/, '');
}

const ADDRESS_ORDER: readonly ContentKind[] = ['street', 'postal code', 'region', 'country'];

/**
 * Adds parts of an address that are recognised from their values. These parts must be close to the known columns of the
 * address.
 */
export function addressByContent(
  { columns, getKind }: GuessedFile,
  named: readonly string[],
  free: readonly string[],
): string[] {
  const has = (kind: ContentKind) => named.some((name) => getKind(name) === kind);
  const street =
    named.find((name) => getKind(name) === 'street') ??
    named.find((name) => getKind(name) === 'text' && isNamedStreet(name)) ??
    free.find((name) => getKind(name) === 'street');
  if (street === undefined) return [...named];
  const at = columns.indexOf(street);
  const isNear = (name: string) => {
    const distance = columns.indexOf(name) - at;
    return distance >= -FARTHEST && distance <= FARTHEST;
  };
  const found = ADDRESS_ORDER.flatMap((kind) => {
    if (has(kind)) return [];
    const isNamed = kind === 'street' || named.length === 0 || !hasNamedPart(named, kind);
    const column =
      kind === 'street' ? street : free.find((name) => isNear(name) && getKind(name) === kind);
    return isNamed && column !== undefined ? [column] : [];
  });
  const parts = new Set([...named, ...found]);
  if (named.length === 0) {
    // Place names contain no typical words. Therefore, a column with words between other parts of an address is the
    // place.
    const places = [...parts].map((name) => columns.indexOf(name));
    const [first, last] = [Math.min(...places), Math.max(...places) + 1];
    const city = free.find((name) => {
      const place = columns.indexOf(name);
      return place > first && place <= last && !parts.has(name) && getKind(name) === 'text';
    });
    if (city !== undefined) parts.add(city);
  }
  // People write the parts of an address in this order.
  const hasStreet = named.includes(street) || named.length === 0;
  if (named.length > 0)
    return [...(hasStreet ? [] : [street]), ...named, ...added(found, named, street)];
  return columns.filter((name) => parts.has(name));
}

function added(found: readonly string[], named: readonly string[], street: string): string[] {
  return found.filter((name) => name !== street && !named.includes(name));
}

/** The maximum distance between a part of an address and its street, in columns. */
const FARTHEST = 6;

/** True if a column's name names this part, even if its values look different. */
function hasNamedPart(named: readonly string[], kind: ContentKind): boolean {
  const words = kind === 'postal code' ? POSTAL_CODES : kind === 'region' ? REGIONS : COUNTRIES;
  return named.some((name) => words.some((word) => plain(name).endsWith(word)));
}

export function withNumberedLines(
  { columns, getKind }: GuessedFile,
  address: readonly string[],
  free: readonly string[],
): string[] {
  const first = address.find((name) => plain(name).endsWith('1'));
  if (first === undefined) return [...address];
  const [stem, start] = [plain(first).slice(0, -1), columns.indexOf(first)];
  const run: string[] = [];
  for (let number = 2; number < LINES; number += 1) {
    const next = columns[start + number - 1];
    if (next === undefined || plain(next) !== `${stem}${number}`) break;
    run.push(next);
  }
  // Empty address lines are common, so they need no note.
  const lines = run.filter((name) => free.includes(name) && getKind(name) !== 'blank');
  const before = address.filter((name) => name === first || run.includes(name));
  const last = before.at(-1) ?? first;
  return address.flatMap((name) =>
    name === last ? [name, ...lines.filter((line) => !address.includes(line))] : [name],
  );
}

/** The maximum number of lines in an address. */
const LINES = 10;

export function noStreetNote(addresses: readonly string[], sample: CsvSample): string[] {
  const getKind = createKinds(sample);
  const isOther = (name: string) =>
    !isNamedStreet(name) &&
    (OTHER_PARTS.has(getKind(name)) ||
      [...CITIES, ...REGIONS, ...POSTAL_CODES, ...COUNTRIES].some((word) =>
        plain(name).endsWith(word),
      ));
  if (addresses.length === 0 || !addresses.every(isOther)) return [];
  return [
    `The address has no street, only ${addresses.map((name) => `"${name}"`).join(', ')}, so the service recognises fewer contacts.`,
  ];
}

const OTHER_PARTS: ReadonlySet<ContentKind> = new Set(['postal code', 'region', 'country']);

function isNamedStreet(name: string): boolean {
  return STREETS.some((word) => plain(name).endsWith(word));
}
