import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { settingNames } from '../../../connectors/csv/setting-names.ts';
import {
  detectForeignKind,
  type ForeignKind,
  openSource,
  type TextSource,
} from '../../../connectors/csv/sources/source.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import { type ContentKind, contentKind } from './column-content.ts';
import {
  ADDRESS_PREFIXES,
  CITIES,
  COUNTRIES,
  DECEASED,
  DISTRICTS,
  DO_NOT_CONTACTS,
  EMPLOYER_NAMES,
  FIRST_NAMES,
  FULL_NAMES,
  FURTHER_EMPLOYERS,
  FURTHER_LINES,
  HOUSE_NUMBERS,
  ID_NAMES,
  LAST_NAMES,
  NUMBERS_AFTER_STREET,
  OPT_OUTS,
  OTHER_IDS,
  OTHER_PEOPLES,
  PERSON_NUMBERS,
  POSTAL_CODES,
  REGIONS,
  STREET_TYPES,
  STREETS,
} from './guess-words.ts';
import { KNOWN_EXPORTS, type KnownExport } from './known-exports.ts';
import { hasDonorIds } from './own-columns.ts';

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
  /** Those that settings can name: `City (1)` and `City (2)` for two columns with the name `City`. */
  columns: string[];
  /** All names in their order, those among them that stand twice or are too long for a setting. */
  names: string[];
  encoding: 'utf-8' | 'latin1';
  /** Files that are read and never replaced: their results need a file of their own. Null for others. */
  foreign: ForeignKind | null;
  /** The first rows, by the names of the columns. */
  sample: CsvSample;
}

/** Why a file cannot be used, in words. */
export interface CsvProblem {
  problem: string;
}

/** A header is read from this much of the file; longer ones do not exist. */
const MAX_HEADER_BYTES = 65_536;

/** More columns than any export of a CRM has: each of them is looked at in many ways. */
const MAX_COLUMNS = 1_000;

/** The first rows are read from this much of the file. */
const MAX_SAMPLE_BYTES = 16 * 1_048_576;

const DELIMITERS = [',', ';', '\t', '|'];

/** Fewer columns cannot hold an id and a name. */
const MIN_COLUMNS = 2;

/**
 * Reads the names of the columns and the first rows of a file of contacts: CSV with whichever of the usual delimiters, in
 * UTF-8, Latin-1 or UTF-16, or a sheet of a workbook (null: the first that has a table).
 */
export async function readCsvHeader(
  path: string,
  cwd: string,
  sheet: string | null = null,
): Promise<CsvHeader | CsvProblem> {
  const file = resolve(cwd, path);
  try {
    const foreign = await detectForeignKind(file);
    const source = await openSource(file, sheet);
    try {
      const found = parseHeader(await readStart(source));
      return 'problem' in found ? found : { ...found, foreign };
    } finally {
      await source.close();
    }
  } catch (error) {
    if (isDonorSyncError(error)) return { problem: error.message.replace(/\.$/, '') };
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { problem: isMissing ? `${path} does not exist` : `${path}: ${messageOf(error)}` };
  }
}

