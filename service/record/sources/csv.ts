/**
 * Reads donors and their roles from an operator's two CSV files. The guide docs/guides/service.md describes the
 * columns.
 */

import { basename } from 'node:path';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import type { SourceNote } from '../../donor.ts';
import { type Entry, entryOf, type NamedGift, type NamedRole } from '../entry.ts';
import { keyIn } from '../lists.ts';
import { ImportProblem } from '../problem.ts';
import { readCsv } from './csv-rows.ts';

/** The operator's statements about the files. */
export interface CsvOptions {
  /** A second file with the donors' roles and gifts. */
  roles: string | null;
  /**
   * The name of the collection of data. Two files with one name belong to one collection, in which an ID always means
   * the same person.
   */
  source: string;
  date: string;
  confidence: number;
}

/** A cell. A missing cell counts as empty. */
const cell = z.string().default('');
const noDay = 'is not a date: write 2026-11-22';
const dayOrNone = z.string().default('').refine(isDayOrNone, noDay);
const dollarsOrNone = z
  .string()
  .default('')
  .transform((text, context) => {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    if (text !== '') context.addIssue('is not a whole number of dollars: write 250000');
    return null;
  });

function isDayOrNone(text: string): boolean {
  return text === '' || z.iso.date().safeParse(text).success;
}

const donorRow = z
  .object({
    id: z.string({ error: 'is missing' }).min(1, 'is empty'),
    first_name: z.string({ error: 'is missing' }).min(1, 'is empty'),
    middle_name: cell,
    last_name: z.string({ error: 'is missing' }).min(1, 'is empty'),
    suffix: cell,
    birth: cell.refine(
      (text) => /^\d{4}$/.test(text) || isDayOrNone(text),
      'is neither a date (1960-03-09) nor a year (1960)',
    ),
    deceased: z.enum(['', 'yes', 'no'], 'is neither yes nor no').default(''),
    street: cell,
    city: cell,
    state: z
      .string()
      .regex(/^([A-Z]{2})?$/, 'is not two capital letters')
      .default(''),
    postal_code: z
      .string()
      .regex(/^(\d{5}(-\d{4})?)?$/, 'is not a ZIP code')
      .default(''),
    net_worth_low: dollarsOrNone,
    net_worth_high: dollarsOrNone,
    capacity: dollarsOrNone,
    bio: cell,
  })
  .refine(
    ({ net_worth_low: low, net_worth_high: high }) =>
      (low === null) === (high === null) && (low ?? 0) <= (high ?? 0),
    {
      path: ['net_worth_low'],
      message: 'needs net_worth_high in the same row, and it must not be lower',
    },
  );

const roleRow = z
  .object({
    donor_id: z.string({ error: 'is missing' }).min(1, 'is empty'),
    kind: z.enum(['work', 'board', 'education', 'gift'], 'must be work, board, education or gift'),
    organization: z.string({ error: 'is missing' }).min(1, 'is empty'),
    ein: z
      .string()
      .regex(/^(\d{2}-?\d{7})?$/, 'is not an EIN: write 12-3456789')
      .default(''),
    title: cell,
    start: z.iso.date({ error: noDay }),
    end: dayOrNone,
    amount: dollarsOrNone,
  })
  .refine(({ kind, amount }) => kind !== 'gift' || amount !== null, {
    path: ['amount'],
    message: 'is empty: a gift needs an amount, and its date in start',
  })
  .refine(({ start, end }) => end === '' || start <= end, {
    path: ['end'],
    message: 'is before start',
  });

const COLUMNS = {
  donors: new Set(Object.keys(donorRow.shape)),
  roles: new Set(Object.keys(roleRow.shape)),
};

/**
 * Reads the donors of a file with their roles. The function reads all lines before it reports problems, so that the
 * operator sees all problems together. If the function throws, the caller must not import any data.
 */
export async function* readCsvDonors(
  db: Database,
  file: string,
  options: CsvOptions,
): AsyncGenerator<Entry> {
  const problems = createProblems();
  const held = holdRoles(db);
  try {
    if (options.roles !== null) {
      for await (const { row, line, problem } of readCsv(options.roles)) {
        const where = `${basename(options.roles)}:${line}`;
        if (problem !== null) problems.add(`${where}: ${problem}`);
        const parsed = problems.check(roleRow, COLUMNS.roles, row, where);
        if (parsed?.kind === 'gift' && parsed.start > options.date) {
          problems.add(`${where}: start ${isAfterFile(options)}`);
        }
        if (parsed) held.add(parsed.donor_id, where, JSON.stringify(parsed));
      }
    }
    const ids = new Set<string>();
    for await (const { row, line, problem } of readCsv(file)) {
      const where = `${basename(file)}:${line}`;
      if (problem !== null) problems.add(`${where}: ${problem}`);
      const parsed = problems.check(donorRow, COLUMNS.donors, row, where);
      if (parsed === null) continue;
      if (ids.has(parsed.id)) problems.add(`${where}: id is that of a line above`);
      ids.add(parsed.id);
      const birth = problemOfBirth(parsed, options);
      if (birth !== null) problems.add(`${where}: birth ${birth}`);
      const roles = held.take(parsed.id).map((text) => roleRow.parse(asCells(JSON.parse(text))));
      if (problems.count() === 0) yield toEntry(parsed, roles, options);
    }
    for (const where of held.left()) problems.add(`${where}: donor_id is that of no donor`);
  } finally {
    held.close();
  }
  if (problems.count() > 0)
    throw new ImportProblem(basename(file), problems.named(), problems.count());
}

