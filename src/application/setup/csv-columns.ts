import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { messageOf } from '../../core/errors.ts';
import { KNOWN_EXPORTS, type KnownExport } from './known-exports.ts';

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
  /** Those that settings can name: no two columns have this name. */
  columns: string[];
  encoding: 'utf-8' | 'latin1';
}

/** Why a file cannot be used, in words. */
export interface CsvProblem {
  problem: string;
}

/** A header is read from this much of the file; longer ones do not exist. */
const MAX_HEADER_BYTES = 65_536;

const DELIMITERS = [',', ';', '\t', '|'];

/** A longer text in a header isn't a name: its column is not offered, and messages show its start. */
export const MAX_NAME_LENGTH = 200;

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
  const candidates = DELIMITERS.map((delimiter) => firstRecord(text, delimiter));
  const columns = candidates.reduce((best, each) => (each.length > best.length ? each : best));
  if (columns.length < MIN_COLUMNS) {
    const needed = 'an id and a name';
    return { problem: `its first line must name at least ${MIN_COLUMNS} columns: ${needed}` };
  }
  return { columns: usableNames(columns), encoding };
}

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

function firstRecord(text: string, delimiter: string): string[] {
  const [record = []] = parse(text, {
    delimiter,
    to: 1,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  return record.map((name) => name.trim()).filter((name) => name !== '');
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

/** The likeliest names first, without case and punctuation. */
const ID_NAMES = [
  'id',
  'contactid',
  'constituentid',
  'donorid',
  'recordid',
  'personid',
  'memberid',
  'accountnumber',
  ...['kontaktid', 'kontaktnummer', 'mitgliedsnummer', 'spendernummer', 'kundennummer'],
  ...['identifiant', 'numerodonateur', 'numeroadherent'],
];
const FIRST_NAMES = [
  'firstname',
  'first',
  'givenname',
  'forename',
  'fname',
  'preferredname',
  'vorname',
  'prenom',
];
const LAST_NAMES = [
  'lastname',
  'last',
  'surname',
  'familyname',
  'lname',
  'nachname',
  'familienname',
  'nomdefamille',
  'nom',
];
/** Those that begin with the last name come first: there is no doubt which part is which. */
const FULL_NAMES = [
  ...['sortname', 'fileas', 'lastfirst', 'fullname', 'name', 'displayname'],
  ...['contactname', 'constituentname', 'donorname', 'membername', 'personname'],
];

/** Names of another person, or no names to find a person by. */
const OTHER_PEOPLES = /spouse|spsp|partner|phonetic|maiden|former|assistant|parent|child|conjoint/;

/** Ids of something else than the person in the row. */
const OTHER_IDS =
  /household|campaign|spouse|gift|fund|appeal|owner|batch|transaction|organi[sz]ation/;

/**
 * Marks of people who must not be researched, or whose data must not be passed on. Marks of single
 * channels (`Do Not Email`, `No Bulk Emails`, `nomail`) say nothing of research, and a status such as
 * `Account Status` has other values besides.
 */
const OPT_OUTS = [
  ...['donotresearch', 'noresearch', 'researchoptout', 'donotscreen', 'noscreening'],
  ...['donotprofile', 'noprofiling', 'optedout', 'optout', 'privacyoptout'],
  ...['donottrade', 'donotshare', 'donotsell', 'donotexchange'],
];
const DECEASED = [
  'deceased',
  'isdeceased',
  'deceaseddate',
  'datedeceased',
  'dateofdeath',
  'deathdate',
  ...['verstorben', 'verstorbenam', 'todesdatum', 'decede', 'datededeces', 'cnbiodeceased'],
];
const DO_NOT_CONTACTS = [
  ...['donotcontact', 'isdonotcontact', 'nocontact', 'nichtkontaktieren', 'keinkontakt'],
  'nepascontacter',
];

const EMPLOYER_NAMES = [
  ...['employer', 'employername', 'company', 'companyname', 'organization', 'currentemployer'],
  ...['arbeitgeber', 'firma', 'employeur', 'societe'],
];

/** The parts of an address in the order in which people write them. */
const ADDRESS_PARTS = [
  [
    ...['street', 'address', 'address1', 'addressline1', 'streetaddress', 'mailingstreet'],
    ...['homestreet', 'strasse', 'strassehausnummer', 'anschrift', 'rue', 'adresse'],
    ...['homeaddress', 'mailingaddress', 'postaladdress', 'primaryaddress', 'fulladdress'],
    ...['homeaddressline1', 'mailingaddressline1', 'contactaddress', 'donoraddress'],
  ],
  ['street2', 'address2', 'addressline2', 'adresszusatz', 'complementadresse'],
  ['city', 'town', 'mailingcity', 'homecity', 'ort', 'stadt', 'wohnort', 'ville'],
  [
    ...['state', 'province', 'region', 'stateprovince', 'mailingstate', 'homestate'],
    ...['mailingstateprovince', 'stateregion', 'bundesland'],
  ],
  [
    ...['zip', 'zipcode', 'postalcode', 'postcode', 'mailingpostalcode', 'mailingzip', 'homezip'],
    ...['zippostalcode', 'mailingzippostalcode', 'plz', 'postleitzahl', 'codepostal'],
  ],
  ['country', 'mailingcountry', 'homecountry', 'countryregion', 'land', 'pays'],
];

/**
 * Guesses from the names of the columns alone: of an export that is known by its columns, what is known of
 * it; else by words. What is not certain is null, and a person is asked.
 */
export function guessColumns(columns: readonly string[]): ColumnGuess {
  const names = indexNames(columns);
  const known = KNOWN_EXPORTS.find(({ knownBy }) =>
    knownBy.every((name) => present(names, name) !== null),
  );
  const guess = known === undefined ? guessByWords(names) : guessOfExport(names, known);
  return {
    ...guess,
    optOut: find(names, OPT_OUTS),
    deceased: find(names, DECEASED),
    doNotContact: find(names, DO_NOT_CONTACTS),
    exportOf: known?.name ?? null,
    advice: known?.advice ?? null,
  };
}

type PersonColumns = Pick<
  ColumnGuess,
  'id' | 'firstName' | 'lastName' | 'fullName' | 'addresses' | 'employers'
>;

/** The columns of a file, each name folded once: a file may have thousands of columns. */
interface Names {
  /** In the order of the file, with their plain spelling. */
  all: readonly { column: string; plain: string }[];
  /** The first column of each plain or folded spelling. */
  byPlain: ReadonlyMap<string, string>;
  byFolded: ReadonlyMap<string, string>;
}

function indexNames(columns: readonly string[]): Names {
  const all: Names['all'][number][] = [];
  const byPlain = new Map<string, string>();
  const byFolded = new Map<string, string>();
  for (const column of columns) {
    const text = folded(column.slice(0, MAX_NAME_LENGTH));
    const plain = withoutAside(text).replace(/[^a-z0-9]/g, '');
    all.push({ column, plain });
    if (!byPlain.has(plain)) byPlain.set(plain, column);
    if (!byFolded.has(text)) byFolded.set(text, column);
  }
  return { all, byPlain, byFolded };
}

function guessOfExport(columns: Names, known: KnownExport): PersonColumns {
  const all = (names: readonly string[]) => names.flatMap((name) => present(columns, name) ?? []);
  const first = (names: readonly string[]) => all(names)[0] ?? null;
  const firstName = first(known.firstName);
  const lastName = first(known.lastName);
  const isWhole = firstName === null || lastName === null;
  const employer = first(known.employers);
  return {
    id: first(known.id ?? []),
    firstName,
    lastName,
    fullName: isWhole ? first(known.fullName ?? []) : null,
    addresses: known.addresses.map(all).find((parts) => parts.length > 0) ?? [],
    employers: employer === null ? [] : [employer],
  };
}

/** The column of this name, case, accents and white space around it aside. */
function present({ byFolded }: Names, name: string): string | null {
  return byFolded.get(folded(name)) ?? null;
}

function guessByWords(names: Names): PersonColumns {
  const firstName = find(names, FIRST_NAMES) ?? endsWith(names, 'firstname');
  const lastName = find(names, LAST_NAMES) ?? endsWith(names, 'lastname');
  const isWhole = firstName === null || lastName === null;
  return {
    id: find(names, ID_NAMES) ?? names.all.find(isIdName)?.column ?? null,
    firstName,
    lastName,
    fullName: isWhole ? find(names, FULL_NAMES) : null,
    addresses: ADDRESS_PARTS.map((parts) => find(names, parts)).filter((name) => name !== null),
    employers: [find(names, EMPLOYER_NAMES)].filter((name) => name !== null),
  };
}

function find({ byPlain }: Names, names: readonly string[]): string | null {
  const name = names.find((each) => byPlain.has(each));
  return name === undefined ? null : (byPlain.get(name) ?? null);
}

/** `Donor ID`, `legacy_id`, `personId`, but not `Amount Paid`. */
function isIdName({ column, plain }: Names['all'][number]): boolean {
  if (OTHER_IDS.test(plain)) return false;
  return /(^|[^a-z])id$/i.test(column) || /[a-z]I[dD]$/.test(column);
}

/** `Contact First Name` and the like: a longer name that ends the right way. */
function endsWith({ all }: Names, ending: string): string | null {
  const own = all.find(({ plain }) => plain.endsWith(ending) && !OTHER_PEOPLES.test(plain));
  return own?.column ?? null;
}

/** Without the text from the first bracket to the last one. */
function withoutAside(text: string): string {
  const start = text.indexOf('(');
  const end = text.lastIndexOf(')');
  return start !== -1 && end > start ? text.slice(0, start) + text.slice(end + 1) : text;
}

/** Without case, accents and white space around it. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss');
}
