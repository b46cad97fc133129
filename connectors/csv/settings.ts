import { z } from 'zod';
import type { ContactsSettings, IdentityShape, IdentitySource } from '../contract.ts';
import { ENCODINGS } from './sources/encoding.ts';

/** The delimiters that a file may use between its cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

const columnName = z.string().trim().min(1);

const columnsSchema = z.strictObject({
  id: columnName,
  /** The settings must contain either both `firstName` and `lastName`, or only `fullName`. */
  firstName: columnName.optional(),
  lastName: columnName.optional(),
  /** The column that contains the whole name in the form `Last, First` or `First Last`. */
  fullName: columnName.optional(),
  /** The columns with the parts of one address. donor-sync joins the parts with ", ". */
  addresses: z.array(columnName).default([]),
  /** One column for each employer. The first column contains the current employer. */
  employers: z.array(columnName).default([]),
});

type Columns = z.infer<typeof columnsSchema>;

/** The `crm` part of the settings for a client with a CSV file (design, section 4.2). */
export const csvSettingsSchema = z.strictObject({
  kind: z.literal('csv'),
  /** The file that users edit. */
  path: z.string().min(1),
  /** The file that donor-sync writes. If this setting is omitted, donor-sync replaces the file at `path`. */
  output: z.string().min(1).optional(),
  columns: columnsSchema.superRefine((columns, context) => {
    const problem = nameProblem(columns);
    if (problem === null) return;
    const { setting, message } = problem;
    context.addIssue({ code: 'custom', path: [setting], message });
  }),
  /**
   * The name of the sheet in a workbook (.xlsx). If this setting is omitted, donor-sync reads the first sheet with a
   * table.
   */
  sheet: z.string().min(1).optional(),
  /**
   * The delimiter. If the delimiter is omitted, donor-sync chooses the one with which the header contains the columns
   * above.
   */
  delimiter: z.enum(DELIMITERS).optional(),
  /** The encoding. If a file starts with a byte order mark, donor-sync always reads it as UTF-8. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /**
   * The value `stop` means that an unreadable row stops the run before any contact is processed. The value `skip` means
   * that donor-sync skips only the unreadable row.
   */
  badRows: z.enum(['stop', 'skip']).default('stop'),
});

export type CsvSettings = z.infer<typeof csvSettingsSchema>;

/**
 * Returns the problem if the settings use one column for both the first and the last name. Such settings would submit
 * people who do not exist to the service, and each would cost one credit. A column that contains both names belongs in
 * `crm.columns.fullName`.
 */
function nameProblem({ firstName, lastName, fullName }: Columns) {
  const areBoth = firstName !== undefined && lastName !== undefined;
  if (fullName !== undefined && (firstName !== undefined || lastName !== undefined)) {
    const message =
      'cannot be combined with firstName or lastName: set firstName and lastName, each with a separate column, or only crm.columns.fullName';
    return { setting: 'fullName', message };
  }
  if (areBoth && firstName === lastName) {
    const message = `"${lastName}" is also the column of the first name: if the column holds the full name, set crm.columns.fullName instead of both`;
    return { setting: 'lastName', message };
  }
  if (fullName !== undefined || areBoth) return null;
  const setting = firstName === undefined ? 'firstName' : 'lastName';
  const message = 'set this column, or set crm.columns.fullName if one column holds the full name';
  return { setting, message };
}

/**
 * A group. The members of the group are the rows whose cell in `column` is equal to `equals`. donor-sync ignores white
 * space at both ends of the cell.
 */
export const csvGroupSchema = z.strictObject({
  column: columnName,
  equals: z.string().trim().min(1),
});

export interface NamedColumn {
  name: string;
  setting: string;
}

/** Returns all columns that the input must contain. The result starts with the ID column. */
export function requiredColumns(settings: CsvSettings, contacts: ContactsSettings): NamedColumn[] {
  const { id, firstName, lastName, fullName, addresses, employers } = settings.columns;
  const columns = [
    { name: id, setting: 'crm.columns.id' },
    { name: firstName, setting: 'crm.columns.firstName' },
    { name: lastName, setting: 'crm.columns.lastName' },
    { name: fullName, setting: 'crm.columns.fullName' },
    ...addresses.map((name) => ({ name, setting: 'crm.columns.addresses' })),
    ...employers.map((name) => ({ name, setting: 'crm.columns.employers' })),
    { name: contacts.optOutField, setting: 'contacts.optOutField' },
    { name: contacts.deceasedField, setting: 'contacts.deceasedField' },
    { name: contacts.doNotContactField, setting: 'contacts.doNotContactField' },
  ];
  return columns.flatMap(({ name, setting }) => (name == null ? [] : [{ name, setting }]));
}

/** Returns the parts of an identity. donor-sync can read every part of an identity if it can read the file. */
export function getIdentityShape({ columns }: CsvSettings): IdentityShape {
  const { firstName, lastName, fullName, addresses, employers } = columns;
  const names = fullName === undefined ? { firstName, lastName } : { fullName };
  return {
    columns: JSON.stringify({ ...names, addresses, employers }),
    mode: 'plain',
    names: [firstName, lastName, fullName].filter((name) => name !== undefined),
    sources: [...addresses.map(toSource('addresses')), ...employers.map(toSource('employers'))],
  };
}

function toSource(part: IdentitySource['part']): (name: string) => IdentitySource {
  return (name) => ({ name, part, readable: true });
}