function isAfterFile({ date }: CsvOptions): string {
  return `is after ${date}, the date of the file`;
}

/** The highest age in years. Nobody has lived longer. */
const OLDEST = 122;

/**
 * Returns the reason why a date of birth cannot be correct, or null if it is plausible. An incorrect date would lead to
 * a profile with a negative age or an age of a thousand years.
 */
function problemOfBirth(
  { birth, deceased }: z.infer<typeof donorRow>,
  options: CsvOptions,
): string | null {
  if (birth === '') return null;
  if (birth > options.date) return isAfterFile(options);
  const age = Number(options.date.slice(0, 4)) - Number(birth.slice(0, 4));
  return age > OLDEST && deceased !== 'yes'
    ? `is ${age} years ago: correct it, or write yes under deceased`
    : null;
}

/**
 * Reads the birthdays in a list of donors and returns them unchanged. Another function (`readCsvDonors`) reports the
 * problems.
 */
export async function readBirths(file: string): Promise<string[]> {
  const births: string[] = [];
  for await (const { row } of readCsv(file)) {
    const born = row['birth']?.trim() ?? '';
    if (born !== '') births.push(born);
  }
  return births;
}

/** The maximum number of problems that are kept in memory. */
const MOST_KEPT = 100;

function createProblems() {
  const named: string[] = [];
  let count = 0;
  function add(problem: string): void {
    count += 1;
    if (named.length < MOST_KEPT) named.push(problem);
  }
  return {
    add,
    count: () => count,
    named: () => named,
    check<T>(
      schema: z.ZodType<T>,
      columns: ReadonlySet<string>,
      row: object,
      where: string,
    ): T | null {
      const unknown = Object.keys(row).filter((name) => !columns.has(name));
      if (unknown.length > 0) {
        throw new ImportProblem(where, [
          `The columns ${unknown.join(', ')} are not known. Known: ${[...columns].join(', ')}.`,
        ]);
      }
      const result = schema.safeParse(row);
      if (result.success) return result.data;
      const issues = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
      add(`${where}: ${issues.join('; ')}`);
      return null;
    },
  };
}

/** Stores roles in the database during the import, because a million donors have ten million roles. */
function holdRoles(db: Database) {
  db.exec(`
    drop table if exists temp.held_roles;
    create temp table held_roles (donor text not null, place text not null, role text not null);
    create index temp.held_roles_by_donor on held_roles (donor);
  `);
  const insert = db.prepare<[string, string, string]>(
    'insert into temp.held_roles values (?, ?, ?)',
  );
  const select = db
    .prepare<[string], string>('select role from temp.held_roles where donor = ? order by rowid')
    .pluck();
  const remove = db.prepare<[string]>('delete from temp.held_roles where donor = ?');
  const left = db
    .prepare<[number], string>('select place from temp.held_roles order by rowid limit ?')
    .pluck();
  return {
    add: (donor: string, place: string, role: string) => insert.run(donor, place, role),
    take(donor: string): string[] {
      const roles = select.all(donor);
      remove.run(donor);
      return roles;
    },
    left: () => left.all(MOST_KEPT),
    close: () => db.exec('drop table if exists temp.held_roles'),
  };
}

/** Converts a stored row back to cells. */
function asCells(row: unknown): Record<string, string> {
  const cells = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).parse(row);
  return Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [name, String(value ?? '')]),
  );
}

function toEntry(
  row: z.infer<typeof donorRow>,
  roles: readonly z.infer<typeof roleRow>[],
  { source, date, confidence }: CsvOptions,
): Entry {
  const note: SourceNote = { source, reference: `id ${row.id}`, date, confidence };
  const { street, city, state, postal_code: postalCode } = row;
  return entryOf({
    keys: [keyIn(`csv:${source}`, row.id)],
    name: {
      first: row.first_name,
      middle: row.middle_name || null,
      last: row.last_name,
      suffix: row.suffix.replace('.', '') || null,
    },
    source: note,
    born: row.birth,
    isDeceased: row.deceased === 'yes',
    addresses: city === '' ? [] : [{ street, city, state, postalCode: postalCode.slice(0, 5) }],
    roles: roles.flatMap((role) => toRole(role, note)),
    gifts: roles.flatMap((role) => toGift(role, note)),
    netWorth:
      row.net_worth_low === null || row.net_worth_high === null
        ? null
        : { value: { low: row.net_worth_low, high: row.net_worth_high }, source: note },
    capacity: row.capacity === null ? null : { value: row.capacity, source: note },
    bio: row.bio === '' ? [] : [row.bio],
  });
}

const SIDES = { work: 'work', board: 'boards', education: 'education' } as const;

function toRole(
  { kind, organization, ein, title, start, end }: z.infer<typeof roleRow>,
  source: SourceNote,
): NamedRole[] {
  if (kind === 'gift') return [];
  return [
    {
      side: SIDES[kind],
      organisation: organisationOf(organization, ein),
      title,
      start,
      end: end === '' ? null : end,
      source,
    },
  ];
}

function toGift(
  { kind, organization, ein, start, amount }: z.infer<typeof roleRow>,
  source: SourceNote,
): NamedGift[] {
  if (kind !== 'gift' || amount === null) return [];
  return [{ organisation: organisationOf(organization, ein), amount, date: start, source }];
}

function organisationOf(name: string, ein: string) {
  return { name, ein: ein === '' ? null : ein.replace('-', '') };
}
