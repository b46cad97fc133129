/**
 * Handles lost submissions of former service keys. Runs no longer read these keys' balances and no longer poll their
 * jobs. Submissions of former keys count as charged, unless the journal contains the response.
 */
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { noteEnd } from './note-spending.ts';
import { settleByJournal } from './settle-by-journal.ts';
import { settleWithoutBalance } from './statements/lost-answers.ts';
import { listOpenOfFormerKeys } from './statements/submissions.ts';

type SettleDeps = Pick<SyncDeps, 'clock' | 'log' | 'store'>;
type SettleRun = Pick<Run, 'id' | 'control' | 'integration' | 'lease' | 'partnerKey'>;

const WHY = 'its service key was replaced before the balance could show it';

/** Handles the lost submissions of former keys. This run has the lease, so no other process waits for the responses. */
export async function settleFormerKeys(deps: SettleDeps, run: SettleRun): Promise<void> {
  const { store, log } = deps;
  const { lease, integration, partnerKey } = run;
  const listOpen = () => listOpenOfFormerKeys(store.reader, integration.id, partnerKey);
  const lost = (await listOpen()).map((open) => ({ open, lease }));
  if (lost.length === 0) return;
  await settleByJournal(deps, run, lost);
  for (const { id, persons: charged } of await listOpen()) {
    const afterwards = integration.onLostAnswer;
    const end = { id, run: run.id, loss: { charged, afterwards, detail: WHY } };
    if (!(await store.checkpoint(lease, (trx) => settleWithoutBalance(trx, end)))) continue;
    await noteEnd(deps, run, id, { charged, jobs: {} });
    log.warn(
      { run: run.id, submission: id, charged, afterwards },
      'the lost submission of a former key counts as charged',
    );
  }
}
