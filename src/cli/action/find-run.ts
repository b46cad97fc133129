import { ConfigurationError } from '../../core/errors.ts';
import { didYouMean } from '../../core/near-miss.ts';
import type { RunRecord } from '../../store/runs/runs.ts';
import type { Store } from '../../store/store.ts';
import { findId } from '../terminal/short-id.ts';

/** Runs among which a short id is looked up; older ones take the whole id. */
const MAX_RUNS_SEARCHED = 1_000;

/** The run with this id, whole or short; throws a ConfigurationError if there is none. */
export async function findRun(store: Pick<Store, 'runs'>, typed: string): Promise<RunRecord> {
  const exact = await store.runs.find(typed);
  if (exact) return exact;
  const recent = await store.runs.list({ limit: MAX_RUNS_SEARCHED });
  const ids = recent.map(({ id }) => id);
  const id = findId(typed, ids);
  const row = recent.find((run) => run.id === id);
  if (row) return row;
  throw new ConfigurationError(
    `There is no run "${typed}"${didYouMean(typed, ids) || '.'} \`donor-sync runs\` lists the runs with the end of each id, which is enough.`,
    { code: 'run_unknown', details: { run: typed } },
  );
}
