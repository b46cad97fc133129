import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import { unknownGroup } from '../group-members.ts';
import type { SalesforceApi } from './api.ts';
import { crmCodeOf } from './errors.ts';
import { contactId } from './ids.ts';

/** The part of a report's result that lists people. */
const reportSchema = z.object({
  /** False if Salesforce has left rows out. */
  allData: z.boolean(),
  hasDetailRows: z.boolean().default(true),
  /** The rows of each grouping; `T!T` is the whole. */
  factMap: z.record(
    z.string(),
    z.object({
      rows: z.array(z.object({ dataCells: z.array(z.object({ value: z.unknown() })) })).default([]),
    }),
  ),
  reportMetadata: z.object({
    name: z.string().default(''),
    detailColumns: z.array(z.string()).default([]),
  }),
});

type Report = z.infer<typeof reportSchema>;

/** The most rows that Salesforce gives of a report (CRM facts, section A2). */
const MAX_ROWS = 2_000;

/** Columns that hold the id of the contact itself rather than of somebody related. */
const CONTACT_ID_COLUMN =
  /^(CONTACT_ID|CONTACT\.ID|CONT_ID|CONTACTID|.*\bCONTACT\.ID|.*CONTACT_ID)$/i;

/** Runs a report and returns the contacts in it; throws if it does not show all of its rows. */
export async function readReport(api: SalesforceApi, id: string): Promise<string[]> {
  const report = reportSchema.parse(await runReport(api, id));
  const rows = Object.values(report.factMap).flatMap((part) => part.rows);
  if (!report.allData || rows.length > MAX_ROWS) throw tooLarge(report);
  const cells = rows.map((row) => row.dataCells.map(({ value }) => idIn(value)));
  if (cells.length === 0 && report.hasDetailRows) return [];
  const column = contactColumn(report, cells);
  return cells.flatMap((row) => row[column] ?? []);
}

async function runReport(api: SalesforceApi, id: string): Promise<unknown> {
  try {
    return await api.get(`/analytics/reports/${id}?includeDetails=true`);
  } catch (cause) {
    if (crmCodeOf(cause) !== 'NOT_FOUND') throw cause;
    const message = `Salesforce has no report "${id}" that the integration's user can see.`;
    throw unknownGroup(message, cause);
  }
}

/** The column with contact ids: the one named so, or the only one that holds some. */
function contactColumn(report: Report, cells: readonly (string | null)[][]): number {
  const { detailColumns } = report.reportMetadata;
  const holdsIds = (at: number) => cells.some((row) => row[at] !== null && row[at] !== undefined);
  const candidates = [...(cells[0] ?? []).keys()].filter(holdsIds);
  const named = candidates.filter((at) => CONTACT_ID_COLUMN.test(detailColumns[at] ?? ''));
  const [column] = named.length > 0 ? named : candidates;
  if (column !== undefined && (named.length === 1 || candidates.length === 1)) return column;
  throw new ConfigurationError(
    `The report "${report.reportMetadata.name}" does not say who its people are: add the column Contact ID to its rows, once.`,
    { code: 'crm_group_unreadable' },
  );
}

function idIn(value: unknown): string | null {
  return typeof value === 'string' ? contactId(value) : null;
}

function tooLarge({ reportMetadata: { name } }: Report): ConfigurationError {
  return new ConfigurationError(
    `The report "${name}" has more than ${MAX_ROWS.toLocaleString('en-US')} rows, and Salesforce shows programs no more: narrow its filters, or use a campaign or a condition (where) instead.`,
    { code: 'crm_group_too_large' },
  );
}
