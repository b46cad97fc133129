import type { Reader } from '../database/reader.ts';
import { inBatches } from '../database/rows.ts';
import type { JobState } from '../database/tables/credits.ts';

export interface Answered {
  identity: string;
  /** False if the contact was submitted again later and the later response was lost. */
  isLast: boolean;
  /** True if none of the contact's requests has a known answer. */
  isLost: boolean;
  /** The time at which the contact was submitted (epoch ms). */
  submittedAt: number;
}

/** The states of a job whose profile waits for a decision, or whose contact has left or opted out. */
const WAITING: JobState[] = ['held', 'completed'];

/** The states of a job that cost a credit. The list includes a last job with a lost response or a pending decision. */
const PAID: JobState[] = ['delivered', 'failed', 'lost', ...WAITING];

export async function findAnswered(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, Answered>> {
  const found = new Map<string, Answered>();
  for (const batch of inBatches(crmIds)) {
    const jobs = await reader
      .selectFrom('jobs')
      .select(['crm_id', 'identity', 'state', 'submitted_at'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .where('state', 'in', PAID)
      .orderBy('submitted_at')
      .orderBy('tracking_id')
      .execute();
    for (const [crmId, own] of Map.groupBy(jobs, ({ crm_id }) => crm_id)) {
      const last = own.at(-1);
      if (last === undefined) continue;
      // A waiting profile counts even if earlier jobs have ended.
      const waits = WAITING.includes(last.state);
      const answered = waits ? last : (own.findLast(hasEnded) ?? last);
      found.set(crmId, {
        identity: answered.identity,
        isLast: answered === last,
        isLost: answered.state === 'lost',
        submittedAt: answered.submitted_at,
      });
    }
  }
  return found;
}

function hasEnded({ state }: { state: JobState }): boolean {
  return state === 'delivered' || state === 'failed';
}