async function readStart({ handle, size }: TextSource): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(size, MAX_SAMPLE_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

function parseHeader(bytes: Buffer): Omit<CsvHeader, 'foreign'> | CsvProblem {
  // A zero byte: a program or another kind of archive.
  if (bytes.includes(0)) return { problem: 'this is not a CSV file; save it as "CSV UTF-8"' };
  const { text, encoding } = decode(bytes);
  const start = text.slice(0, MAX_HEADER_BYTES);
  if (text.length > start.length && !/[\r\n]/.test(start)) {
    return { problem: 'its first line is longer than any line of column names' };
  }
  const candidates = DELIMITERS.map((delimiter) => ({
    delimiter,
    columns: namesIn(start, delimiter),
  }));
  const { delimiter, columns: all } = candidates.reduce((best, each) =>
    each.columns.length > best.columns.length ? each : best,
  );
  const columns = all.filter((name) => name !== '');
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  if (columns.length > MAX_COLUMNS) {
    const most = MAX_COLUMNS.toLocaleString('en');
    return {
      problem: `its first line names more than ${most} columns; leave out those that are not needed`,
    };
  }
  const isWhole = bytes.length < MAX_SAMPLE_BYTES;
  return {
    columns: usableNames(columns),
    names: columns,
    encoding,
    sample: readSample(text, delimiter, all, isWhole),
  };
}

/** Longer names are no names of columns, and are never taken for any part of a contact. */
export const MAX_NAME_LENGTH = 200;

/** The names that can be mapped; two columns with one name are told apart by their place. */
function usableNames(names: readonly string[]): string[] {
  return settingNames(names).flatMap((name) =>
    name === null || name.length > MAX_NAME_LENGTH ? [] : [name],
  );
}

function decode(bytes: Buffer): { text: string; encoding: CsvHeader['encoding'] } {
  try {
    // `stream`: the last character may be cut in two.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return { text, encoding: 'utf-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'latin1' };
  }
}

function namesIn(text: string, delimiter: string): string[] {
  return (records(text, delimiter, 1)[0] ?? []).map((name) => name.trim());
}

/** Rows that a guess looks at, as far as the beginning of the file has them. */
const MAX_SAMPLE = 10_000;

function readSample(
  text: string,
  delimiter: string,
  names: readonly string[],
  isWhole: boolean,
): CsvSample {
  const rows = records(text, delimiter, MAX_SAMPLE + 1).slice(1);
  // The last row may be cut in two.
  const whole = isWhole || rows.length === MAX_SAMPLE ? rows : rows.slice(0, -1);
  const usable = settingNames(names);
  return whole.map(
    (row) =>
      new Map(
        names.flatMap((name, at) => {
          const value = row[at] ?? '';
          const other = usable[at] ?? name;
          return other === name
            ? [[name, value] as const]
            : ([
                [name, value],
                [other, value],
              ] as const);
        }),
      ),
  );
}

/** The first records; none after one that cannot be read. */
function records(text: string, delimiter: string, to: number): string[][] {
  const found: string[][] = [];
  try {
    parse(text, {
      delimiter,
      to,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record(record: string[]) {
        found.push(record);
        return null;
      },
    });
  } catch {
    // A quote that the beginning of the file does not close.
  }
  return found;
}

/** The columns that most likely hold what a person is made of; null where none does. */
export interface ColumnGuess {
  id: string | null;
  firstName: string | null;
  lastName: string | null;
  /** A column with whole names, where first and last name have none of their own. */
  fullName: string | null;
  /** The parts of one address, from the street to the country. */
  addresses: string[];
  employers: string[];
  /** The columns that mark who must not be researched, who has died, and who wants no contact. */
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
  /** What this is an export of; null if it is of no kind that is known. */
  exportOf: string | null;
  /** What a person should know of such an export; null for nothing. */
  advice: string | null;
}

/** The values of some rows by the names of their columns, to judge the columns by. */
export type CsvSample = readonly ReadonlyMap<string, string>[];

/**
 * Guesses which column holds which part of a contact: by the words of its header, and of an export that is
 * known by its columns by what is known of it. The known export with the most of its columns in the file
 * counts; columns that it does not name are guessed by words like those of any other file. With rows of the
 * file an id column has to hold an id: present and different in each row. What is not certain is null, and a
 * user is asked.
 */
export function guessColumns(columns: readonly string[], sample: CsvSample = []): ColumnGuess {
  const known = bestExport(columns, sample);
  const file = { columns, sample, getKind: createKinds(sample) };
  const byWords = guessByWords(file);
  const named =
    known === null ? byWords : withExport(guessOfExport(columns, known, sample), byWords);
  const marks = {
    optOut: findFitting(file, OPT_OUTS, NO_MARK),
    deceased: findFitting(file, DECEASED, NO_MARK),
    doNotContact: findFitting(file, DO_NOT_CONTACTS, NO_MARK),
  };
  return {
    ...withContent(file, named, new Set(Object.values(marks).filter((name) => name !== null))),
    ...marks,
    exportOf: known?.name ?? null,
    advice: known?.advice ?? null,
  };
}

/** The columns of a file with what their values look like. */
interface GuessedFile {
  columns: readonly string[];
  sample: CsvSample;
  getKind: (column: string) => ContentKind;
}

/** Looks at the values of a column once; without rows nothing is known of any. */
function createKinds(sample: CsvSample): GuessedFile['getKind'] {
  const kinds = new Map<string, ContentKind>();
  return (column) => {
    const known = kinds.get(column);
    if (known !== undefined) return known;
    const kind =
      sample.length === 0 ? 'text' : contentKind(sample.map((row) => row.get(column) ?? ''));
    kinds.set(column, kind);
    return kind;
  };
}

/** Kinds of values that no name of a contact, no place and no employer has. */
const NO_WORDS: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'yes or no', 'date', 'phone', 'number'] as const),
];
/** Kinds of values that no mark has. */
const NO_MARK: readonly ContentKind[] = [
  ...(['e-mail', 'web address', 'phone', 'street', 'postal code', 'whole name'] as const),
];
const NO_STREET: readonly ContentKind[] = ['e-mail', 'web address', 'yes or no', 'date'];
const NO_CODE: readonly ContentKind[] = ['e-mail', 'web address', 'yes or no', 'date', 'street'];

