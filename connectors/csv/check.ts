import { stat } from 'node:fs/promises';
import type { Contact } from '../../src/core/contact.ts';
import { isDonorSyncError, messageOf } from '../../src/core/errors.ts';
import type { ContactsSettings, Finding, MarkCount } from '../contract.ts';
import { missingMarksText, missingParts } from '../findings/missing-parts.ts';
import { leavesOutMost, markText } from '../marks/mark-counts.ts';
import { markColumns, meaningOfMark } from '../marks/mark-values.ts';
import { unknownMarks } from '../marks/unknown-marks.ts';
import { readCell } from './cells.ts';
import { type ContactColumns, toContact } from './contact.ts';
import { type CsvFiles, openFiles } from './files.ts';
import type { Problem } from './header.ts';
import { ownerFindings } from './owner-finding.ts';
import type { Row } from './rows.ts';
import type { CsvSettings } from './settings.ts';
import type { Table } from './table.ts';

/** Opens the files as a run does, and returns the findings. */
export async function check(
  settings: CsvSettings,
  contacts: ContactsSettings,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings = contacts.filter === null ? [] : [filterFinding()];
  try {
    const options = { settings, contacts };
    const files = await openFiles(settings, contacts, signal);
    try {
      return [
        ...findings,
        ...(await describe(files)),
        ...(await checkEncoding(files, settings)),
        ...(await checkOwner(files)),
        ...(await countContacts(files, options)),
      ];
    } finally {
      await files.close();
    }
  } catch (error) {
    return [...findings, unusable(settings, error)];
  }
}

/** The reason why a client with CSV files cannot use `contacts.filter`. */
export const NO_FILTER =
  'A CSV file has no filter language. Remove contacts.filter from the settings. Then remove the ' +
  'rows that must not be sent, or name the column that marks them in contacts.optOutField.';

function filterFinding(): Finding {
  const message = 'contacts.filter is set, but a CSV file has no filter language';
  return { subject: 'contacts', ok: false, message, fix: NO_FILTER };
}

async function describe({ withTables, paths, journal }: CsvFiles): Promise<Finding[]> {
  const { rowCount, brokenRows } = await withTables(async ({ input }) => input);
  const findings = [
    met('input', `${paths.input} has ${rowCount} contacts and all required columns`),
    met('output', `${paths.output} can be replaced`),
    ...brokenFindings(brokenRows),
  ];
  if (journal.pending === 0) return findings;
  const message = `the pending changes in ${journal.path} will be in the output after the next sync`;
  return [...findings, met('journal', message)];
}

/** Reports the encoding. A file without a byte order mark may have a different encoding. */
async function checkEncoding(
  { withTables, paths }: CsvFiles,
  { encoding }: CsvSettings,
): Promise<Finding[]> {
  const { dialect } = (await withTables(async ({ input }) => input)).header;
  if (dialect.encoding === encoding || dialect.byteOrderMark) return [];
  return [
    {
      subject: 'encoding',
      ok: true,
      message: `${paths.input} is ${dialect.encoding.toUpperCase()}, although crm.encoding is ${encoding}: it is read as UTF-8, and a sync writes the output in UTF-8`,
      fix: 'Set crm.encoding to utf-8 after the next sync. If programs that read the output need Latin-1, export the input in Latin-1 again.',
    },
  ];
}

async function checkOwner({ paths }: Pick<CsvFiles, 'paths'>): Promise<Finding[]> {
  const uid = process.getuid?.();
  const file = await stat(paths.output).catch(() => null);
  if (uid === undefined || file === null) return [];
  const groups = [process.getgid?.() ?? -1, ...(process.getgroups?.() ?? [])];
  return ownerFindings(paths.output, file, { uid, groups });
}

/** The maximum number of rows that a finding names. */
const ROWS_NAMED = 10;

function brokenFindings(rows: readonly Problem[]): Finding[] {
  if (rows.length === 0) return [];
  const named = rows.slice(0, ROWS_NAMED).map(({ line, row = line }) => String(row));
  const others = rows.length > named.length ? ' and others' : '';
  const message = `${rows.length} rows cannot be read and are skipped: ${named.join(', ')}${others}`;
  const [first] = rows;
  const fix = `Correct them in the file. The problem in row ${first?.row ?? first?.line}: ${first?.message ?? ''}`;
  return [{ subject: 'bad rows', ok: true, message, fix }];
}

/** The number of contacts of each kind, counted with these settings. */
interface Counts {
  all: number;
  named: number;
  optedOut: number;
  deceased: number;
  do_not_contact: number;
  row_unreadable: number;
  mark_unknown: number;
  /** For each column, the number of rows that contain a word that is in neither list of the settings. */
  unknownWords: Map<string, Map<string, number>>;
}

/**
 * Counts the contacts that donor-sync reads with the columns in the settings. The counts reveal a wrong column before
 * the mistake costs credits.
 */
async function countContacts(files: CsvFiles, options: ContactColumns): Promise<Finding[]> {
  const counts = await files.withTables(async ({ input }) => {
    const found: Counts = {
      all: 0,
      named: 0,
      optedOut: 0,
      deceased: 0,
      do_not_contact: 0,
      row_unreadable: 0,
      mark_unknown: 0,
      unknownWords: new Map(),
    };
    for await (const rows of input.rows()) {
      for (const row of rows) {
        if (row.id === '') continue;
        const contact = toContact(row, input, options);
        count(found, contact);
        if (contact.excluded !== 'mark_unknown') continue;
        for (const { column, word } of unknownWords(row, input, options)) {
          const words = found.unknownWords.get(column) ?? new Map<string, number>();
          words.set(word, (words.get(word) ?? 0) + 1);
          found.unknownWords.set(column, words);
        }
      }
    }
    return found;
  });
  return [
    checkNames(counts),
    ...checkMarks(counts, options.contacts),
    ...checkMostMarked(await files.withTables(async ({ input }) => input.marks)),
    ...checkWords(counts, options.contacts),
    ...checkMissingMarks(options.contacts),
    ...checkParts(options.settings),
  ];
}

