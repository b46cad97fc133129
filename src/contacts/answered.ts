import type { Reader } from '../database/reader.ts';
import { inBatches } from '../database/rows.ts';
import type { JobState } from '../database/tables/credits.ts';

/** What the service was last asked about a contact, as far as its answer is known; if none is, all the same. */
export interface Answered {
  /** The identity that it was asked with. */
  identity: string;
  /** False if it was asked once more since, and that answer was lost. */
  isLast: boolean;
  /** True if no answer to any is known. */
  isLost: boolean;
  /** When it was asked (epoch ms). */
  submittedAt: number;
}

/** Jobs whose profile waits: for a person, or for a contact that left or opted out to come back. */
const WAITING: JobState[] = ['held', 'completed'];

/** Jobs that cost a credit, the last one included if its answer was lost, or its profile waits. */
const PAID: JobState[] = ['delivered', 'failed', 'lost', ...WAITING];

/** The last answered request for each of these contacts, or the last one if all answers were lost. */
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
      // A profile that waits is not passed over for what was there before.
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
