import type { OpenIntegration } from '../../../../application.ts';
import { countContactsUnderWay } from '../../../../contacts/contacts.ts';
import { messageOf } from '../../../../core/errors.ts';
import type { RunReport } from '../../../../core/run.ts';
import { findKeyBalance } from '../../../../credits/statements/balances.ts';
import type { Store } from '../../../../store.ts';
import type { Run } from '../../../../sync/control/context.ts';
import { type RunRequest, runSync } from '../../../../sync/run.ts';
import { findRunById } from '../../../../sync/statements/runs.ts';
import type { ProductDeps } from '../../action/product.ts';
import { createProgress, type Progress } from '../../terminal/progress.ts';
import { describeCount } from '../../terminal/words.ts';

/** The options of a run that a user can choose. */
type RunOption =
  | 'full'
  | 'only'
  | 'adopt'
  | 'limit'
  | 'acceptMatchRate'
  | 'acceptMarks'
  | 'redelivery';

/**
 * Executes a run until its end or until the signal, and shows its progress on the terminal. The run reads changes, or
 * all contacts with `full`. `only` limits the run to one contact. `adopt` adopts another database's profiles, and
 * `limit` is the maximum number of credits. `acceptMatchRate` accepts the mapping, and `acceptMarks` confirms marks
 * that exclude most contacts. With `redelivery`, the run only delivers stored profiles again.
 */
export async function syncOnce(
  deps: ProgressDeps,
  open: OpenIntegration,
  signal: AbortSignal,
  { full = false, only = null, ...options }: Partial<Pick<RunRequest, RunOption>> = {},
): Promise<RunReport> {
  const { integration, mappings, partnerKey, stages } = open;
  const progress = createRunProgress(deps, open.deps.store);
  try {
    return await runSync(
      open.deps,
      {
        integration,
        mappings,
        partnerKey,
        stages,
        trigger: 'manual',
        full,
        only,
        ...options,
        signal,
      },
      { started: progress.watch, calls: open.calls },
    );
  } finally {
    await progress.stop();
  }
}

/** The interval at which the progress is read from the database. */
const LOOK_INTERVAL_MS = 500;

/** The dependencies of the progress bars. */
export type ProgressDeps = Pick<ProductDeps, 'stderr' | 'clock' | 'log' | 'logStream'>;
type ProgressStore = Pick<Store, 'reader'>;

/** Shows a run's progress. Shows nothing without a terminal. */
export interface RunProgress {
  /** Starts to show the run. */
  watch(run: Pick<Run, 'id' | 'integration' | 'partnerKey'>): void;
  /** Shows the final state. Resolves after this state is drawn. */
  stop(): Promise<void>;
}

function createRunProgress(deps: ProgressDeps, store: ProgressStore): RunProgress {
  const { stderr, clock, log, logStream } = deps;
  const stopped = new AbortController();
  const progress = createProgress({ stream: stderr, clock });
  const stepBack = logStream.stepAside(progress.interrupt);
  let watching: Promise<void> = Promise.resolve();

  async function show(run: Parameters<RunProgress['watch']>[0]): Promise<void> {
    const before = await countContactsUnderWay(store.reader, run.integration.id);
    while (!stopped.signal.aborted) {
      await look(store, progress, run, before);
      await clock.sleep(LOOK_INTERVAL_MS, stopped.signal);
    }
    await look(store, progress, run, before);
  }

  return {
    watch(run) {
      if (!stderr.isTTY) return;
      watching = show(run).catch((error: unknown) => {
        // A problem with drawing must not end the run.
        log.warn({ error: messageOf(error) }, 'the progress of the run cannot be shown');
      });
    },
    async stop() {
      stopped.abort();
      await watching;
      progress.stop();
      stepBack();
    },
  };
}

async function look(
  store: ProgressStore,
  progress: Progress,
  run: Parameters<RunProgress['watch']>[0],
  underWayBefore: number,
): Promise<void> {
  const row = await findRunById(store.reader, run.id);
  if (!row) return;
  const underWay = await countContactsUnderWay(store.reader, run.integration.id);
  const { balance } = await findKeyBalance(store.reader, run.partnerKey);
  // A contact that shares another contact's profile is not submitted.
  const sent = row.submittedCount + row.sharedCount;
  const toDeliver = underWayBefore + sent;
  progress.update('Read', { done: row.readCount, total: null });
  progress.update('Submitted', {
    done: sent,
    // Refused and changed people are not submitted, so at the end the total is the number of submitted people.
    total: row.status === 'succeeded' ? sent : Math.max(sent, row.chosenCount),
    ...(balance === null ? {} : { remark: `${describeCount(balance, 'credit')} left` }),
  });
  progress.update('Delivered', { done: Math.max(0, toDeliver - underWay), total: toDeliver });
}