function count(counts: Counts, { firstName, lastName, optedOut, excluded }: Contact): void {
  counts.all += 1;
  if (firstName !== null && lastName !== null) counts.named += 1;
  if (optedOut) counts.optedOut += 1;
  if (excluded != null) counts[excluded] += 1;
}

/**
 * The lowest share of contacts with a name that is plausible. Below it, the settings probably contain a wrong column.
 */
const LEAST_NAMED_SHARE = 0.5;

function checkNames({ all, named }: Counts): Finding {
  const isDoubtful = named < all * LEAST_NAMED_SHARE;
  return {
    subject: 'names',
    ok: named > 0 || all === 0,
    message: `${named} of ${all} contacts have a first and a last name`,
    fix: isDoubtful
      ? 'Check that crm.columns names the right columns. Set crm.columns.fullName if one column holds the full name.'
      : null,
  };
}

function checkMarks(counts: Counts, contacts: ContactsSettings): Finding[] {
  const { optOutField, optOutValues, deceasedField, doNotContactField } = contacts;
  const findings: Finding[] = [];
  if (optOutField !== null) {
    const message = `${counts.optedOut} of ${counts.all} contacts have opted out according to "${optOutField}"`;
    const isDoubtful = counts.optedOut === 0 && optOutValues != null;
    const fix = isDoubtful ? 'Check that contacts.optOutValues lists values of this column.' : null;
    findings.push({ subject: 'opt-out', ok: true, message, fix });
  }
  if (deceasedField != null) {
    findings.push(
      met(
        'deceased',
        `${counts.deceased} of ${counts.all} contacts are excluded by "${deceasedField}"`,
      ),
    );
  }
  if (doNotContactField != null) {
    const message = `${counts.do_not_contact} of ${counts.all} contacts are excluded by "${doNotContactField}"`;
    findings.push(met('do not contact', message));
  }
  return findings;
}

/** Reports mark columns that exclude most contacts. A sync asks a user to decide about each of these columns. */
function checkMostMarked(marks: readonly MarkCount[]): Finding[] {
  return marks.filter(leavesOutMost).map((mark) => ({
    subject: 'marks',
    ok: true,
    message: markText(mark),
    fix: 'If this is right, confirm it once with `donor-sync sync --accept-marks`. Until then a sync sends no contacts. Otherwise name another column, or list its values in the settings.',
    report: 'a mark excludes more than half of the contacts',
  }));
}

/**
 * Reports words in mark columns whose meaning a user has to define. Contacts with these words wait until a user has
 * defined the meaning.
 */
function checkWords(
  { all, mark_unknown, unknownWords }: Counts,
  contacts: ContactsSettings,
): Finding[] {
  return markColumns(contacts).flatMap(({ kind, column }) => {
    const words = [...(unknownWords.get(column) ?? [])];
    return unknownMarks({ kind, field: column, values: words, ok: mark_unknown * 2 <= all });
  });
}

function unknownWords(
  row: Row,
  { positions }: Pick<Table, 'positions'>,
  { contacts }: ContactColumns,
) {
  return markColumns(contacts).flatMap(({ column, listed }) => {
    const word = readCell(row.cells[positions.get(column) ?? -1] ?? '').trim();
    const isUnknown = meaningOfMark(word, listed) === 'unknown';
    return isUnknown ? [{ column, word }] : [];
  });
}

/** Reports the parts of a contact's identity that no column provides, and how this affects matches and costs. */
function checkParts({ columns }: Pick<CsvSettings, 'columns'>): Finding[] {
  return missingParts(columns).map(({ part, price }) => ({
    subject: part,
    ok: true,
    message: `no column of the file is read as ${part === 'address' ? 'an address' : 'an employer'}: ${price}`,
    fix: `If the file has one, name it in crm.columns.${part === 'address' ? 'addresses' : 'employers'}.`,
  }));
}

/**
 * Reports the marks for which the settings name no column, because many files lack these columns. donor-sync spends
 * credits on contacts that these marks would exclude.
 */
function checkMissingMarks(contacts: ContactsSettings): Finding[] {
  const message = missingMarksText({
    optOut: contacts.optOutField,
    deceased: contacts.deceasedField ?? null,
    doNotContact: contacts.doNotContactField ?? null,
  });
  if (message === null) return [];
  const fix =
    'If the file has such columns, name them in contacts.optOutField, contacts.deceasedField and contacts.doNotContactField.';
  return [{ subject: 'marks', ok: true, message, fix }];
}

function met(subject: string, message: string): Finding {
  return { subject, ok: true, message, fix: null };
}

function unusable(settings: CsvSettings, error: unknown): Finding {
  const isOurs = isDonorSyncError(error);
  return {
    subject: 'files',
    ok: false,
    message: messageOf(error),
    fix: isOurs
      ? `Correct ${settings.path} or the crm section of the settings as the message says.`
      : 'Read the message. If it does not help, report it with the version of donor-sync.',
  };
}
