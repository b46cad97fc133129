/** Stores the addresses at which users reach the server: the proposed, current and former addresses. */
import type { Selectable } from 'kysely';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { recordEntry } from '../../privacy/audit/record.ts';

export type AddressRecord = FromRow<Selectable<Tables['addresses']>>;

/** An address that an owner proposes. */
export interface ProposedAddress {
  id: string;
  url: string;
  /** The one-time value, encrypted. */
  secret: string;
  browser: string | null;
  /** The ID of the owner who proposed the address, or null if someone proposed it in the terminal. */
  proposedBy: string | null;
  until: number;
}

/** The time for which a former address is still accepted. */
export const FORMER_MS = 24 * 3_600_000;

/** Lists all addresses, latest first. The list includes former addresses that the server no longer accepts. */
export async function listAddresses(reader: Reader): Promise<AddressRecord[]> {
  const rows = await reader
    .selectFrom('addresses')
    .selectAll()
    .orderBy('proposed_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return fromRows(rows);
}

/**
 * Stores a proposed address, which must be confirmed in a different browser. The new proposal replaces an earlier
 * proposal.
 */
export async function proposeAddress(
  trx: ActorTransaction,
  { proposedBy, ...proposed }: ProposedAddress,
): Promise<void> {
  const now = trx.clock.now();
  await trx.deleteFrom('addresses').where('slot', 'is', null).where('until', '<', now).execute();
  const values = { ...proposed, proposed_by: proposedBy, proposed_at: now, confirmed_at: null };
  await trx
    .insertInto('addresses')
    .values({ ...values, slot: 'proposed' })
    .onConflict((c) => c.column('slot').doUpdateSet(values))
    .execute();
  await recordEntry(trx, { action: 'address.proposed', details: { url: proposed.url } });
}

/**
 * Makes the proposed address the current address. The previous address becomes a former address. Returns false if the
 * proposal has already been confirmed, was replaced, or has expired.
 */
export async function confirmAddress(trx: ActorTransaction, id: string): Promise<boolean> {
  const now = trx.clock.now();
  // If two confirmations arrive at the same time, the second transaction waits here. The second transaction then finds
  // no proposal.
  const proposed = await trx
    .updateTable('addresses')
    .set({ secret: null, browser: null, proposed_by: null, confirmed_at: now })
    .where('id', '=', id)
    .where('slot', '=', 'proposed')
    .where('until', '>', now)
    .returning('url')
    .executeTakeFirst();
  if (proposed === undefined) return false;
  const { url } = proposed;
  // If a former address becomes the current address again, its row as a former address is deleted.
  await trx.deleteFrom('addresses').where('url', '=', url).where('id', '<>', id).execute();
  const former = await trx
    .updateTable('addresses')
    .set({ slot: null, until: now + FORMER_MS })
    .where('slot', '=', 'current')
    .returning('url')
    .executeTakeFirst();
  await trx
    .updateTable('addresses')
    .set({ slot: 'current', until: null })
    .where('id', '=', id)
    .execute();
  const details = { url, ...(former && { former: former.url }) };
  await recordEntry(trx, { action: 'address.confirmed', details });
  return true;
}
