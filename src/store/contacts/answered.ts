import type { FromRow } from '../engine/from-row.ts';
import type { Database, JobState, Trx } from '../engine/tables.ts';
import type { ContactRow } from './changes.ts';

/** Jobs that cost a credit, the last one included if its answer was lost. */
const PAID: JobState[] = ['delivered', 'failed', 'lost'];

/** Of contacts whose last job has no answer: the identity that the one before was asked with, by CRM id. */
export async function findAnswered(
  db: Database | Trx,
  integrationId: string,
  known: readonly Asked[],
): Promise<Map<string, string>> {
  const asked = known.filter(mayHaveLost);
  if (asked.length === 0) return new Map();
  const jobs = await db
    .selectFrom('jobs')
    .select(['crm_id', 'identity', 'state'])
    .where('integration_id', '=', integrationId)
    .where(
      'crm_id',
      'in',
      asked.map(({ crmId }) => crmId),
    )
    .where('state', 'in', PAID)
    .orderBy('submitted_at')
    .orderBy('tracking_id')
    .execute();
  const found = [...Map.groupBy(jobs, ({ crm_id }) => crm_id)].flatMap(([crmId, own]) => {
    const before = own.findLast(({ state }) => state !== 'lost');
    const isLost = own.at(-1)?.state === 'lost';
    return isLost && before !== undefined ? [[crmId, before.identity] as const] : [];
  });
  return new Map(found);
}

type Asked = Pick<FromRow<ContactRow>, 'crmId' | 'state' | 'askedIdentity' | 'outcomeReason'>;

/** True where what a lost answer was asked with may stand as the identity that was paid for. */
function mayHaveLost({ state, askedIdentity, outcomeReason }: Asked): boolean {
  const isAsked = state === 'due' || ['lost_answer', 'rejected_by_person'].includes(outcomeReason);
  return isAsked && askedIdentity !== null;
}
