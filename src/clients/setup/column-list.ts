/** Lists the columns of a file with their meaning. All functions are pure. */

import { settingNames } from '../../../connectors/csv/setting-names.ts';
import {
  areNamesOfRelatives,
  type ContentKind,
  contentKind,
  shapeOfValue,
} from './column-content.ts';
import type { CsvHeader } from './csv-header.ts';

/** The columns for the parts and marks of a contact. */
export interface ChosenColumns {
  id: string | null;
  firstName: string | null;
  lastName: string | null;
  fullName: string | null;
  addresses: readonly string[];
  employers: readonly string[];
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
}

export interface ColumnLine {
  name: string;
  /** The part of a contact in this column, or null if the column is not used. */
  use: string | null;
  /** The first value that is not blank, or null if all values are blank. */
  example: string | null;
  shape: string;
}

/** The maximum length of an example. Longer examples are shortened. */
const EXAMPLE_LENGTH = 60;

/** Lists all columns in the order of the file. */
export function listFileColumns(
  { names, sample }: Pick<CsvHeader, 'names' | 'sample'>,
  chosen: ChosenColumns,
): ColumnLine[] {
  const contacts = sample.map((row) => readOwnName(row, chosen));
  return settingNames(names).map((other, at) => {
    const name = other ?? names[at] ?? '';
    const values = sample.map((row) => row.get(name)?.trim() ?? '');
    const example = values.find((value) => value !== '') ?? null;
    const use = describeUse(name, chosen);
    const kind = contentKind(values);
    const areRelatives =
      use === null &&
      kind === 'whole name' &&
      areNamesOfRelatives(
        values.map((value, row) => ({ name: value, contact: contacts[row] ?? '' })),
      );
    return {
      name,
      use,
      example: example === null ? null : example.replace(/\s+/g, ' ').slice(0, EXAMPLE_LENGTH),
      shape: areRelatives ? 'name of a relative' : describeShape(kind, example),
    };
  });
}

function describeShape(kind: ContentKind, example: string | null): string {
  if (example === null) return 'blank';
  return kind === 'text' ? shapeOfValue(example) : kind;
}

function readOwnName(
  row: ReadonlyMap<string, string>,
  { firstName, lastName, fullName }: ChosenColumns,
): string {
  const columns = fullName === null ? [firstName, lastName] : [fullName];
  return columns.map((column) => (column === null ? '' : (row.get(column) ?? ''))).join(' ');
}

function describeUse(name: string, chosen: ChosenColumns): string | null {
  if (name === chosen.id) return 'id';
  if (name === chosen.firstName) return 'first name';
  if (name === chosen.lastName) return 'last name';
  if (name === chosen.fullName) return 'whole name';
  if (chosen.addresses.includes(name)) return 'address';
  if (chosen.employers.includes(name)) return 'employer';
  const marks = [
    name === chosen.optOut ? 'opt-out' : null,
    name === chosen.deceased ? 'deceased' : null,
    name === chosen.doNotContact ? 'do not contact' : null,
  ].filter((mark) => mark !== null);
  return marks.length === 0 ? null : marks.join(', ');
}
