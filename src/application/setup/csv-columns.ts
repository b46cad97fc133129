import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { messageOf } from '../../core/errors.ts';
import {
  ADDRESS_PREFIXES,
  CITIES,
  COUNTRIES,
  DECEASED,
  DO_NOT_CONTACTS,
  EMPLOYER_NAMES,
  FIRST_NAMES,
  FULL_NAMES,
  FURTHER_LINES,
  ID_NAMES,
  LAST_NAMES,
  OPT_OUTS,
  OTHER_IDS,
  OTHER_PEOPLES,
  POSTAL_CODES,
  REGIONS,
  STREETS,
} from './guess-words.ts';
import { KNOWN_EXPORTS, type KnownExport } from './known-exports.ts';

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
  /** Those that settings can name: no two columns have this name. */
  columns: string[];
  encoding: 'utf-8' | 'latin1';
  /** The first rows, by the names of the columns. */
  sample: CsvSample;
}

/** Why a file cannot be used, in words. */
export interface CsvProblem {
  problem: string;
}

/** A header is read from this much of the file; longer ones do not exist. */
const MAX_HEADER_BYTES = 65_536;

const DELIMITERS = [',', ';', '\t', '|'];

/** Fewer columns cannot hold an id and a name. */
const MIN_COLUMNS = 2;

/** Reads the first line of a CSV file, whichever of the usual delimiters it uses. */
export async function readCsvHeader(path: string, cwd: string): Promise<CsvHeader | CsvProblem> {
  try {
    await using file = await open(resolve(cwd, path));
    return parseHeader(await readStart(file));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { problem: isMissing ? `${path} does not exist` : `${path}: ${messageOf(error)}` };
  }
}

async function readStart(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0);
  return buffer.subarray(0, bytesRead);
}

function parseHeader(bytes: Buffer): CsvHeader | CsvProblem {
  // A zero byte: a workbook, an archive, or UTF-16.
  if (bytes.includes(0)) return { problem: 'this is not a CSV file; save it as "CSV UTF-8"' };
  const { text, encoding } = decode(bytes);
  const candidates = DELIMITERS.map((delimiter) => ({
    delimiter,
    columns: namesIn(text, delimiter),
  }));
  const { delimiter, columns: all } = candidates.reduce((best, each) =>
    each.columns.length > best.columns.length ? each : best,
  );
  const columns = all.filter((name) => name !== '');
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  const isWhole = bytes.length < MAX_HEADER_BYTES;
  return {
    columns: usableNames(columns),
    encoding,
    sample: readSample(text, delimiter, all, isWhole),
  };
}

/** Longer names are no names of columns, and are never taken for any part of a contact. */
export const MAX_NAME_LENGTH = 200;

/** The names that stand once, which alone can be mapped. */
function usableNames(names: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return names.filter((name) => times.get(name) === 1 && name.length <= MAX_NAME_LENGTH);
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
const MAX_SAMPLE = 1_000;

function readSample(
  text: string,
  delimiter: string,
  names: readonly string[],
  isWhole: boolean,
): CsvSample {
  const rows = records(text, delimiter, MAX_SAMPLE + 1).slice(1);
  // The last row may be cut in two.
  const whole = isWhole || rows.length === MAX_SAMPLE ? rows : rows.slice(0, -1);
  return whole.map((row) => new Map(names.map((name, at) => [name, row[at] ?? ''] as const)));
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
  const byWords = guessByWords(columns, sample);
  const guess =
    known === null ? byWords : withExport(guessOfExport(columns, known, sample), byWords);
  return {
    ...guess,
    optOut: find(columns, OPT_OUTS),
    deceased: find(columns, DECEASED),
    doNotContact: find(columns, DO_NOT_CONTACTS),
    exportOf: known?.name ?? null,
    advice: known?.advice ?? null,
  };
}

type PersonColumns = Pick<
  ColumnGuess,
  'id' | 'firstName' | 'lastName' | 'fullName' | 'addresses' | 'employers'
>;

/** Below this share of its columns in the file, an export is another product's that has a few equal names. */
const LEAST_KNOWN_SHARE = 0.5;

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
    const wanted = new Set([...names, ...(known.addresses[0] ?? [])]);
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
  return {
    id: known.id ?? byWords.id,
    firstName: names.firstName,
    lastName: names.lastName,
    fullName: names.fullName,
    addresses: hasWholeAddress ? known.addresses : byWords.addresses,
    employers: known.employers.length > 0 ? known.employers : byWords.employers,
  };
}

