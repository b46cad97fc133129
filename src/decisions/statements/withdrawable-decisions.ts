/**
 * Decisions that can still be taken back. Nothing of a hold or a contact changes before a decision counts, so that
 * taking it back is to forget it. Of two that reach for one, to take it back and to let it count, the
 * first wins; where a process ended in the middle of letting it count, the next one does the rest.
 */
import { z } from 'zod';
import { ACTOR_KINDS, type Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { SealContext } from '../../database/encryption/sealed.ts';
import { maybeFromRow } from '../../database/from-row.ts';
import type { Checkpoint } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import { auditSealer } from '../../privacy/audit/chain.ts';
import { auditRecorder } from '../../privacy/audit/record.ts';
import type { ErasureLog } from '../../privacy/statements/erasure-log.ts';
import { holdBatchQueries } from './hold-batches.ts';
import { holdQueries } from './holds.ts';
import { networkHoldQueries } from './network-holds.ts';

/** For so long a decision of a page can be taken back. */
export const WITHDRAWABLE_MS = 10_000;

/** What is decided; who decided is kept apart. */
export type WaitingDecision = Pick<
  Tables['waiting_decisions'],
  'about' | 'subject' | 'decision'
> & {
  integrationId: string;
  openedUntil: number | null;
};

/** One that waits, as pages show it. */
export interface ShownWaiting extends WaitingDecision {
  id: string;
  countsAt: number;
}

export interface WaitingDecisionDeps {
  db: Database;
  clock: Clock;
  fingerprint: Fingerprint;
  actor: Actor;
  erasures: ErasureLog;
  checkpoint: Checkpoint;
}

export function waitingDecisionQueries(deps: WaitingDecisionDeps) {
  const { db, clock, fingerprint } = deps;
  return {
    /** Notes a decision and resolves with its id; null if one about the same waits already. */
    async wait(decision: WaitingDecision): Promise<string | null> {
      return putDown(db, deps, decision, clock.now() + WITHDRAWABLE_MS);
    },

    /** The decision with this id while it can be taken back. */
    async findWaiting(id: string): Promise<ShownWaiting | undefined> {
      const row = await db
        .selectFrom('waiting_decisions')
        .selectAll()
        .where('id', '=', id)
        .where('claimed_at', 'is', null)
        .executeTakeFirst();
      return maybeFromRow(row);
    },

    /** Forgets a decision; false if it counts already. */
    async takeBack(id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('waiting_decisions')
        .where('id', '=', id)
        .where('claimed_at', 'is', null)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Lets those count whose time is over; resolves with when the next one is due, null for none. */
    async countDue(): Promise<number | null> {
      const rows = await db
        .selectFrom('waiting_decisions')
        .select(['id', 'counts_at'])
        .orderBy('counts_at')
        .execute();
      const now = clock.now();
      // One that is far ahead was made before the clock was set back.
      const isDue = (at: number) => at <= now || at > now + WITHDRAWABLE_MS;
      for (const { id, counts_at } of rows) if (isDue(counts_at)) await apply(id);
      return rows.find(({ counts_at }) => !isDue(counts_at))?.counts_at ?? null;
    },

    /** Lets all of an integration count, whatever their age. */
    async applyAll(integrationId: string): Promise<void> {
      const { rows } = await selectWaiting(db, { integrationId });
      for (const { id } of rows) await apply(id);
    },
  };

  async function apply(id: string): Promise<void> {
    const row = await db
      .updateTable('waiting_decisions')
      .set((eb) => ({ claimed_at: eb.fn.coalesce('claimed_at', eb.val(clock.now())) }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    // Taken back, or another process was here first.
    if (row === undefined) return;
    const by = actorSchema.parse(
      JSON.parse(auditSealer(fingerprint).open(row.actor, actorSealContext(id))),
    );
    await decide(createDeciders(deps, by), row);
    await db.deleteFrom('waiting_decisions').where('id', '=', id).execute();
  }
}

const selectWaiting = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('waiting_decisions')
    .select('id')
    .where('integration_id', '=', integrationId)
    .orderBy('counts_at')
    .orderBy('id')
    .compile(),
);

/** Notes a decision that counts from then on; resolves with its id, or null if one about the same waits already. */
export async function putDown(
  db: Database | Trx,
  { clock, fingerprint, actor }: Pick<WaitingDecisionDeps, 'clock' | 'fingerprint' | 'actor'>,
  { integrationId, openedUntil, ...words }: WaitingDecision,
  countsAt: number,
): Promise<string | null> {
  const id = newId(clock.now());
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('waiting_decisions')
    .values({
      ...words,
      id,
      integration_id: integrationId,
      opened_until: openedUntil,
      actor: auditSealer(fingerprint).seal(JSON.stringify(actor), actorSealContext(id)),
      counts_at: countsAt,
    })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows ? id : null;
}

type Deciders = ReturnType<typeof createDeciders>;

/** What decides for the one who said so, whose name the audit has. */
function createDeciders(
  { db, clock, fingerprint, erasures, checkpoint }: WaitingDecisionDeps,
  by: Actor,
) {
  const record = auditRecorder({ clock, fingerprint, actor: by });
  return {
    holds: {
      ...holdQueries(db, clock, fingerprint, record, erasures),
      ...holdBatchQueries(db, clock, record),
    },
    networkHolds: networkHoldQueries(db, checkpoint, clock, record),
  };
}

/** What was decided meanwhile by another way stays as it is. */
async function decide(
  { holds, networkHolds }: Deciders,
  row: Tables['waiting_decisions'],
): Promise<void> {
  const { about, subject, decision, integration_id: integrationId } = row;
  if (about === 'network') {
    const hold = await networkHolds.find(subject);
    if (hold && decision !== 'resubmitted') await networkHolds.decide(hold, decision);
  } else if (about === 'batch') {
    if (decision !== 'resubmitted') await holds.decideBatch(subject, decision, row.opened_until);
  } else if (about === 'contact') {
    const hold = await holds.find(subject);
    if (hold) await holds.decide(hold, decision);
  } else {
    for await (const hold of holds.listOfReason(integrationId, subject, row.opened_until ?? 0)) {
      await holds.decide(hold, decision);
    }
  }
}

function actorSealContext(id: string): SealContext {
  return { table: 'waiting_decisions', column: 'actor', row: [id] };
}

export const actorSchema = z.object({
  kind: z.enum(ACTOR_KINDS),
  name: z.string().nullable(),
  from: z.string().nullable(),
});