/** The first column with one of these names whose values can be of that part; one without a value only if no other has one. */
function findFitting(
  { columns, getKind }: GuessedFile,
  names: readonly string[],
  misfits: readonly ContentKind[],
): string | null {
  const fitting = findAll(columns, names).filter((name) => !misfits.includes(getKind(name)));
  return fitting.find((name) => getKind(name) !== 'blank') ?? fitting[0] ?? null;
}

/** Parts that no name of a column tells, by the values of columns that nothing else uses. */
function withContent(
  file: GuessedFile,
  guess: PersonColumns,
  marks: ReadonlySet<string>,
): PersonColumns {
  if (file.sample.length === 0) return guess;
  const { id, firstName, lastName, fullName, addresses, employers } = guess;
  const used = new Set(
    [id, firstName, lastName, fullName, ...addresses, ...employers, ...marks].filter(
      (name) => name !== null,
    ),
  );
  const free = getNameIndex(file.columns).own.filter((name) => !used.has(name));
  const hasName = fullName !== null || (firstName !== null && lastName !== null);
  const whole = hasName ? undefined : findFullest(file, free, 'whole name');
  const names =
    whole === undefined ? { firstName, lastName, fullName } : { ...NO_NAMES, fullName: whole };
  const employer = free.find(
    (name) => EMPLOYER_HINTS.test(plain(name)) && file.getKind(name) === 'organisation',
  );
  return {
    id,
    ...names,
    addresses: withNumberedLines(file, addressByContent(file, addresses, free), free),
    employers: employers.length > 0 || employer === undefined ? employers : [employer],
  };
}

/** The column of a kind that has the most values: every contact has a name, and few have a spouse's. The first of several. */
function findFullest(
  { sample, getKind }: GuessedFile,
  columns: readonly string[],
  kind: ContentKind,
): string | undefined {
  const counted = columns
    .filter((name) => getKind(name) === kind)
    .map((name) => ({ name, filled: sample.filter((row) => row.get(name)?.trim()).length }));
  return counted.toSorted((one, other) => other.filled - one.filled)[0]?.name;
}

/** The lines right after the street that have its name with the next numbers: `Addr L2`, `Addr L3`. */
function withNumberedLines(
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
  const lines = run.filter((name) => free.includes(name) && getKind(name) !== 'blank');
  const before = address.filter((name) => name === first || run.includes(name));
  const last = before.at(-1) ?? first;
  return address.flatMap((name) =>
    name === last ? [name, ...lines.filter((line) => !address.includes(line))] : [name],
  );
}

/** An address has fewer lines. */
const LINES = 10;

const NO_NAMES = { firstName: null, lastName: null };

/** Columns without one of these in their name may have the organisation of the record, a fund or a school. */
const EMPLOYER_HINTS =
  /^(company|firma|empresa|entreprise|societe|azienda|bedrijf|foretag)|employ|works?for|workplace|arbeit|dienstgeber|empleo|empleador|trabaj|trabalh|lavoro|azien|werkgever|arbetsg|arbejd|emploi|employeur/;

const ADDRESS_ORDER: readonly ContentKind[] = ['street', 'postal code', 'region', 'country'];

