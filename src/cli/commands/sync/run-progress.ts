import { messageOf } from '../../../core/errors.ts';
import type { Run } from '../../../run/context.ts';
import type { Store } from '../../../store/store.ts';
import type { ProductDeps } from '../../action/product.ts';
import { createProgress, type Progress } from '../../terminal/progress.ts';
import { countOf } from '../../terminal/quantities.ts';

/** How often the store is asked how far a run is. */
const LOOK_INTERVAL_MS = 500;

/** What the bars are drawn with. */
export type ProgressDeps = Pick<ProductDeps, 'stderr' | 'clock' | 'log' | 'logStream'>;
type ProgressStore = Pick<Store, 'runs' | 'contacts' | 'submissions'>;

/** The bars of one run on a terminal; does nothing where there is none. */
export interface RunProgress {
  /** Begins to show the run. */
  watch(run: Pick<Run, 'id' | 'integration' | 'partnerKey'>): void;
  /** Shows the end; resolves when nothing more is drawn. */
  stop(): Promise<void>;
}

export function createRunProgress(deps: ProgressDeps, store: ProgressStore): RunProgress {
  const { stderr, clock, log, logStream } = deps;
  const stopped = new AbortController();
  const progress = createProgress({ stream: stderr, clock });
  const stepBack = logStream.stepAside(progress.interrupt);
  let watching: Promise<void> = Promise.resolve();

  async function show(run: Parameters<RunProgress['watch']>[0]): Promise<void> {
    const before = await store.contacts.countUnderWay(run.integration.id);
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
        // Not to see how far a run is must not end it.
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
  const row = await store.runs.find(run.id);
  if (!row) return;
  const underWay = await store.contacts.countUnderWay(run.integration.id);
  const { balance } = await store.submissions.findBalance(run.partnerKey);
  // Who shares a profile of another contact is not submitted, and is delivered all the same.
  const sent = row.submittedCount + row.sharedCount;
  const toDeliver = underWayBefore + sent;
  progress.update('Read', { done: row.readCount, total: null });
  progress.update('Submitted', {
    done: sent,
    // Refused persons and those who changed meanwhile are not submitted: in the end, sent is all.
    total: row.status === 'succeeded' ? sent : Math.max(sent, row.chosenCount),
    ...(balance === null ? {} : { remark: `${countOf(balance, 'credit')} left` }),
  });
  progress.update('Delivered', { done: Math.max(0, toDeliver - underWay), total: toDeliver });
}
