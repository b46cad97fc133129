import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import { type FromRow, fromRows, maybeFromRow } from '../../database/from-row.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { NetworkHoldKind } from '../../database/tables/decisions.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import type { RecordEntry } from '../../privacy/audit/record.ts';
import { countOpenHolds } from './holds.ts';

/** A hold of a network, with the name of the network. */
export type NetworkHoldRecord = FromRow<Selectable<Tables['network_holds']> & { name: string }>;

/** What a person may decide about a network. */
export type NetworkDecision = 'approved' | 'rejected';

/** What is asked of a person. */
export interface NetworkQuestion {
  /** The id of the hold if it is a new one. */
  id: string;
  network: string;
  kind: NetworkHoldKind;
  /** What exactly is asked, as an id or a fingerprint: another one is another question. */
  subject: string;
  /** More for a person, without personal data. */
  detail: string | null;
}

/** Networks that wait for a person's decision. */
export function networkHoldQueries(
  db: Database,
  checkpoint: Checkpoint,
  clock: Clock,
  record: RecordEntry,
) {
  return {
    /** What waits for a person, the oldest first. */
    listOpen(integrationId?: string): Promise<NetworkHoldRecord[]> {
      return holds()
        .where('decision', 'is', null)
        .$if(integrationId !== undefined, (query) =>
          query.where('network_holds.integration_id', '=', integrationId ?? ''),
        )
        .orderBy('opened_at')
        .orderBy('network_holds.id')
        .execute()
        .then(fromRows);
    },

    /** How many wait for a person, by integration. */
    countOpen: () => countOpenHolds(db, 'network_holds'),

    /** The hold with this id, open or not. */
    find(id: string): Promise<NetworkHoldRecord | undefined> {
      return holds().where('network_holds.id', '=', id).executeTakeFirst().then(maybeFromRow);
    },

    /** Asks a person, unless the same was asked before; resolves with where the question stands. */
    ask(
      lease: Lease,
      { id, network, kind, subject, detail }: NetworkQuestion,
    ): Promise<'open' | NetworkDecision> {
      return checkpoint(lease, async (trx) => {
        const asked = await findDecision(trx, network, kind, subject);
        if (asked !== null) return asked;
        await drop(trx, network, kind);
        await trx
          .insertInto('network_holds')
          .values({
            id,
            network,
            kind,
            subject,
            detail,
            integration_id: lease.integrationId,
            opened_at: clock.now(),
          })
          .execute();
        return 'open';
      });
    },

    /** Where a question stands; null if it was not asked. */
    findDecision: (network: string, kind: NetworkHoldKind, subject: string) =>
      findDecision(db, network, kind, subject),

    /** The matter is over: no person has to decide it, and no earlier decision counts any more. */
    async settle(lease: Lease, network: string, kind: NetworkHoldKind): Promise<void> {
      await checkpoint(lease, (trx) => drop(trx, network, kind));
    },

    /**
     * Notes the decision; false if the hold is no longer open. With a network that is to be
     * created anew, the memberships of the deleted one are forgotten.
     */
    decide(hold: NetworkHoldRecord, decision: NetworkDecision): Promise<boolean> {
      return db.transaction().execute(async (trx) => {
        const decided = await trx
          .updateTable('network_holds')
          .set({ decision, decided_at: clock.now() })
          .where('id', '=', hold.id)
          .where('decision', 'is', null)
          .executeTakeFirst();
        if (decided.numUpdatedRows === 0n) return false;
        const isToBeCreated = hold.kind === 'network_deleted' && decision === 'approved';
        if (isToBeCreated) await forgetNetwork(trx, hold.network);
        await record(trx, {
          action: 'network.decided',
          integrationId: hold.integrationId,
          details: { hold: hold.id, kind: hold.kind, network: hold.network, decision },
        });
        return true;
      });
    },
  };

  function holds() {
    return db
      .selectFrom('network_holds')
      .innerJoin('networks', 'networks.id', 'network_holds.network')
      .selectAll('network_holds')
      .select('networks.name');
  }

  async function drop(trx: Trx, network: string, kind: NetworkHoldKind): Promise<void> {
    await dropHold(trx, { network, kind, now: clock.now() });
  }
}

const dropHold = prepared(
  (db, { network, kind, now }: Slots<{ network: string; kind: NetworkHoldKind; now: number }>) =>
    db
      .updateTable('network_holds')
      .set((eb) => ({
        subject: null,
        decision: eb.fn.coalesce('decision', eb.val('superseded' as const)),
        decided_at: eb.fn.coalesce('decided_at', now),
      }))
      .where('network', '=', network)
      .where('kind', '=', kind)
      .where('subject', 'is not', null)
      .compile(),
);

async function findDecision(
  db: Database | Trx,
  network: string,
  kind: NetworkHoldKind,
  subject: string,
): Promise<'open' | NetworkDecision | null> {
  const asked = await db
    .selectFrom('network_holds')
    .select('decision')
    .where('network', '=', network)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (!asked) return null;
  const { decision } = asked;
  return decision === 'approved' || decision === 'rejected' ? decision : 'open';
}

async function forgetNetwork(trx: Trx, network: string): Promise<void> {
  await trx.deleteFrom('network_members').where('network', '=', network).execute();
  await trx.updateTable('networks').set({ network_id: null }).where('id', '=', network).execute();
}
