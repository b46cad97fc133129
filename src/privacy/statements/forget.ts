import { type Selectable, sql } from 'kysely';
import { findErasedMarks } from '../../contacts/erased-marks.ts';
import { parseOwned } from '../../contacts/owned-values.ts';
import type { Clock } from '../../core/clock.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { Checkpoint, Lease } from '../../database/leases.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { overwriteErased } from '../../database/sqlite/erased-bytes.ts';
import type { ForgottenState } from '../../database/tables/privacy.ts';
import type { Database, Tables } from '../../database/tables/tables.ts';
import {
  mayBeSamePerson,
  type PersonFingerprints,
  storedPersonFingerprints,
} from '../../identity/person-fingerprints.ts';
import type { RecordEntry } from '../audit/record.ts';
import { CONTACT_PLACES, idsIn } from './contact-places.ts';
import { type ErasedAgain, eraseAgain, findIds } from './erase-again.ts';
import { type ErasedIntegration, eraseIntegration, hasOpenRequests } from './erase-integration.ts';
import { dropWaitingErasures, type ErasedRows, eraseRows } from './erase-rows.ts';
import {
  type ErasureEntry,
  type ErasureLog,
  isSeenDue,
  lastLineAt,
  storeTag,
} from './erasure-log.ts';
import { dropLeftValues, LEFT_STATES, leftContact } from './left-values.ts';
import { parseDonors, parseNames } from './mentions.ts';
import { placeWrites, recallWrites } from './recall-writes.ts';
import type { WriteLog, WriteLogFile } from './write-log.ts';

export type ForgottenRecord = FromRow<Selectable<Tables['forgotten']>>;

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
  /** Fingerprints of the donors that the person was and no other contact is. */
  donors: readonly string[];
  /** JSON, without any id of the contact. */
  receipt: string | null;
}

/** An erasure that has not come to its end, of a contact that the store still has. */
export interface BegunErasure {
  crmId: string;
  /** JSON, as far as the erasure has come. */
  receipt: string;
  /** Fingerprints of the donors that the person was. */
  donors: readonly string[];
  /** Its names, as fingerprints of their words. */
  names: readonly string[];
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
  /** What was written since, if an older database is restored. */
  writeLog: WriteLog;
}

