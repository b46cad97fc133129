/** Holds spending after a restore until a user has seen the planned spending. */

import { isoTime } from '../core/clock.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import type { RunTransaction } from '../database/leases.ts';
import { preparedRead, type Slots } from '../database/prepared.ts';
import type { Reader } from '../database/reader.ts';
import { dropRequests } from '../decisions/statements/approvals.ts';
import { dropWithdrawable } from '../decisions/statements/withdrawable-answers.ts';
import { recordEntry } from '../privacy/audit/record.ts';

export interface RestoreHold {
  why: 'restored' | 'erased';
  /** The time at which the backup was made (epoch ms), or null if it is unknown. */
  madeAt: number | null;
  heldAt: number;
  /**
   * The time after which erasures are unknown (epoch ms). In this case, no run may start. Null if the erasure log was
   * found.
   */
  erasuresUnknownAfter: number | null;
}

export interface RestoreToSort {
  /** The time at which the backup's data was current (epoch ms), or null if it is unknown. */
  madeAt: number | null;
  heldAt: number;
  /** True if the spending journal contains lines from after the backup and is not damaged. */
  isJournaled: boolean;
  isAgreed: boolean;
}

/** Returns a text that explains why no run may start. */
export function erasuresUnknownText(after: number): string {
  const since = after === 0 ? '' : ` after ${isoTime(after).slice(0, 16).replace('T', ' ')} UTC`;
  return `erasures${since} are not known, so nothing runs, because a run could bring erased contacts back`;
}

/** Holds these integrations and all other integrations in the database. */
export async function holdRestored(
  trx: ActorTransaction,
  ids: Iterable<string>,
  {
    madeAt,
    unknownAfter,
    isJournaled,
  }: { madeAt: number | null; unknownAfter: number | null; isJournaled: boolean },
): Promise<string[]> {
  const known = await trx.selectFrom('integrations').select('id').execute();
  // Some leases belong to the whole installation and not to an integration.
  const stored = known.map(({ id }) => id).filter((id) => !id.startsWith('*'));
  const held = [...new Set([...ids, ...stored])].sort();
  const hold = {
    made_at: madeAt,
    held_at: trx.clock.now(),
    why: 'restored' as const,
    erasures_unknown_after: unknownAfter,
    is_journaled: isJournaled ? 1 : 0,
    agreed_at: null,
  };
  for (const integration_id of held) {
    await trx
      .insertInto('restore_holds')
      .values({ integration_id, ...hold })
      .onConflict((c) =>
        c
          .column('integration_id')
          .doUpdateSet(hold)
          .where('restore_holds.why', 'in', ['restored', 'networks']),
      )
      .execute();
  }
  await dropRequests(trx);
  await dropWithdrawable(trx);
  const details = { madeAt, erasuresUnknownAfter: unknownAfter };
  await recordEntry(trx, { action: 'database.restored', details });
  return held;
}

/** Returns the hold on an integration, or null if the integration may spend credits. */
export async function findRestoreHold(
  reader: Reader,
  integrationId: string,
): Promise<RestoreHold | null> {
  const [row] = (await selectHold(reader, { integrationId })).rows;
  if (row === undefined) return null;
  const { why, made_at: madeAt, held_at: heldAt } = row;
  const isErased = why === 'erased';
  return {
    why: isErased ? 'erased' : 'restored',
    madeAt,
    heldAt,
    erasuresUnknownAfter: row.erasures_unknown_after,
  };
}

/**
 * Records that a user has seen the planned spending. Resolves with false if spending was not on hold. After a restore,
 * the next run first decides about the contacts that may have been paid for since the backup.
 */
export async function confirmRestore(
  trx: ActorTransaction,
  integrationId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('restore_holds')
    .set({ agreed_at: trx.clock.now() })
    .where('integration_id', '=', integrationId)
    .where('agreed_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await trx
    .deleteFrom('restore_holds')
    .where('integration_id', '=', integrationId)
    .where('why', '=', 'erased')
    .execute();
  await recordEntry(trx, { action: 'restore.agreed', integrationId });
  return true;
}

/**
 * Returns the restore that no run has handled yet, even if a user has already allowed spending. Returns null if there
 * is none.
 */
export async function findRestoreToSort(
  reader: Reader,
  integrationId: string,
): Promise<RestoreToSort | null> {
  const row = await reader
    .selectFrom('restore_holds')
    .select(['made_at', 'held_at', 'is_journaled', 'agreed_at'])
    .where('integration_id', '=', integrationId)
    .where('why', '=', 'restored')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { made_at: madeAt, held_at: heldAt, is_journaled, agreed_at } = row;
  return { madeAt, heldAt, isJournaled: is_journaled === 1, isAgreed: agreed_at !== null };
}

/**
 * Records that a run has decided about the contacts that may have been paid for since the backup. A later restore
 * remains open.
 */
export async function endRestore(trx: RunTransaction, heldAt: number): Promise<void> {
  await trx
    .updateTable('restore_holds')
    .set({ why: 'networks' })
    .where('integration_id', '=', trx.lease.integrationId)
    .where('held_at', '=', heldAt)
    .where('agreed_at', 'is not', null)
    .execute();
}

/**
 * True if a network may have new members since the backup. False after a run has compared all networks with their
 * groups.
 */
export async function hasMembersToRecall(reader: Reader, integrationId: string): Promise<boolean> {
  const { rows } = await selectUnrecalled(reader, { integrationId });
  return rows.length > 0;
}

/** Records that a run has compared the members of all networks since the restore. */
export async function endRecall(trx: RunTransaction): Promise<void> {
  await trx
    .deleteFrom('restore_holds')
    .where('integration_id', '=', trx.lease.integrationId)
    .where('why', '=', 'networks')
    .execute();
}

const selectUnrecalled = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('restore_holds')
    .select('why')
    .where('integration_id', '=', integrationId)
    .where('why', 'in', ['restored', 'networks'])
    .compile(),
);

/** Reads the hold before each request that spends credits. */
const selectHold = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('restore_holds')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('agreed_at', 'is', null)
    .compile(),
);