/** The column of this name, case, accents and white space around it aside. */
function present(columns: readonly string[], name: string): string | null {
  return indexOf(columns).byFolded.get(folded(name)) ?? null;
}

function guessByWords(columns: readonly string[], sample: CsvSample): PersonColumns {
  const firstName = find(columns, FIRST_NAMES) ?? endsWith(columns, 'firstname');
  const lastName = find(columns, LAST_NAMES) ?? endsWith(columns, 'lastname');
  const isWhole = firstName === null || lastName === null;
  const fullName = isWhole ? find(columns, FULL_NAMES) : null;
  // "Nome" and "Name" are the whole name where no other column has the rest of it.
  const isOneName = isWhole && fullName === null && (firstName ?? lastName) !== null;
  const isAlone = isOneName && WHOLE_TOO.has(plain(firstName ?? lastName ?? ''));
  const ids = [...findAll(columns, ID_NAMES), ...columns.filter(isIdName)];
  return {
    id:
      ids.find((name) => isId(name, sample)) ??
      ids.find((name) => isId(name, sample, MOST_BLANK)) ??
      null,
    firstName: isAlone ? null : firstName,
    lastName: isAlone ? null : lastName,
    fullName: isAlone ? (firstName ?? lastName) : fullName,
    addresses: guessAddress(columns),
    employers: [find(columns, EMPLOYER_NAMES)].filter((name) => name !== null),
  };
}

/** Words for a first or a last name that stand for the whole name where they are alone. */
const WHOLE_TOO = new Set(['nombre', 'nome', 'nom']);

/** The address with the most parts, of those that have a street if any has; the first of several. */
function guessAddress(columns: readonly string[]): string[] {
  const candidates = ADDRESS_PREFIXES.map((prefix) => {
    const part = (words: readonly string[]) =>
      findOwn(
        columns,
        words.map((word) => prefix + word),
      );
    const street = part(STREETS);
    const parts = [street, part(FURTHER_LINES), part(CITIES), part(REGIONS), part(POSTAL_CODES)];
    const found = [...parts, part(COUNTRIES)].filter((name) => name !== null);
    return { found: [...new Set(found)], hasStreet: street !== null };
  });
  const byRank = candidates.toSorted(
    (a, b) => Number(b.hasStreet) - Number(a.hasStreet) || b.found.length - a.found.length,
  );
  return byRank[0]?.found ?? [];
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
  const blank = sample.length - values.length;
  return blank <= mostBlank * sample.length && new Set(values).size === values.length;
}

function find(columns: readonly string[], names: readonly string[]): string | null {
  return findAll(columns, names)[0] ?? null;
}

function findAll(columns: readonly string[], names: readonly string[]): string[] {
  return names.flatMap((name) => indexOf(columns).byPlain.get(name) ?? []);
}

/** The same among the columns that are about the contact, and not about its spouse. */
function findOwn(columns: readonly string[], names: readonly string[]): string | null {
  return find(indexOf(columns).own, names);
}

/** `Donor ID`, `legacy_id`, `personId` and `Donor #`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  if (OTHER_IDS.test(plain(column))) return false;
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
  return withoutAside(folded(column.slice(0, MAX_NAME_LENGTH))).replace(/[^a-z0-9]/g, '');
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

function indexOf(columns: readonly string[]): Names {
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
