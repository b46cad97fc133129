import type { Selectable } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import {
  mayBeSamePerson,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import type { RecordEntry } from '../audit/record.ts';
import { findErasedMarks } from '../contacts/erased-marks.ts';
import { parseOwned } from '../contacts/owned-values.ts';
import { overwriteErased } from '../engine/erased-bytes.ts';
import { type FromRow, fromRows } from '../engine/from-row.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { prepared, type Slots } from '../engine/prepared.ts';
import { ROWS_PER_TRANSACTION } from '../engine/rows.ts';
import type { Database, ForgottenState, ForgottenTable } from '../engine/tables.ts';
import type { Fingerprint } from '../secrets/fingerprint.ts';
import { type ErasedAgain, eraseAgain } from './erase-again.ts';
import { type ErasedIntegration, eraseIntegration, hasOpenRequests } from './erase-integration.ts';
import { type ErasedRows, eraseRows, OWN_TABLES } from './erase-rows.ts';
import type { ErasureLog } from './erasure-log.ts';

export type ForgottenRecord = FromRow<Selectable<ForgottenTable>>;

/** Who must not be taken up again. */
export interface Block {
  /** Fingerprint of the CRM id. */
  fingerprint: string;
  since: number;
  state: ForgottenState | null;
  /** JSON of `PersonFingerprints`; null if nothing of the person was known. */
  person: string | null;
  /** False for people who were erased in other accounts: their ids mean other people here. */
  isOwn: boolean;
}

/** An erasure as it goes on record before anything is erased. */
export interface Erasure {
  crmId: string;
  state: Extract<ForgottenState, 'begun' | 'blocked'>;
  person: PersonFingerprints | null;
  everywhere: boolean;
  /** JSON, without any id of the contact. */
  receipt: string | null;
}

/** What a write has kept for the way back. */
export interface WriteBefore {
  id: string;
  crmId: string;
  /** Sealed JSON: field → value. */
  before: string;
}

/** A contact by its integration and its id there. */
export interface KnownContact {
  integration: string;
  crmId: string;
}

export interface ForgetDeps {
  db: Database;
  checkpoint: Checkpoint;
  clock: Clock;
  fingerprint: Fingerprint;
  record: RecordEntry;
  /** Each erasure is on record there before anything of it is done here. */
  erasures: ErasureLog;
}

/** Erasing a person, and knowing afterwards who must never be taken up again. */
export function forgetQueries(deps: ForgetDeps) {
  const { db, checkpoint, clock, fingerprint, record, erasures } = deps;
  return {
    /**
     * Blocks a contact from now on, before the first of its traces goes: so that no run brings
     * anything back, should the erasure be cut off. Repeatable. Under the lease, like all that follows:
     * a run that began meanwhile does not know of the block.
     */
    async begin(lease: Lease, erasure: Erasure): Promise<void> {
      const { crmId, state, person, everywhere, receipt } = erasure;
      const now = clock.now();
      await erasures.append({
        ...{ what: state, at: now, integration: lease.integrationId, everywhere },
        ...{ contact: fingerprint('forgotten', crmId), person },
      });
      await checkpoint(lease, async (trx) => {
        await trx
          .insertInto('forgotten')
          .values({
            integration_id: lease.integrationId,
            crm_id_fingerprint: fingerprint('forgotten', crmId),
            forgotten_at: now,
            person: person === null ? null : JSON.stringify(person),
            everywhere: everywhere ? 1 : 0,
            state,
            receipt,
          })
          .onConflict((c) =>
            c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet((eb) => ({
              state,
              receipt,
              person: eb.fn.coalesce('excluded.person', 'forgotten.person'),
              everywhere: everywhere ? 1 : eb.ref('forgotten.everywhere'),
              // Who was only suspected before is blocked from now on.
              forgotten_at: eb
                .case()
                .when('forgotten.state', '=', 'merged')
                .then(eb.ref('excluded.forgotten_at'))
                .else(eb.ref('forgotten.forgotten_at'))
                .end(),
            })),
          )
          .execute();
        await record(trx, {
          action: 'forget.begun',
          integrationId: lease.integrationId,
          details: { state, everywhere },
        });
      });
    },

    /** By what the person of a block is recognised, and where, as far as it was not on record before. */
    async notePerson(
      integrationId: string,
      crmId: string,
      { person, everywhere }: Pick<Erasure, 'person' | 'everywhere'>,
    ): Promise<void> {
      await db
        .updateTable('forgotten')
        .set((eb) => ({
          person: eb.fn.coalesce('person', eb.val(person === null ? null : JSON.stringify(person))),
          everywhere: everywhere ? 1 : eb.ref('everywhere'),
        }))
        .where('integration_id', '=', integrationId)
        .where('crm_id_fingerprint', '=', fingerprint('forgotten', crmId))
        .execute();
    },

    /** How far an erasure has come. */
    async noteReceipt(lease: Lease, crmId: string, receipt: string): Promise<void> {
      await checkpoint(lease, (trx) =>
        trx
          .updateTable('forgotten')
          .set({ receipt })
          .where('integration_id', '=', lease.integrationId)
          .where('crm_id_fingerprint', '=', fingerprint('forgotten', crmId))
          .execute(),
      );
    },

    /**
     * Erases a contact from every table and remembers, by a fingerprint alone, never to take it
     * up again. What was paid stays on record, without the contact. `crmId` is the canonical form
     * of its id, `forms` are others under which rows may stand.
     */
    async erase(
      lease: Lease,
      crmId: string,
      { forms = [], receiptOf }: EraseOptions = {},
    ): Promise<ErasedRows> {
      const { integrationId } = lease;
      const [contact = '', ...others] = fingerprintsOf([crmId, ...forms]);
      await erasures.append({
        ...{ what: 'erased', at: clock.now(), integration: integrationId },
        ...{ contact, forms: others },
      });
      return checkpoint(lease, async (trx) => {
        const now = clock.now();
        const erased = await eraseRows(trx, integrationId, [crmId, ...forms], now);
        const end = {
          state: 'erased' as const,
          erased_at: now,
          ...(receiptOf === undefined ? {} : { receipt: receiptOf(erased) }),
        };
        await trx
          .insertInto('forgotten')
          .values({
            integration_id: integrationId,
            crm_id_fingerprint: fingerprint('forgotten', crmId),
            forgotten_at: now,
            ...end,
          })
          .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet(end))
          .execute();
        const { contacts, jobs, holds, writes } = erased;
        const details = { contacts, jobs, holds, writes };
        await record(trx, { action: 'forget.done', integrationId, details });
        return erased;
      });
    },

    /** Takes what was erased out of the file as well; false if that has to be done once more. */
    overwriteErased: () => overwriteErased(db),

    /** True if any table knows the contact under one of these forms of its id. */
    async hasTraces(integrationId: string, crmIds: readonly string[]): Promise<boolean> {
      for (const table of [...OWN_TABLES, 'jobs'] as const) {
        const row = await db
          .selectFrom(table)
          .select('crm_id')
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'in', crmIds)
          .limit(1)
          .executeTakeFirst();
        if (row !== undefined) return true;
      }
      for (const [table, column] of [
        ['contacts', 'merged_into'],
        ['run_requests', 'contact'],
        ['runs', 'contact'],
      ] as const) {
        const row = await db
          .selectFrom(table)
          .select('integration_id')
          .where('integration_id', '=', integrationId)
          .where(column, 'in', crmIds)
          .limit(1)
          .executeTakeFirst();
        if (row !== undefined) return true;
      }
      const found = await db
        .selectFrom('run_rows')
        .innerJoin('runs', 'runs.id', 'run_rows.run_id')
        .select('run_rows.crm_id')
        .where('runs.integration_id', '=', integrationId)
        .where('run_rows.crm_id', 'in', crmIds)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    /**
     * Fingerprints of every value that was written into a contact or was about to be, by field:
     * a write whose end is not on record may have happened.
     */
    async findOurValues(
      integrationIds: readonly string[],
      crmIds: readonly string[],
    ): Promise<Map<string, Set<string>>> {
      const contacts = await db
        .selectFrom('contacts')
        .select('owned_values')
        .where('integration_id', 'in', integrationIds)
        .where('crm_id', 'in', crmIds)
        .execute();
      const writes = await db
        .selectFrom('writes')
        .select(['after', 'owned_before'])
        .where('integration_id', 'in', integrationIds)
        .where('crm_id', 'in', crmIds)
        .execute();
      const found = new Map<string, Set<string>>();
      for (const json of [
        ...contacts.map((row) => row.owned_values),
        ...writes.flatMap((row) => [row.after, row.owned_before]),
      ]) {
        for (const [field, fingerprintOfValue] of Object.entries(parseOwned(json))) {
          const fingerprints = found.get(field) ?? new Set<string>();
          for (const one of fingerprintOfValue.split(' ')) fingerprints.add(one);
          found.set(field, fingerprints);
        }
      }
      return found;
    },

    /** Writes of other contacts into any of these fields, in portions, with what was there before. */
    async *listWritesInto(
      integrationId: string,
      fields: readonly string[],
      except: readonly string[],
    ): AsyncGenerator<WriteBefore[]> {
      let after = '';
      for (;;) {
        const rows = await db
          .selectFrom('writes')
          .select(['id', 'crm_id', 'before', 'after'])
          .where('integration_id', '=', integrationId)
          .where('crm_id', 'not in', [...except])
          .where('id', '>', after)
          .where('before', '<>', '')
          .orderBy('id')
          .limit(ROWS_PER_TRANSACTION)
          .execute();
        const into = rows.filter((row) => {
          const written = parseOwned(row.after);
          return fields.some((field) => Object.hasOwn(written, field));
        });
        if (into.length > 0)
          yield into.map(({ crm_id: crmId, id, before }) => ({ id, crmId, before }));
        const last = rows.at(-1);
        if (!last || rows.length < ROWS_PER_TRANSACTION) return;
        after = last.id;
      }
    },

    /** Another sealed text of what was there before a write. */
    async replaceBefore(writes: readonly Pick<WriteBefore, 'id' | 'before'>[]): Promise<void> {
      await db.transaction().execute(async (trx) => {
        for (const { id, before } of writes) {
          await trx.updateTable('writes').set({ before }).where('id', '=', id).execute();
        }
      });
    },

    /** What is on record of erasing a contact, under one of these forms of its id. */
    async findErasures(
      integrationIds: readonly string[],
      crmIds: readonly string[],
    ): Promise<ForgottenRecord[]> {
      return db
        .selectFrom('forgotten')
        .selectAll()
        .where('integration_id', 'in', integrationIds)
        .where('crm_id_fingerprint', 'in', fingerprintsOf(crmIds))
        .orderBy('integration_id')
        .orderBy('forgotten_at')
        .execute()
        .then(fromRows);
    },

    /** Fingerprints of the contacts of an integration that must not be taken up again. */
    async listForgotten(integrationId: string): Promise<Set<string>> {
      const blocks = await listBlocks(integrationId, null);
      return new Set(blocks.flatMap((block) => (isBlocking(block) ? block.fingerprint : [])));
    },

    listBlocks,

    /** What tells later that a person has decided since about somebody who may be erased. */
    findMarks: (integrationId: string, isAnyoneAlike: boolean) =>
      findErasedMarks(db, integrationId, isAnyoneAlike),

    /** Contacts that may be this person by what the store remembers; of all integrations for null. */
    async findAlike(
      person: PersonFingerprints,
      integrationIds: readonly string[] | null,
    ): Promise<KnownContact[]> {
      const rows = await db
        .selectFrom('contacts')
        .select(['integration_id', 'crm_id', 'identity'])
        .where('identity', 'like', `2:%:${person.name}:%`)
        .$if(integrationIds !== null, (query) =>
          query.where('integration_id', 'in', [...(integrationIds ?? [])]),
        )
        .orderBy('integration_id')
        .orderBy('crm_id')
        .execute();
      return rows.flatMap(({ integration_id: integration, crm_id: crmId, identity }) => {
        const other = storedPersonFingerprints(fingerprint, identity);
        return other !== null && mayBeSamePerson(person, other) ? [{ integration, crmId }] : [];
      });
    },

    /** Takes blocks back; resolves with the integrations that had one. */
    async lift(integrationIds: readonly string[], crmIds: readonly string[]): Promise<string[]> {
      const fingerprints = fingerprintsOf(crmIds);
      const all = await db.transaction().execute(async (trx) => {
        const lifted = await trx
          .deleteFrom('forgotten')
          .where('integration_id', 'in', integrationIds)
          .where('crm_id_fingerprint', 'in', fingerprints)
          .returning('integration_id')
          .execute();
        // Runs have counted the contact under its fingerprint meanwhile.
        await trx
          .deleteFrom('contacts')
          .where('integration_id', 'in', integrationIds)
          .where('crm_id', 'in', fingerprints)
          .execute();
        const ids = [...new Set(lifted.map((row) => row.integration_id))].sort();
        for (const integrationId of ids) {
          await record(trx, { action: 'forget.lifted', integrationId });
        }
        return ids;
      });
      for (const integration of all) {
        const [contact = '', ...forms] = fingerprints;
        await erasures.append({ what: 'lifted', at: clock.now(), integration, contact, forms });
      }
      return all;
    },

    /**
     * Does again what the log outside of the database says, in one that was put back from a backup of
     * this moment (epoch ms; null if that is not known).
     */
    async eraseAgain(madeAt: number | null): Promise<ErasedAgain> {
      return eraseAgain(deps, await erasures.read(), madeAt);
    },

    /** Erases everything of an integration that leaves, or what an earlier time has left of it. */
    async eraseIntegration(lease: Lease): Promise<ErasedIntegration> {
      const { integrationId } = lease;
      const now = clock.now();
      await erasures.append({ what: 'left', at: now, integration: integrationId });
      const done = await eraseIntegration(db, integrationId, now, (work) =>
        checkpoint(lease, work),
      );
      await checkpoint(lease, (trx) =>
        record(trx, { action: 'integration.erased', integrationId, details: done.erased }),
      );
      return done;
    },

    /** True while a request of the integration waits for its answer, or for the proof of its cost. */
    hasOpenRequests: (integrationId: string) => hasOpenRequests(db, integrationId),

    /** True if the database knows an integration of this id. */
    async knowsIntegration(id: string): Promise<boolean> {
      const row = await db
        .selectFrom('integrations')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Begins a log of what was erased before there was one. */
    async beginErasureLog(): Promise<void> {
      if (await erasures.isBegun()) return;
      const rows = await db.selectFrom('forgotten').selectAll().orderBy('forgotten_at').execute();
      await erasures.begin(
        rows.flatMap(({ state, ...row }) =>
          state === 'merged'
            ? []
            : {
                what: state ?? 'erased',
                at: row.forgotten_at,
                integration: row.integration_id,
                contact: row.crm_id_fingerprint,
                person: row.person === null ? null : JSON.parse(row.person),
                everywhere: row.everywhere === 1,
              },
        ),
      );
    },
  };

  function fingerprintsOf(crmIds: readonly string[]): string[] {
    return crmIds.map((id) => fingerprint('forgotten', id));
  }

  /**
   * Who must not be taken up again in an integration, whichever integration of its account they were
   * erased in. `account` is the account's fingerprint; null for the one that is pinned.
   */
  async function listBlocks(integrationId: string, account: string | null): Promise<Block[]> {
    const { rows: own } =
      account === null
        ? await ofPinnedAccount(db, { integrationId })
        : await ofAccount(db, { account });
    const ids = new Set([integrationId, ...own.map(({ id }) => id)]);
    const { rows } = await forgottenIn(db, { integrationIds: [...ids] });
    return rows.map((row) => ({
      fingerprint: row.crm_id_fingerprint,
      since: row.forgotten_at,
      state: row.state,
      person: row.person,
      isOwn: ids.has(row.integration_id),
    }));
  }
}

/** The integrations of the account that this one is pinned to. */
const ofPinnedAccount = prepared((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('integrations')
    .select('id')
    .where('crm_account', '=', (eb) =>
      eb
        .selectFrom('integrations as self')
        .select('self.crm_account')
        .where('self.id', '=', integrationId),
    )
    .compile(),
);

const ofAccount = prepared((db, { account }: Slots<{ account: string }>) =>
  db.selectFrom('integrations').select('id').where('crm_account', '=', account).compile(),
);

const forgottenIn = prepared(
  (db, { integrationIds }: Slots<{ integrationIds: readonly string[] }>) =>
    db
      .selectFrom('forgotten')
      .selectAll()
      .where((eb) => eb.or([eb('integration_id', 'in', integrationIds), eb('everywhere', '=', 1)]))
      .compile(),
);

export interface EraseOptions {
  forms?: readonly string[];
  /** JSON of the receipt, made in the same transaction. */
  receiptOf?: (erased: ErasedRows) => string;
}

/** False for people of other accounts, and for contacts that are only suspected. */
export function isBlocking({ isOwn, state }: Block): boolean {
  return isOwn && state !== 'merged';
}
