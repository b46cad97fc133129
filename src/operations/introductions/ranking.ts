/** Keeps a ranking in memory for a minute, so that paging does not decrypt all records again. */
import type { Clock } from '../../core/clock.ts';
import {
  type RankDeps,
  type RankedIntroduction,
  rankIntroductions,
} from '../../paths/rank-introductions.ts';
import { readErasureMark } from '../../privacy/statements/drop-months.ts';
import { readRunMark } from '../../sync/statements/runs.ts';

const KEPT_MS = 60_000;

/** The maximum number of rankings in memory. */
const MOST = 5;

interface KeptRanking {
  /** A string that changes with each erasure and each run. */
  state: string;
  untilMs: number;
  ranked: Promise<readonly RankedIntroduction[]>;
}

/** The rankings of each application. Tests use several applications in one process. */
const known = new WeakMap<object, Map<string, KeptRanking>>();

export interface RankingDeps extends RankDeps {
  application: object;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Returns a ranking. Computes it again after an erasure or a run. */
export async function getRanking(
  deps: RankingDeps,
  integrationId: string,
): Promise<readonly RankedIntroduction[]> {
  const rankings = known.get(deps.application) ?? new Map<string, KeptRanking>();
  known.set(deps.application, rankings);
  const state = await readState(deps, integrationId);
  const nowMs = deps.clock.monotonicMs();
  for (const [id, { untilMs }] of rankings) if (untilMs <= nowMs) rankings.delete(id);
  const kept = rankings.get(integrationId);
  if (kept?.state === state) return kept.ranked;
  rankings.delete(integrationId);
  const [oldest] = rankings.keys();
  if (rankings.size >= MOST && oldest !== undefined) rankings.delete(oldest);
  const ranked = rankIntroductions(deps, integrationId);
  rankings.set(integrationId, { state, untilMs: nowMs + KEPT_MS, ranked });
  const timer = setTimeout(() => {
    if (rankings.get(integrationId)?.ranked === ranked) rankings.delete(integrationId);
  }, KEPT_MS);
  timer.unref();
  // If the computation fails, the next request tries again.
  ranked.catch(() => rankings.delete(integrationId));
  return ranked;
}

async function readState({ reader }: RankingDeps, integrationId: string): Promise<string> {
  const run = await readRunMark(reader, integrationId);
  const erasures = await readErasureMark(reader, integrationId);
  return `${run} ${erasures}`;
}
