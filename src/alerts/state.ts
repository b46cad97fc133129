import { z } from 'zod';
import type { Integration } from '../core/integration.ts';
import type { RunRecord } from '../store/runs/runs.ts';
import type { Store } from '../store/store.ts';
import { listApprovals, sentenceOf } from '../views/approval.ts';
import { createRunDigests } from '../views/run-digests.ts';
import type { IntegrationState } from './conditions.ts';

/** What is read of the store. */
export type AlertStore = Pick<
  Store,
  'runs' | 'signs' | 'holds' | 'networkHolds' | 'alerts' | 'approvals'
>;

/** Runs that are looked back at for one that ended by itself, and for balances. */
const RUNS_LOOKED_AT = 10;

type RunState = Pick<IntegrationState, 'lastRun' | 'remaining'>;

/** Makes what reads how things stand with integrations. */
export function createStateReader(store: AlertStore) {
  const digests = createRunDigests(store, async (ids): Promise<Map<string, RunState>> => {
    const newest = await store.runs.listNewest(ids, RUNS_LOOKED_AT);
    return new Map(ids.map((id) => [id, runStateOf(newest.get(id) ?? [])]));
  });
  return async (integrations: readonly Integration[]): Promise<IntegrationState[]> => {
    const contacts = await store.holds.countOpen();
    const networks = await store.networkHolds.countOpen();
    const allBatches = Map.groupBy(await store.holds.listBatches(), (one) => one.integrationId);
    const waiting = (await listApprovals(store)).filter(({ confirmedBy }) => confirmedBy === null);
    const approvals = Map.groupBy(waiting, (one) => one.integrationId);
    const runs = await digests(integrations.map(({ id }) => id));
    return integrations.map(({ id, partner }) => {
      const batches = allBatches.get(id) ?? [];
      const together = batches.reduce((sum, { count }) => sum + count, 0);
      return {
        integrationId: id,
        ...(runs.get(id) ?? runStateOf([])),
        // Between the two counts a batch may have been decided.
        held: Math.max(0, (contacts.get(id) ?? 0) - together) + (networks.get(id) ?? 0),
        batches,
        // Without the contact's id, which a mail would keep.
        approvals: (approvals.get(id) ?? []).map(({ id, ...one }) => ({
          id,
          text: sentenceOf({ ...one, crmId: null }),
        })),
        keyExpiresOn: partner.expiresOn ?? null,
      };
    });
  };
}

function runStateOf(runs: readonly RunRecord[]): RunState {
  return {
    lastRun: lastRunOf(runs),
    remaining: {
      enhancements: remainingOf(runs, 'enhancements'),
      networks: remainingOf(runs, 'networks'),
    },
  };
}

/** A run that was interrupted or that a person stopped does not count: the next run continues. */
function lastRunOf(runs: readonly RunRecord[]): IntegrationState['lastRun'] {
  for (const { id, status, reasonCode: code, report } of runs) {
    const contacts = contactsOf(report);
    if (status === 'succeeded' || status === 'failed') return { id, status, code, contacts };
    const isCounted = code !== 'interrupted' && code !== 'stopped_by_person';
    if (status === 'incomplete' && isCounted) return { id, status, code, contacts };
  }
  return null;
}

function contactsOf(report: string | null) {
  if (report === null) return null;
  const found = contactsSchema.safeParse(JSON.parse(report));
  return found.success ? found.data.contacts : null;
}

const contactsSchema = z.object({
  contacts: z.object({ written: z.int(), failed: z.int() }),
});

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
