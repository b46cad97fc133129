import { z } from 'zod';
import type { ContactsSettings, IdentityShape, IdentitySource } from '../contract.ts';
import { ENCODINGS } from './sources/encoding.ts';

/** The separators that a file may use between its cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

const columnName = z.string().trim().min(1);

const columnsSchema = z.strictObject({
  id: columnName,
  /** Set both of these, or only `fullName`. */
  firstName: columnName.optional(),
  lastName: columnName.optional(),
  /** One column with the whole name, as `Last, First` or `First Last`. */
  fullName: columnName.optional(),
  /** The parts of one address, which are joined by ", ". */
  addresses: z.array(columnName).default([]),
  /** One column for each employer, current employer first. */
  employers: z.array(columnName).default([]),
});

type Columns = z.infer<typeof columnsSchema>;

/** The `crm` part of the settings for an integration with a CSV file (design, section 4.2). */
export const csvSettingsSchema = z.strictObject({
  kind: z.literal('csv'),
  /** The file that users edit. */
  path: z.string().min(1),
  /** The file that is written. If omitted, `path` itself is replaced as a whole. */
  output: z.string().min(1).optional(),
  columns: columnsSchema.superRefine((columns, context) => {
    const problem = nameProblem(columns);
    if (problem === null) return;
    const { setting, message } = problem;
    context.addIssue({ code: 'custom', path: [setting], message });
  }),
  /** The sheet of a workbook (.xlsx). If omitted, donor-sync reads the first sheet with a table. */
  sheet: z.string().min(1).optional(),
  /** If omitted, donor-sync chooses the delimiter that results in a header with the columns above. */
  delimiter: z.enum(DELIMITERS).optional(),
  /** A file that starts with a byte order mark is read as UTF-8 regardless of this setting. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /** `stop`: an unreadable row stops the run before any work is done. `skip`: only that row is skipped. */
  badRows: z.enum(['stop', 'skip']).default('stop'),
});

export type CsvSettings = z.infer<typeof csvSettingsSchema>;

/**
 * Returns the problem if both parts of a name are in one column. Otherwise people who do not exist would be submitted
 * to the service, at one credit each. Use `crm.columns.fullName` for such a column.
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

/** A group: the rows whose cell in `column` equals `equals`. Surrounding white space is ignored. */
export const csvGroupSchema = z.strictObject({
  column: columnName,
  equals: z.string().trim().min(1),
});

export interface NamedColumn {
  name: string;
  setting: string;
}

/** Returns all columns that the input must have. The ID column comes first. */
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

/** If a file can be read, it can always be read completely. */
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
