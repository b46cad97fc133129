import { z } from 'zod';
import type { Finding } from '../../../connectors/contract.ts';
import { type ColumnLine, listFileColumns } from '../../clients/setup/column-list.ts';
import { readCsvHeader } from '../../clients/setup/csv-header.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { describeCount } from '../../core/quantities.ts';
import { met } from './checks.ts';

const fileSchema = z.object({
  kind: z.literal('csv'),
  path: z.string(),
  sheet: z.string().optional(),
  columns: z.object({
    id: z.string(),
    firstName: z.string().nullable().default(null),
    lastName: z.string().nullable().default(null),
    fullName: z.string().nullable().default(null),
    addresses: z.array(z.string()).default([]),
    employers: z.array(z.string()).default([]),
  }),
});

/** The maximum number of columns in a finding, and the maximum length of their names. */
const COLUMNS_NAMED = 60;
const NAME_LENGTH = 60;

/**
 * Lists the columns of a file, so that users notice an overlooked address before it costs credits. Does not show
 * values. Applies only to files.
 */
export async function checkColumns({ crm, contacts }: Integration): Promise<Finding[]> {
  const file = fileSchema.safeParse(crm);
  if (!file.success) return [];
  const header = await readCsvHeader(file.data.path, '/', file.data.sheet ?? null);
  // The connector's own check reports problems with the file in more detail.
  if ('problem' in header) return [];
  const lines = listFileColumns(header, {
    ...file.data.columns,
    optOut: contacts.optOutField,
    deceased: contacts.deceasedField ?? null,
    doNotContact: contacts.doNotContactField ?? null,
  });
  const unused = lines.filter(({ use }) => use === null);
  const read = lines.filter(({ use }) => use !== null);
  const used = met(
    'columns read',
    listText(read, ({ use }) => use ?? ''),
  );
  if (unused.length === 0) return [{ ...used, report: countText(read) }];
  const left = met(
    'columns not read',
    listText(unused, ({ shape }) => shape),
  );
  return [
    { ...used, report: countText(read) },
    { ...left, report: countText(unused) },
  ];
}

function countText(lines: readonly ColumnLine[]): string {
  return describeCount(lines.length, 'column');
}

function listText(lines: readonly ColumnLine[], said: (line: ColumnLine) => string): string {
  const named = lines
    .slice(0, COLUMNS_NAMED)
    .map((line) => `"${line.name.slice(0, NAME_LENGTH)}" (${said(line)})`);
  const others = lines.length > named.length ? ` and ${lines.length - named.length} others` : '';
  return `${named.join(', ')}${others}`;
}
