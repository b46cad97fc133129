/** Estimates a run's progress and its remaining time. */
import { countContactWork } from '../../contacts/contacts.ts';
import type { RunReport } from '../../core/run.ts';
import type { Store } from '../../store.ts';

export interface RunProgress {
  settled: number;
  /** The number of contacts that the run has chosen so far. */
  chosen: number;
  /** The remaining time at the current speed (ms), or null if the time cannot be estimated yet. */
  leftMs: number | null;
}

/** Returns a run's progress, or null for a run that has ended. */
export async function readProgress(
  { reader }: Pick<Store, 'reader'>,
  report: RunReport,
  now: number,
): Promise<RunProgress | null> {
  if (report.status !== 'running') return null;
  const { due, submitted, ready } = await countContactWork(reader, report.integration);
  return toProgress(report, due + submitted + ready, now);
}

/** Computes a run's progress from the number of contacts with unfinished work. */
export function toProgress(report: RunReport, waiting: number, now: number): RunProgress {
  const { chosen } = report.contacts;
  const settled = Math.max(0, chosen - waiting);
  const elapsedMs = now - Date.parse(report.startedAt);
  const leftMs = settled > 0 && elapsedMs > 0 ? (elapsedMs * (chosen - settled)) / settled : null;
  return { settled, chosen, leftMs: leftMs === null ? null : rounded(leftMs) };
}

/** Rounds a time to a twentieth of its value. A finer value would be unreliable, and would change with every query. */
function rounded(ms: number): number {
  const step = 10 ** Math.max(3, Math.floor(Math.log10(Math.max(1, ms)))) / 20;
  return Math.round(Math.round(ms / step) * step);
}
