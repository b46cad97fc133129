import { z } from 'zod';
import { ENCODINGS } from './encoding.ts';

/** The separators a file may use between its cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

const columnName = z.string().trim().min(1);

/** The `crm` part of the settings of an integration with a CSV file (design, section 4.2). */
export const csvSettingsSchema = z.strictObject({
  kind: z.literal('csv'),
  /** The file that people edit. */
  path: z.string().min(1),
  /** The file that is written; omitted: `path` itself, replaced as a whole. */
  output: z.string().min(1).optional(),
  columns: z.strictObject({
    id: columnName,
    firstName: columnName,
    lastName: columnName,
    /** The parts of one address, joined by ", ". */
    addresses: z.array(columnName).default([]),
    /** One employer each, the present one first. */
    employers: z.array(columnName).default([]),
  }),
  /** Omitted: the one that gives a header line with the columns above. */
  delimiter: z.enum(DELIMITERS).optional(),
  /** A file that begins with a byte order mark is read as UTF-8 whatever stands here. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
});

export type CsvSettings = z.infer<typeof csvSettingsSchema>;

/** A group: the rows whose cell in `column` is `equals`, white space around it aside. */
export const csvGroupSchema = z.strictObject({
  column: columnName,
  equals: z.string().trim().min(1),
});

/** A column that the settings name, and where they name it. */
export interface NamedColumn {
  name: string;
  setting: string;
}

/** Every column that the input must have. */
export function requiredColumns(settings: CsvSettings, optOutField: string | null): NamedColumn[] {
  const { id, firstName, lastName, addresses, employers } = settings.columns;
  const columns = [
    { name: id, setting: 'crm.columns.id' },
    { name: firstName, setting: 'crm.columns.firstName' },
    { name: lastName, setting: 'crm.columns.lastName' },
    ...addresses.map((name) => ({ name, setting: 'crm.columns.addresses' })),
    ...employers.map((name) => ({ name, setting: 'crm.columns.employers' })),
  ];
  return optOutField === null
    ? columns
    : [...columns, { name: optOutField, setting: 'contacts.optOutField' }];
}
