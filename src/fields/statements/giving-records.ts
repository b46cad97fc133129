import type { Reader } from '../../database/reader.ts';

/** The encrypted key of a profile and its `GivingRecord`, with the time of payment (epoch ms). */
export interface StoredGiving {
  crmId: string;
  paidAt: number;
  key: string;
}

/**
 * Returns the records of delivered profiles that were paid for in a time span, oldest first. The span starts at `from`
 * and ends before `until` (epoch ms). The page starts after `after`. Leaves out contacts that opted out or wait for a
 * decision.
 */
export async function listGivingOfSpan(
  reader: Reader,
  integrationId: string,
  { from, until }: { from: number; until: number },
  { after, limit }: { after: Pick<StoredGiving, 'crmId' | 'paidAt'> | null; limit: number },
): Promise<StoredGiving[]> {
  const start = after ?? { paidAt: from, crmId: '' };
  const rows = await reader
    .selectFrom('kept_profiles as k')
    .innerJoin('contacts as c', (join) =>
      join.onRef('c.integration_id', '=', 'k.integration_id').onRef('c.crm_id', '=', 'k.crm_id'),
    )
    .select(['k.crm_id', 'k.kept_at', 'k.key'])
    .where('k.integration_id', '=', integrationId)
    .where('k.kept_at', '>=', start.paidAt)
    .where('k.kept_at', '<', until)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('k.kept_at', 'k.crm_id'), '>', tuple(start.paidAt, start.crmId)),
    )
    .where('k.is_delivered', '=', 1)
    .where('k.key', '<>', '')
    .where('c.has_opted_out', '=', 0)
    .where('c.state', '<>', 'held')
    .orderBy('k.kept_at')
    .orderBy('k.crm_id')
    .limit(limit)
    .execute();
  return rows.map(({ crm_id: crmId, kept_at: paidAt, key }) => ({ crmId, paidAt, key }));
}
