import type { Selectable } from 'kysely';
import { isPostgres } from '../database/database-time.ts';
import { prepared, preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';
import type { SubmissionState } from '../database/tables/credits.ts';
import type { Tables, Trx } from '../database/tables/tables.ts';

export type SubmissionRow = Selectable<Tables['submissions']>;

/** The states of a submission that waits for a response or a settlement. */
export const OPEN_STATES: SubmissionState[] = ['intended', 'lost'];

/** The maximum number of open submissions of a service key. */
export const MAX_SLOTS = 6;

export async function findOpenSubmissions(
  reader: Reader,
  partnerKey: string,
): Promise<SubmissionRow[]> {
  return (await openSubmissions(reader, { partnerKey })).rows;
}

const openSubmissions = preparedRead((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .selectFrom('submissions')
    .selectAll()
    .where('partner_key', '=', partnerKey)
    .where('state', 'in', OPEN_STATES)
    .orderBy('slot')
    .orderBy('id')
    .compile(),
);

/** The stored state of a service key. */
export interface KeyRow {
  balance: number | null;
  sequence: number;
}

/**
 * Blocks other transactions that open, lose or close submissions of the service key. SQLite runs transactions one after
 * the other anyway.
 */
export async function lockKey(trx: Trx, partnerKey: string): Promise<KeyRow | undefined> {
  const [row] = (await lockedKey(trx, { partnerKey })).rows;
  return row && { balance: row.balance, sequence: row.spend_sequence };
}

const lockedKey = prepared((db, { partnerKey }: Slots<{ partnerKey: string }>) =>
  db
    .selectFrom('partner_keys')
    .select(['balance', 'spend_sequence'])
    .where('id', '=', partnerKey)
    .$if(isPostgres(db), (query) => query.forUpdate())
    .compile(),
);
