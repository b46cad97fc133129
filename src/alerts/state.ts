import { z } from 'zod';
import type { Integration } from '../core/integration.ts';
import type { RunRecord } from '../store/runs/runs.ts';
import type { Store } from '../store/store.ts';
import type { IntegrationState } from './conditions.ts';

/** What is read of the store. */
export type AlertStore = Pick<Store, 'runs' | 'holds' | 'networkHolds' | 'alerts'>;

/** Runs that are looked back at for one that ended by itself, and for balances. */
const RUNS_LOOKED_AT = 10;

/** How things stand with these integrations. */
export async function readStates(
  store: AlertStore,
  integrations: readonly Integration[],
): Promise<IntegrationState[]> {
  const contacts = await store.holds.countOpen();
  const networks = await store.networkHolds.countOpen();
  const allBatches = await store.holds.listBatches();
  const states: IntegrationState[] = [];
  for (const { id, partner } of integrations) {
    const runs = await store.runs.list({ integrationId: id, limit: RUNS_LOOKED_AT });
    const batches = allBatches.filter(({ integrationId }) => integrationId === id);
    const together = batches.reduce((sum, { count }) => sum + count, 0);
    states.push({
      integrationId: id,
      lastRun: lastRunOf(runs),
      remaining: {
        enhancements: remainingOf(runs, 'enhancements'),
        networks: remainingOf(runs, 'networks'),
      },
      // Between the two counts a batch may have been decided.
      held: Math.max(0, (contacts.get(id) ?? 0) - together) + (networks.get(id) ?? 0),
      batches,
      keyExpiresOn: partner.expiresOn ?? null,
    });
  }
  return states;
}

/** An interrupted run does not count: its process was stopped, and the next run continues. */
function lastRunOf(runs: readonly RunRecord[]): IntegrationState['lastRun'] {
  for (const { id, status, reasonCode: code } of runs) {
    if (status === 'succeeded' || status === 'failed') return { id, status, code };
    if (status === 'incomplete' && code !== 'interrupted') return { id, status, code };
  }
  return null;
}

const bucketSchema = z.object({ remaining: z.int().nullable() });

/** The part of a report (design, section 4.3) that is of interest. */
const reportSchema = z.object({
  credits: z.object({ enhancements: bucketSchema, networks: bucketSchema }),
});

/** What the newest run that asked for it found left. */
function remainingOf(
  runs: readonly RunRecord[],
  bucket: 'enhancements' | 'networks',
): number | null {
  for (const { report } of runs) {
    if (report === null) continue;
    const { remaining } = reportSchema.parse(JSON.parse(report)).credits[bucket];
    if (remaining !== null) return remaining;
  }
  return null;
}
