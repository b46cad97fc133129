import type { Reader } from '../../database/reader.ts';
import { isProfileUndone } from './value-states.ts';

/** The encrypted key of a profile and its `GivingRecord`, with the time of payment (epoch ms). */
export interface StoredGiving {
  crmId: string;
  paidAt: number;
  key: string;
}

/**
 * Returns the records of delivered profiles that were paid for in a time span, oldest first. The span starts at `from`
 * and ends before `until` (epoch ms). The page starts after `after`. Leaves out contacts that opted out or wait for a
 * decision, and profiles whose values an undo has taken out of the CRM.
 */
export async function listGivingOfSpan(
  reader: Reader,
  integrationId: string,
  { from, until }: { from: number; until: number },
  { after, limit }: { after: Pick<StoredGiving, 'crmId' | 'paidAt'> | null; limit: number },
): Promise<StoredGiving[]> {
  const start = after ?? { paidAt: from, crmId: '' };
  const rows = await reader
    .selectFrom('kept_profiles')
    .innerJoin('contacts as c', (join) =>
      join
        .onRef('c.integration_id', '=', 'kept_profiles.integration_id')
        .onRef('c.crm_id', '=', 'kept_profiles.crm_id'),
    )
    .select(['kept_profiles.crm_id', 'kept_profiles.kept_at', 'kept_profiles.key'])
    .where('kept_profiles.integration_id', '=', integrationId)
    .where('kept_profiles.kept_at', '>=', start.paidAt)
    .where('kept_profiles.kept_at', '<', until)
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('kept_profiles.kept_at', 'kept_profiles.crm_id'),
        '>',
        tuple(start.paidAt, start.crmId),
      ),
    )
    .where('kept_profiles.is_delivered', '=', 1)
    .where('kept_profiles.key', '<>', '')
    .where('c.has_opted_out', '=', 0)
    .where('c.state', '<>', 'held')
    .where((eb) => eb.not(isProfileUndone(eb)))
    .orderBy('kept_profiles.kept_at')
    .orderBy('kept_profiles.crm_id')
    .limit(limit)
    .execute();
  return rows.map(({ crm_id: crmId, kept_at: paidAt, key }) => ({ crmId, paidAt, key }));
}