/** Adds the parts of an address that the values show, next to the columns of the address. */
function addressByContent(
  { columns, getKind }: GuessedFile,
  named: readonly string[],
  free: readonly string[],
): string[] {
  const has = (kind: ContentKind) => named.some((name) => getKind(name) === kind);
  const street =
    named.find((name) => getKind(name) === 'street') ??
    // The name of a street alone does not look like one: its number is in a column of its own.
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
    // A place has no words of its own: it is the column of words between the other parts.
    const places = [...parts].map((name) => columns.indexOf(name));
    const [first, last] = [Math.min(...places), Math.max(...places) + 1];
    const city = free.find((name) => {
      const place = columns.indexOf(name);
      return place > first && place <= last && !parts.has(name) && getKind(name) === 'text';
    });
    if (city !== undefined) parts.add(city);
  }
  // Parts that are named are in the order in which people write them.
  const hasStreet = named.includes(street) || named.length === 0;
  if (named.length > 0)
    return [...(hasStreet ? [] : [street]), ...named, ...added(found, named, street)];
  return columns.filter((name) => parts.has(name));
}

function added(found: readonly string[], named: readonly string[], street: string): string[] {
  return found.filter((name) => name !== street && !named.includes(name));
}

/** Parts of an address stand this many columns from its street at most. */
const FARTHEST = 6;

/** Whether a column of the address has the name of this part, although its values do not show it. */
function hasNamedPart(named: readonly string[], kind: ContentKind): boolean {
  const words = kind === 'postal code' ? POSTAL_CODES : kind === 'region' ? REGIONS : COUNTRIES;
  return named.some((name) => words.some((word) => plain(name).endsWith(word)));
}

/** Says if none of these columns has a street, so that the address has less than it looks; none for no columns. */
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
    `The address has no street, only ${addresses.map((name) => `"${name}"`).join(', ')}: the service then knows fewer of the contacts.`,
  ];
}

const OTHER_PARTS: ReadonlySet<ContentKind> = new Set(['postal code', 'region', 'country']);

function isNamedStreet(name: string): boolean {
  return STREETS.some((word) => plain(name).endsWith(word));
}

type PersonColumns = Pick<
  ColumnGuess,
  'id' | 'firstName' | 'lastName' | 'fullName' | 'addresses' | 'employers'
>;

/** Below this share of its columns in the file, an export is another product's that has a few equal names. */
const LEAST_KNOWN_SHARE = 0.5;

/** Lines of an address that many people leave out of their export. */
const FURTHER_LINE = /[2-9]$/;

