import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { messageOf } from '../../../core/errors.ts';

/** The names of a CSV file's columns, in their order. */
export interface CsvHeader {
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
  return { columns, encoding };
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
];
const FIRST_NAMES = ['firstname', 'first', 'givenname', 'forename', 'fname', 'preferredname'];
const LAST_NAMES = ['lastname', 'last', 'surname', 'familyname', 'lname'];
/** Those that begin with the last name come first: there is no doubt which part is which. */
const FULL_NAMES = [
  ...['sortname', 'fileas', 'lastfirst', 'fullname', 'name', 'displayname'],
  ...['contactname', 'constituentname', 'donorname', 'membername', 'personname'],
];

/** Names of another person, or no names to find a person by. */
const OTHER_PEOPLES = /spouse|partner|phonetic|maiden|former|assistant|parent|child/;

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
];
const DO_NOT_CONTACTS = ['donotcontact', 'isdonotcontact', 'nocontact'];

const EMPLOYER_NAMES = ['employer', 'employername', 'company', 'companyname', 'organization'];

/** The parts of an address in the order in which people write them. */
const ADDRESS_PARTS = [
  ['street', 'address', 'address1', 'addressline1', 'streetaddress', 'mailingstreet', 'homestreet'],
  ['street2', 'address2', 'addressline2'],
  ['city', 'town', 'mailingcity', 'homecity'],
  ['state', 'province', 'region', 'stateprovince', 'mailingstate', 'homestate'],
  ['zip', 'zipcode', 'postalcode', 'postcode', 'mailingpostalcode', 'mailingzip', 'homezip'],
  ['country', 'mailingcountry', 'homecountry'],
];

/** Guesses from the names of the columns alone. */
export function guessColumns(columns: readonly string[]): ColumnGuess {
  const firstName = find(columns, FIRST_NAMES) ?? endsWith(columns, 'firstname');
  const lastName = find(columns, LAST_NAMES) ?? endsWith(columns, 'lastname');
  const isWhole = firstName === null || lastName === null;
  return {
    id: find(columns, ID_NAMES) ?? columns.find(isIdName) ?? null,
    firstName,
    lastName,
    fullName: isWhole ? find(columns, FULL_NAMES) : null,
    addresses: ADDRESS_PARTS.map((names) => find(columns, names)).filter((name) => name !== null),
    employers: [find(columns, EMPLOYER_NAMES)].filter((name) => name !== null),
    optOut: find(columns, OPT_OUTS),
    deceased: find(columns, DECEASED),
    doNotContact: find(columns, DO_NOT_CONTACTS),
  };
}

function find(columns: readonly string[], names: readonly string[]): string | null {
  for (const name of names) {
    const column = columns.find((candidate) => plain(candidate) === name);
    if (column !== undefined) return column;
  }
  return null;
}

/** `Donor ID`, `legacy_id`, `personId`, but not `Amount Paid`. */
function isIdName(column: string): boolean {
  return /(^|[^a-z])id$/i.test(column) || /[a-z]I[dD]$/.test(column);
}

/** `Contact First Name` and the like: a longer name that ends the right way. */
function endsWith(columns: readonly string[], ending: string): string | null {
  const own = columns.filter((candidate) => !OTHER_PEOPLES.test(plain(candidate)));
  return own.find((candidate) => plain(candidate).endsWith(ending)) ?? null;
}

function plain(column: string): string {
  return column
    .toLowerCase()
    .replace(/\(.*\)/, '')
    .replace(/[^a-z0-9]/g, '');
}
