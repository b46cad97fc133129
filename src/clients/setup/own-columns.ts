/**
 * Finds the file's own columns that have the same name as a column of donor-sync, such as a charity's "Donor ID".
 * donor-sync never writes to the file's own column, but to a column with a different name.
 */
import { resolve } from 'node:path';
import { openJournal } from '../../../connectors/csv/journal.ts';
import type { FieldMapping } from '../../core/field-map.ts';

/** The form of the service's IDs. */
const DONOR_ID = /^[0-9a-f]{32}$/;

/** The minimum share of service IDs in a column that donor-sync wrote. Users may have edited some of the values. */
const LEAST_OURS = 0.9;

export interface FileStart {
  names: readonly string[];
  sample: readonly ReadonlyMap<string, string>[];
}

export interface KnownColumns {
  /** The columns in the journal of the result file. */
  journal: ReadonlySet<string>;
  /** The columns to which the previous settings write. */
  previous: ReadonlySet<string>;
  /** The column with the contacts' IDs, or null if no column has been chosen yet. */
  id: string | null;
}

/** Returns the file's own columns that the lines of the field map would overwrite. A pure function. */
export function findOwnColumns(
  { names, sample }: FileStart,
  mappings: readonly FieldMapping[],
  { journal, previous, id }: KnownColumns,
): Set<string> {
  const carriesOurs = mappings.some(
    ({ from, to }) =>
      from === 'donorId' && to !== id && hasDonorIds(sample.map((row) => row.get(to) ?? '')),
  );
  const own = mappings.filter(({ to }) => {
    const times = names.filter((name) => name === to).length;
    if (times === 0) return false;
    if (times > 1 || to === id) return true;
    if (carriesOurs || journal.has(to) || previous.has(to)) return false;
    return sample.some((row) => (row.get(to) ?? '').trim() !== '');
  });
  return new Set(own.map(({ to }) => to));
}

/** True if a column contains the service's IDs. */
export function hasDonorIds(values: readonly string[]): boolean {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '');
  const ours = filled.filter((value) => DONOR_ID.test(value)).length;
  return ours > 0 && ours >= LEAST_OURS * filled.length;
}

/** Renames donor-sync's fields if the file already uses their names. A pure function. */
export function renameOurs(
  mappings: readonly FieldMapping[],
  own: ReadonlySet<string>,
  names: readonly string[],
): FieldMapping[] {
  const taken = new Set([...names, ...mappings.map(({ to }) => to)]);
  return mappings.map((line) => {
    if (!own.has(line.to)) return line;
    const to = freeName(line.to, taken);
    taken.add(to);
    return { ...line, to };
  });
}

/** The suffix of a renamed field. */
export const RENAMED = ' (service)';

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = `${name}${number === 1 ? RENAMED : ` (service ${number})`}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Describes each renamed field in a sentence. */
export function renamedTexts(
  before: readonly FieldMapping[],
  after: readonly FieldMapping[],
): string[] {
  return after.flatMap(({ to }, at) => {
    const was = before[at]?.to;
    return was === undefined || was === to
      ? []
      : [
          `The file already has a column "${was}", which stays as it is. donor-sync's column is called "${to}".`,
        ];
  });
}

/** Returns the columns in the journal. Returns an empty list if there is no journal. */
export async function readJournalColumns(output: string, cwd: string): Promise<Set<string>> {
  const journal = await openJournal(`${resolve(cwd, output)}.donor-sync-journal`);
  try {
    return new Set([...journal.createdColumns, ...journal.keptColumns]);
  } finally {
    await journal.close();
  }
}

/** Returns a note about column names that occur twice. A pure function. */
export function twiceText(names: readonly string[]): string | null {
  const twice = [...new Set(names.filter((name, at) => name !== '' && names.indexOf(name) !== at))];
  if (twice.length === 0) return null;
  const listed = twice.slice(0, MOST_TWICE).map((name) => `"${name.slice(0, NAME_LENGTH)}"`);
  const others = twice.length > listed.length ? ', …' : '';
  const [first = ''] = listed;
  const example = first.slice(0, -1);
  return `Several columns have the same name: ${listed.join(', ')}${others}. They are distinguished by their position: ${example} (1)", ${example} (2)" and so on. Check that the right columns are used.`;
}

/** The maximum number of names in a note, and the maximum number of characters per name. */
const MOST_TWICE = 10;
const NAME_LENGTH = 60;