/** The export of whose columns the file has the most, by number and then by share; null for none. */
function bestExport(columns: readonly string[], sample: CsvSample): KnownExport | null {
  const scored = KNOWN_EXPORTS.flatMap((known) => {
    if (!known.knownBy.every((name) => present(columns, name) !== null)) return [];
    const ids = (known.id ?? []).flatMap((name) => present(columns, name) ?? []);
    // The same word for another thing: the id of a household, for example.
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

function guessOfExport(
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

/** What the export does not name, as guessed by words; an address that has lost most of its parts too. */
function withExport(known: PersonColumns, byWords: PersonColumns): PersonColumns {
  const hasNames = known.firstName !== null && known.lastName !== null;
  const names = hasNames || known.fullName !== null ? known : byWords;
  // One part more may be a column of another meaning, such as the region of a time zone.
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

/** The column of this name, case, accents and white space around it aside. */
function present(columns: readonly string[], name: string): string | null {
  return getNameIndex(columns).byFolded.get(folded(name)) ?? null;
}

function guessByWords(file: GuessedFile): PersonColumns {
  const { columns, sample, getKind } = file;
  const firstName = findFitting(file, FIRST_NAMES, NO_WORDS) ?? endsWith(columns, 'firstname');
  const ownLast = findFitting(file, LAST_NAMES, NO_WORDS) ?? endsWith(columns, 'lastname');
  const whole = findFitting(file, FULL_NAMES, NO_WORDS);
  // "Name" beside "Vorname" is the last name, unless its values are whole names.
  const isRest =
    sample.length > 0 &&
    firstName !== null &&
    ownLast === null &&
    whole !== null &&
    getKind(whole) !== 'whole name';
  const lastName = isRest ? whole : ownLast;
  const isWhole = firstName === null || lastName === null;
  const fullName = isWhole ? whole : null;
  // "Nome" and "Name" are the whole name where no other column has the rest of it.
  const isOneName = isWhole && fullName === null && (firstName ?? lastName) !== null;
  const isAlone = isOneName && WHOLE_TOO.has(plain(firstName ?? lastName ?? ''));
  const addresses = guessAddress(file);
  const ids = [...findAll(columns, ID_NAMES), ...columns.filter(isIdName)].filter(
    (name) => !addresses.includes(name),
  );
  return {
    id:
      ids.find((name) => isId(name, sample)) ??
      ids.find((name) => isId(name, sample, MOST_BLANK)) ??
      null,
    firstName: isAlone ? null : firstName,
    lastName: isAlone ? null : lastName,
    fullName: isAlone ? (firstName ?? lastName) : fullName,
    addresses,
    employers: [
      findFitting(file, EMPLOYER_NAMES, NO_WORDS),
      findFitting(file, FURTHER_EMPLOYERS, NO_WORDS),
    ].filter((name) => name !== null),
  };
}

/** Words for a first or a last name that stand for the whole name where they are alone. */
const WHOLE_TOO = new Set(['nombre', 'nome', 'nom']);

/** The address with the most parts, of those that have a street if any has; the first of several. */
function guessAddress(file: GuessedFile): string[] {
  const own = { ...file, columns: getNameIndex(file.columns).own };
  const near = (street: string | null, name: string | null) =>
    street === null || name === null ? name : sameNameAfter(file.columns, street, name);
  const candidates = ADDRESS_PREFIXES.map((prefix) => {
    const part = (words: readonly string[], misfits: readonly ContentKind[]) =>
      findFitting(
        own,
        words.map((word) => prefix + word),
        misfits,
      );
    const street = part(STREETS, NO_STREET);
    const line = part(FURTHER_LINES, NO_STREET) ?? nextLine(own, street);
    const number = part(HOUSE_NUMBERS, []) ?? nextNumber(own, street);
    const parts = [
      ...[part(STREET_TYPES, NO_WORDS), ...inOrder(own.columns, number, street), line],
      ...[part(DISTRICTS, NO_WORDS), part(CITIES, NO_WORDS)],
      ...[part(REGIONS, NO_WORDS), part(POSTAL_CODES, NO_CODE), part(COUNTRIES, NO_WORDS)],
    ];
    const found = parts.map((name) => near(street, name)).filter((name) => name !== null);
    return { found: [...new Set(found)], hasStreet: street !== null };
  });
  const byRank = candidates.toSorted(
    (a, b) => Number(b.hasStreet) - Number(a.hasStreet) || b.found.length - a.found.length,
  );
  return byRank[0]?.found ?? [];
}

/** The number of a house is before the street or after it, as the file has them. */
function inOrder(columns: readonly string[], number: string | null, street: string | null) {
  const isFirst = number !== null && columns.indexOf(number) < columns.indexOf(street ?? '');
  return isFirst ? [number, street] : [street, number];
}

/** `Numero` right after the street is the number of the house. */
function nextNumber({ columns }: GuessedFile, street: string | null): string | null {
  const next = street === null ? undefined : columns[columns.indexOf(street) + 1];
  return next !== undefined && NUMBERS_AFTER_STREET.includes(plain(next)) ? next : null;
}

/** A further line right after the street, whatever its name begins with. */
function nextLine({ columns, getKind }: GuessedFile, street: string | null): string | null {
  const next = street === null ? undefined : columns[columns.indexOf(street) + 1];
  if (next === undefined || NO_STREET.includes(getKind(next))) return null;
  return NUMBERED_LINE.test(plain(next)) ? next : null;
}

const NUMBERED_LINE = /(address|street|line|adresse|adres|rue|direccion|indirizzo|morada)2$/;

/** Of the columns that have the same name but for their place, the first after the street. */
function sameNameAfter(columns: readonly string[], street: string, name: string): string {
  const [bare, at] = [withoutPlace(name), columns.indexOf(street)];
  if (bare === name) return name;
  return columns.find((other, place) => place > at && withoutPlace(other) === bare) ?? name;
}

function withoutPlace(name: string): string {
  return name.replace(/ \(\d+\)$/, '');
}

/** Rows from which on equal values say that a column is no id. */
const LEAST_ROWS = 2;

/** The share of rows without an id in a file of which a few rows are broken. */
const MOST_BLANK = 0.05;

/**
 * Whether the rows have a value there, but for this share of them, and no two have the same; true without
 * rows.
 */
function isId(column: string, sample: CsvSample, mostBlank = 0): boolean {
  if (sample.length < LEAST_ROWS) return true;
  const values = sample.flatMap((row) => row.get(column)?.trim() || []);
  // Ids of the service are in a file that is our own output.
  if (hasDonorIds(values)) return false;
  const blank = sample.length - values.length;
  return blank <= mostBlank * sample.length && new Set(values).size === values.length;
}

function findAll(columns: readonly string[], names: readonly string[]): string[] {
  return names.flatMap((name) => getNameIndex(columns).byPlain.get(name) ?? []);
}

/** `Donor ID`, `legacy_id`, `personId` and `Donor #`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  if (OTHER_IDS.test(plain(column))) return false;
  if (PERSON_NUMBERS.some((words) => words.test(plain(column)))) return true;
  if (/^(donor|account|constituent|contact|member)(’s|'s)? ?(#|no\.?|number)$/i.test(column))
    return true;
  return /(^|[^a-z])id$/i.test(column) || /[a-z]I[dD]$/.test(column);
}

/** `Contact First Name` and the like: a longer name that ends the right way. */
function endsWith(columns: readonly string[], ending: string): string | null {
  const own = columns.filter((candidate) => !OTHER_PEOPLES.test(plain(candidate)));
  return own.find((candidate) => plain(candidate).endsWith(ending)) ?? null;
}

function plain(column: string): string {
  const text = folded(column.slice(0, MAX_NAME_LENGTH).replace(NUMBER_SIGN, 'numero '));
  return placeFirst(withoutAside(text))
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?<=.)payeur$/, '');
}

/** `N° adhérent`, `Nº Sócio`. */
const NUMBER_SIGN = /^n\s?[°º]/i;

/** `City - Home` is `Home City`. */
function placeFirst(text: string): string {
  const primary = ' endereco primario';
  const [before, after] = text.split(primary);
  if (before !== undefined && after !== undefined) return `${primary}${before}${after}`;
  for (const place of ['home', 'work', 'other']) {
    const ending = ` - ${place}`;
    if (text.endsWith(ending)) return `${place} ${text.slice(0, -ending.length)}`;
  }
  return text;
}

/** Without the part from the first opening to the last closing parenthesis, in one pass over the text. */
function withoutAside(text: string): string {
  const start = text.indexOf('(');
  const end = text.lastIndexOf(')');
  return start !== -1 && end > start ? text.slice(0, start) + text.slice(end + 1) : text;
}

/** The columns of a file, each name folded once: a file may have thousands of columns. */
interface Names {
  /** The first column of each plain or folded spelling. */
  byPlain: ReadonlyMap<string, string>;
  byFolded: ReadonlyMap<string, string>;
  /** The columns that are about the contact, and not about its spouse. */
  own: readonly string[];
}

const indexes = new WeakMap<readonly string[], Names>();

function getNameIndex(columns: readonly string[]): Names {
  const known = indexes.get(columns);
  if (known !== undefined) return known;
  const byPlain = new Map<string, string>();
  const byFolded = new Map<string, string>();
  const own: string[] = [];
  for (const column of columns) {
    const [word, text] = [plain(column), folded(column.slice(0, MAX_NAME_LENGTH))];
    if (!byPlain.has(word)) byPlain.set(word, column);
    if (!byFolded.has(text)) byFolded.set(text, column);
    if (!OTHER_PEOPLES.test(word)) own.push(column);
  }
  const made = { byPlain, byFolded, own };
  indexes.set(columns, made);
  return made;
}

/** Without case, accents and white space around it. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ł', 'l');
}