/** Erasing a person, and knowing afterwards who must never be taken up again. */
export function forgetQueries(deps: ForgetDeps) {
  const { db, checkpoint, clock, fingerprint, record, erasures, writeLog } = deps;
  return {
    /**
     * Blocks a contact from now on, before the first of its traces goes: so that no run brings
     * anything back, should the erasure be cut off. Repeatable. Under the lease, like all that follows:
     * a run that began meanwhile does not know of the block.
     */
    async begin(lease: Lease, erasure: Erasure): Promise<void> {
      const { crmId, state, person, everywhere, donors, receipt } = erasure;
      const now = clock.now();
      await erasures.append({
        what: state,
        at: now,
        integration: lease.integrationId,
        everywhere,
        contact: fingerprint('forgotten', crmId),
        person,
        donors: [...donors],
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
            donors: JSON.stringify(donors),
          })
          .onConflict((c) =>
            c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet((eb) => ({
              state,
              receipt,
              donors: eb.ref('excluded.donors'),
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
          changesBlocks: true,
        });
      });
    },

    /** By what the person of a block is recognised, and where, as far as it was not on record before. */
    async notePerson(
      integrationId: string,
      crmId: string,
      { person, everywhere }: Pick<Erasure, 'person' | 'everywhere'>,
    ): Promise<void> {
      const known = person === null ? null : JSON.stringify(person);
      await db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('forgotten')
          .set((eb) => ({
            person: eb.fn.coalesce('person', eb.val(known)),
            everywhere: everywhere ? 1 : eb.ref('everywhere'),
          }))
          .where('integration_id', '=', integrationId)
          .where('crm_id_fingerprint', '=', fingerprint('forgotten', crmId))
          .where((eb) =>
            eb.or([
              ...(known === null ? [] : [eb('person', 'is', null)]),
              ...(everywhere ? [eb('everywhere', '=', 0)] : []),
            ]),
          )
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        const details = { state: 'erased', everywhere };
        await record(trx, { action: 'forget.begun', integrationId, details, changesBlocks: true });
      });
    },

    /** How far an erasure has come. Once it is over, the audit seals its receipt, so that a change of it is on record. */
    async noteReceipt(lease: Lease, crmId: string, receipt: string): Promise<void> {
      const { integrationId } = lease;
      await checkpoint(lease, async (trx) => {
        const [block] = await trx
          .updateTable('forgotten')
          .set({ receipt })
          .where('integration_id', '=', integrationId)
          .where('crm_id_fingerprint', '=', fingerprint('forgotten', crmId))
          .returning(['state', 'everywhere'])
          .execute();
        if (block === undefined || block.state === 'begun') return;
        const details = { state: block.state, everywhere: block.everywhere === 1 };
        await record(trx, { action: 'forget.begun', integrationId, details, changesBlocks: true });
      });
    },

    /**
     * Erases a contact from every table and remembers, by a fingerprint alone, never to take it
     * up again. What was paid stays on record, without the contact. `crmId` is the canonical form
     * of its id, `forms` are others under which rows may stand.
     */
    async erase(
      lease: Lease,
      crmId: string,
      { forms = [], mayBeLeft = true, buildReceipt }: EraseOptions = {},
    ): Promise<ErasedRows> {
      const { integrationId } = lease;
      const [contact = '', ...others] = fingerprintIds([crmId, ...forms]);
      await erasures.append({
        what: 'erased',
        at: clock.now(),
        integration: integrationId,
        contact,
        forms: others,
      });
      return checkpoint(lease, async (trx) => {
        const now = clock.now();
        const values = { fingerprint, mayBeLeft };
        const erased = await eraseRows(trx, integrationId, [crmId, ...forms], now, values);
        const end = {
          state: 'erased' as const,
          erased_at: now,
          ...(buildReceipt === undefined ? {} : { receipt: buildReceipt(erased) }),
        };
        await trx
          .insertInto('forgotten')
          .values({
            integration_id: integrationId,
            crm_id_fingerprint: fingerprint('forgotten', crmId),
            forgotten_at: now,
            everywhere: 0,
            donors: '[]',
            ...end,
          })
          .onConflict((c) => c.columns(['integration_id', 'crm_id_fingerprint']).doUpdateSet(end))
          .execute();
        const { contacts, jobs, holds, writes, keys } = erased;
        await record(trx, {
          action: 'forget.done',
          integrationId,
          details: { contacts, jobs, holds, writes, keys: keys.length },
          destroyedKeys: keys,
          changesBlocks: true,
        });
        return erased;
      });
    },

    /** Users may have asked to erase it once more: what waits for that has its id, and is over when it was done again. */
    async dropWaitingErasures(lease: Lease, crmIds: readonly string[]): Promise<void> {
      await checkpoint(lease, (trx) => dropWaitingErasures(trx, lease.integrationId, crmIds));
    },

    /** The fields of a contact that was erased were seen empty: nothing of it has to be known apart any more. */
    async dropLeftValues(lease: Lease, crmIds: readonly string[]): Promise<void> {
      await checkpoint(lease, (trx) =>
        dropLeftValues(trx, fingerprint, lease.integrationId, crmIds),
      );
    },

    /** Takes what was erased out of the file as well; false if that has to be done once more. */
    overwriteErased: () => overwriteErased(db),

    /**
     * True if any table has the contact under one of these forms of its id. That a user waits for a second person to
     * confirm its erasure is no knowledge of it: `asked` says whether that counts as well.
     */
    async hasTraces(
      integrationId: string,
      crmIds: readonly string[],
      { asked = true }: { asked?: boolean } = {},
    ): Promise<boolean> {
      for (const place of CONTACT_PLACES) {
        if (place.table === 'answers' && !asked) continue;
        const { rows } = await sql`
          select 1 as found from (${idsIn(place, integrationId)}) as held
          where id in (${sql.join(crmIds)}) limit 1`.execute(db);
        if (rows.length > 0) return true;
      }
      return false;
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
      const left = crmIds.map((id) => leftContact(fingerprint, id));
      const writes = await db
        .selectFrom('writes')
        .select(['after', 'owned_before'])
        .where('integration_id', 'in', integrationIds)
        .where('crm_id', 'in', [...crmIds, ...left])
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

    /** What is on record of erasing a contact, under one of these forms of its id. */
    async findErasures(
      integrationIds: readonly string[],
      crmIds: readonly string[],
    ): Promise<ForgottenRecord[]> {
      return db
        .selectFrom('forgotten')
        .selectAll()
        .where('integration_id', 'in', integrationIds)
        .where('crm_id_fingerprint', 'in', fingerprintIds(crmIds))
        .orderBy('integration_id')
        .orderBy('forgotten_at')
        .execute()
        .then(fromRows);
    },

    /** Erasures that have begun and whose contact the store still has, for another try. */
    async listBegun(integrationId: string): Promise<BegunErasure[]> {
      const rows = await db
        .selectFrom('forgotten')
        .select(['crm_id_fingerprint', 'receipt', 'donors', 'person'])
        .where('integration_id', '=', integrationId)
        .where('state', '=', 'begun')
        .where('receipt', 'is not', null)
        .orderBy('forgotten_at')
        .execute();
      if (rows.length === 0) return [];
      const wanted = new Set(rows.map((row) => row.crm_id_fingerprint));
      const ids = await findIds(deps, integrationId, wanted);
      return rows.flatMap(({ crm_id_fingerprint: contact, receipt, donors, person }) => {
        const crmId = ids.get(contact);
        if (crmId === undefined || receipt === null) return [];
        return [{ crmId, receipt, donors: parseDonors(donors), names: parseNames(person) }];
      });
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
      const fingerprints = fingerprintIds(crmIds);
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
        // Its id is known again, and so is what was written into it.
        for (const [at, crm_id] of crmIds.entries()) {
          await trx
            .updateTable('writes')
            .set({ crm_id, state: 'written' })
            .where('integration_id', 'in', integrationIds)
            .where('crm_id', '=', fingerprints[at] ?? '')
            .where('state', 'in', LEFT_STATES)
            .execute();
        }
        const ids = [...new Set(lifted.map((row) => row.integration_id))].sort();
        for (const integrationId of ids) {
          await record(trx, { action: 'forget.lifted', integrationId, changesBlocks: true });
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
    async eraseAgain(madeAt: number | null): Promise<ErasedAgain & LogReach> {
      const entries = await erasures.read();
      // Of a database that another program put back, its last entry says how old it is.
      const ageAt = madeAt ?? (await lastEntryAt(db));
      const done = await eraseAgain(deps, entries, madeAt);
      const store = storeTag(fingerprint);
      const lines = await writeLog.read(ageAt === null ? 0 : Math.max(0, ageAt - BACKUP_TAKES_MS));
      await recallWrites(
        db,
        lines.filter((line) => line.store === store),
      );
      const known = await db.selectFrom('integrations').select('id').execute();
      for (const { id } of known) await placeWrites(db, fingerprint, id);
      return { ...done, ...logReach(entries, ageAt) };
    },

    /** How the log of writes stands: its files, and whether it has the newest writes of the database. */
    async examineWriteLog(): Promise<WriteLogState> {
      const files = await writeLog.examine(clock.now());
      const newest = await db
        .selectFrom('writes')
        .select(['id', 'written_at'])
        .where('state', 'not in', LEFT_STATES)
        .where('written_at', '>=', clock.now() - LOG_CHECKED_MS)
        .orderBy('written_at', 'desc')
        .limit(WRITES_CHECKED)
        .execute();
      const oldest = newest.at(-1)?.written_at ?? clock.now();
      const lines = await writeLog.read(Number(oldest) - BACKUP_TAKES_MS);
      const noted = new Set(lines.map(({ id }) => id));
      const missing = newest.filter(({ id }) => !noted.has(id));
      const lastMissingAt = missing.length === 0 ? null : Number(missing[0]?.written_at);
      return { files, checked: newest.length, missing: missing.length, lastMissingAt };
    },

    /** Finds the contacts of writes that a restore has brought back, once runs have read them. */
    placeWrites: (integrationId: string) => placeWrites(db, fingerprint, integrationId),

    /** Notes in the log that a process works with this database: a log without such a line is an old copy. */
    async noteSeen(): Promise<void> {
      const now = clock.now();
      if (!isSeenDue(await erasures.read(), now)) return;
      await erasures.append({ what: 'seen', at: now });
    },

    /** Erases everything of an integration that leaves, or what an earlier time has left of it. */
    async eraseIntegration(lease: Lease): Promise<ErasedIntegration> {
      const { integrationId } = lease;
      const now = clock.now();
      await erasures.append({ what: 'left', at: now, integration: integrationId });
      // Before the first key goes: cut off, the audit still knows why keys are gone.
      await checkpoint(lease, (trx) =>
        record(trx, { action: 'integration.erasing', integrationId }),
      );
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
                what: state,
                at: row.forgotten_at,
                integration: row.integration_id,
                contact: row.crm_id_fingerprint,
                person: row.person === null ? null : JSON.parse(row.person),
                everywhere: row.everywhere === 1,
                donors: parseDonors(row.donors),
              },
        ),
      );
    },
  };

  function fingerprintIds(crmIds: readonly string[]): string[] {
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

/** How the log of writes stands. */
export interface WriteLogState {
  files: readonly WriteLogFile[];
  /** How many of the newest writes of the database were looked for. */
  checked: number;
  /** How many of these it lacks: another host has noted them elsewhere, or the log was lost. */
  missing: number;
  /** Epoch ms; null if it lacks none. */
  lastMissingAt: number | null;
}

const WRITES_CHECKED = 1_000;

/** A log that was lost, or made later, is no finding for good. */
const LOG_CHECKED_MS = 30 * 86_400_000;

/** Writes that began while the backup was made may be missing in it. */
const BACKUP_TAKES_MS = 3_600_000;

export interface EraseOptions {
  forms?: readonly string[];
  /** False if the contact's fields in the CRM were seen empty; true by default: their fingerprints are kept. */
  mayBeLeft?: boolean;
  /** JSON of the receipt, made in the same transaction. */
  buildReceipt?: (erased: ErasedRows) => string;
}

/** How far the log of erasures reaches that a restored database was brought up by. */
export interface LogReach {
  /** Time of the log's last line (epoch ms); null if there was no log. */
  logReachesTo: number | null;
  /**
   * After when erasures are not known, because no log was found or no process wrote to it after the backup was made;
   * null if the log was in use then.
   */
  unknownAfter: number | null;
}

/** Pure. A copy that was made together with the backup counts as none: it lacks what was erased since. */
export function logReach(entries: readonly ErasureEntry[], madeAt: number | null): LogReach {
  const last = lastLineAt(entries);
  const isCurrent = last !== null && last > (madeAt ?? Number.NEGATIVE_INFINITY);
  return { logReachesTo: last, unknownAfter: isCurrent ? null : (madeAt ?? last ?? 0) };
}

async function lastEntryAt(db: Database): Promise<number | null> {
  const { at } = await db
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirstOrThrow();
  return at === null ? null : Number(at);
}

/** False for people of other accounts, and for contacts that are only suspected. */
export function isBlocking({ isOwn, state }: Block): boolean {
  return isOwn && state !== 'merged';
}
