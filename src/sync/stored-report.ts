import type { RunReport } from '../core/run.ts';
import { runReportSchema } from '../core/run-report.ts';
import type { RunRow } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import { buildReport } from './report.ts';

/**
 * The report of a run: the one it left when it ended, or else how things stand now. A run that
 * was cut off left none.
 */
export async function reportOf(
  store: Pick<Store, 'contacts' | 'networks'>,
  row: RunRow,
): Promise<RunReport> {
  return row.report === null
    ? buildReport(store, row)
    : runReportSchema.parse(JSON.parse(row.report));
}
