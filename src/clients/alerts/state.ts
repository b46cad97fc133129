import { z } from 'zod';
import type { Integration } from '../../core/integration-settings.ts';
import type { ApprovalRecord } from '../../decisions/statements/approvals.ts';
import { listBatches } from '../../decisions/statements/batches.ts';
import { countOpenQuestions } from '../../decisions/statements/questions.ts';
import { describeRequest, listApprovals } from '../../decisions/views/approval.ts';
import type { Store } from '../../store.ts';
import { listNewestRuns, type RunRecord } from '../../sync/statements/runs.ts';
import { createRunDigests } from '../../sync/views/run-digests.ts';
import type { IntegrationState } from './conditions.ts';

const RUNS_LOOKED_AT = 10;

type RunState = Pick<IntegrationState, 'lastRun' | 'remaining'>;

export function createStateReader(store: Store) {
  const digests = createRunDigests(store.reader, async (ids): Promise<Map<string, RunState>> => {
    const newest = await listNewestRuns(store.reader, ids, RUNS_LOOKED_AT);
    return new Map(ids.map((id) => [id, toRunState(newest.get(id) ?? [])]));
  });
  return async (integrations: readonly Integration[]): Promise<IntegrationState[]> => {
    const contacts = await countOpenQuestions(store.reader, 'contact');
    const networks = await countOpenQuestions(store.reader, 'network');
    const allBatches = Map.groupBy(await listBatches(store.reader), (one) => one.integrationId);
    const waiting = (await listApprovals(store)).filter(({ confirmedBy }) => confirmedBy === null);
    const approvals = Map.groupBy(waiting, (one) => one.integrationId);
    const runs = await digests(integrations.map(({ id }) => id));
    return integrations.map(({ id, partner }) => {
      const batches = allBatches.get(id) ?? [];
      const together = batches.reduce((sum, { count }) => sum + count, 0);
      return {
        integrationId: id,
        ...(runs.get(id) ?? toRunState([])),
        // A user may answer a batch between the two counts.
        held: Math.max(0, (contacts.get(id) ?? 0) - together) + (networks.get(id) ?? 0),
        batches,
        approvals: (approvals.get(id) ?? []).map((one) => ({
          id: one.id,
          text: describeForAlert(one),
        })),
        keyExpiresOn: partner.expiresOn ?? null,
      };
    });
  };
}

/**
 * Describes a request for an alert. Leaves out the contact's ID, because it would remain in a mailbox. Leaves out the
 * contact's other clients, because the recipients may be responsible only for this client.
 */
function describeForAlert(approval: ApprovalRecord): string {
  const { request, integrationId } = approval;
  const own = request.what === 'forget' ? { integrations: [integrationId] } : {};
  return describeRequest({ ...approval, ...own, crmId: null });
}

function toRunState(runs: readonly RunRecord[]): RunState {
  return {
    lastRun: findLastRun(runs),
    remaining: {
      enhancements: findRemaining(runs, 'enhancements'),
      networks: findRemaining(runs, 'networks'),
    },
  };
}

function findLastRun(runs: readonly RunRecord[]): IntegrationState['lastRun'] {
  for (const { id, status, reasonCode: code, report, trial } of runs) {
    const found = { id, code, contacts: readContactCounts(report), isTrial: trial === 1 };
    if (status === 'succeeded' || status === 'failed') return { ...found, status };
    const isCounted = code !== 'interrupted' && code !== 'stopped_by_person';
    if (status === 'incomplete' && isCounted) return { ...found, status };
  }
  return null;
}

function readContactCounts(report: string | null) {
  if (report === null) return null;
  const found = contactsSchema.safeParse(JSON.parse(report));
  return found.success ? found.data.contacts : null;
}

const contactsSchema = z.object({
  contacts: z.object({ written: z.int(), failed: z.int() }),
});

const bucketSchema = z.object({ remaining: z.int().nullable() });

/** The parts of a run's report that alerts need (design, section 4.3). */
const reportSchema = z.object({
  credits: z.object({ enhancements: bucketSchema, networks: bucketSchema }),
});

/** Returns the remaining balance from the newest run that read the balance. */
function findRemaining(
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
