/** How far a run that goes on has come, and how long the rest takes if it goes on like this. */
import { countContactWork } from '../../contacts/contacts.ts';
import type { RunReport } from '../../core/run.ts';
import type { Store } from '../../store.ts';

export interface RunProgress {
  /** Contacts that were chosen and are settled. */
  settled: number;
  /** Contacts that were chosen so far. */
  chosen: number;
  /** What is left of the whole at the pace so far (ms); null where that cannot be said yet. */
  leftMs: number | null;
}

/** The progress of a run; null for one that is over. */
export async function readProgress(
  { reader }: Pick<Store, 'reader'>,
  report: RunReport,
  now: number,
): Promise<RunProgress | null> {
  if (report.status !== 'running') return null;
  const { due, submitted, ready } = await countContactWork(reader, report.integration);
  return toProgress(report, due + submitted + ready, now);
}

/** The same from how many contacts of the integration have work left. */
export function toProgress(report: RunReport, waiting: number, now: number): RunProgress {
  const { chosen } = report.contacts;
  const settled = Math.max(0, chosen - waiting);
  const elapsedMs = now - Date.parse(report.startedAt);
  const leftMs = settled > 0 && elapsedMs > 0 ? (elapsedMs * (chosen - settled)) / settled : null;
  return { settled, chosen, leftMs: leftMs === null ? null : rounded(leftMs) };
}

/** To a twentieth of it: more than that is not known, and would be news with every look. */
function rounded(ms: number): number {
  const step = 10 ** Math.max(3, Math.floor(Math.log10(Math.max(1, ms)))) / 20;
  return Math.round(Math.round(ms / step) * step);
}
