/** Who did what: reading the audit, checking that nothing in it was changed, and purging it. */
import { z } from 'zod';
import { ACTOR_KINDS, type Actor, PRODUCT } from '../../core/actor.ts';
import { isoTime } from '../../core/clock.ts';
import { isDonorSyncError, messageOf } from '../../core/errors.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { listForeignParts } from '../../database/foreign-parts.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import { isPartMissing } from '../../database/store-error.ts';
import type { TableName } from '../../database/tables/catalogue.ts';
import type { Database, Tables, Trx } from '../../database/tables/tables.ts';
import { type Blocks, blocksSchema, describeChangedBlocks, readBlocks } from './blocks.ts';
import {
  auditSealer,
  birthMark,
  CHAIN_START,
  chainHash,
  contactSealContext,
  contactSealer,
  entrySealContext,
  keySealContext,
  placeMark,
} from './chain.ts';
import type { AuditAction, AuditDetails, NewAuditEntry, RecordEntry } from './record.ts';

/** Entries that are added in one transaction. */
const PAGE = 500;

/** An entry, opened. */
export interface AuditRecord {
  seq: number;
  /** Epoch ms. */
  at: number;
  action: string;
  integrationId: string | null;
  actor: Actor;
  /** The contact's id in the CRM; null if the entry names none, or if the contact was erased. */
  crmId: string | null;
  /** True if it named a contact that was erased since. */
  isContactErased: boolean;
  /** False if it was changed in the database: then who, contact and details are not known. */
  isReadable: boolean;
  details: AuditDetails;
}

/** Which entries are asked for; what is left out does not matter. */
export interface AuditFilter {
  /** Epoch ms. */
  since?: number | undefined;
  /** Epoch ms; only those before. */
  until?: number | undefined;
  integrationId?: string | undefined;
  /** Only entries about these. */
  integrationIds?: readonly string[] | undefined;
  action?: string | undefined;
  /** Only those before this one. */
  before?: number | undefined;
  limit: number;
}

/** A place in the chain. */
export interface AuditPlace {
  seq: number;
  hash: string;
}

/** Where the chain ends, by the row that says so. */
export interface AuditEnd extends AuditPlace {
  /** False if donor-sync has not signed this end, so that it was changed in the database. */
  isSigned: boolean;
}

/** What checking the chain found. */
export interface AuditCheck {
  /** How many entries were checked. */
  entries: number;
  /** Where the chain ends: kept elsewhere, it shows later that nothing before it is gone. */
  end: AuditPlace | null;
  /** The last entry that a purge has taken out; 0 if there was none. */
  purgedThrough: number;
  /** What is wrong, in sentences; at most `MAX_PROBLEMS`. */
  problems: string[];
}

/** An entry with its contact's key, which is gone with the contact. */
type ListedRow = Tables['audit_entries'] & {
  key: string | null;
  crm_id: string | null;
  key_integration: string | null;
};

const EMPTIED = 'There is no entry at all, although there was one: the audit was emptied.';

const BEGUN_AGAIN =
  "The audit was emptied, and a new chain was begun: its first entry is not the one in the audit's birth record.";

const BIRTH_GONE =
  "The audit's birth record is missing, although the first entry was recorded with one: it was deleted.";

const BIRTH_FORGED = "The audit's birth record was not signed by donor-sync.";

const BEGUN_LATE =
  'Tokens, users or runs are older than every entry: the audit was emptied, and a new chain was begun.';

const UNREAD = 'No entry was checked: what is read from such tables proves nothing.';

/** The tables that the audit consists of, and who is blocked because of an erasure. */
const TABLES = [
  ...(['audit_entries', 'audit_keys', 'audit_head', 'chain_births', 'forgotten'] as const),
] satisfies TableName[];

/** What is made together with its entry may be older by as much. */
const SAME_MOMENT_MS = 60_000;

/** Actions whose entries say which keys of contacts were destroyed. */
const DESTROYING = ['forget.done', 'hold.decided'] as const satisfies readonly AuditAction[];

/** Actions whose entries may seal who is blocked because of an erasure; the first entry does as well. */
const SEALING_BLOCKS = [
  ...(['forget.begun', 'forget.done', 'forget.lifted', 'hold.decided', 'audit.purged'] as const),
] satisfies AuditAction[];

const MAX_PROBLEMS = 20;
const ROWS_AT_ONCE = 500;

const bodySchema = z.object({
  actor: z.object({
    kind: z.enum(ACTOR_KINDS).catch('product'),
    name: z.string().nullable(),
    from: z.string().nullable(),
  }),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  contact: z.string().nullable(),
  /** Of the first entry, if a birth record was made with it. */
  born: z.boolean().default(false),
  /** Of entries about erasures, and of the first one. */
  blocks: blocksSchema.nullable().default(null),
  /** Of entries about erasures: ids of the contacts' keys that were destroyed. */
  destroyed: z.array(z.string()).default([]),
});

function listed(db: Database | Trx) {
  return db
    .selectFrom('audit_entries as entry')
    .leftJoin('audit_keys as key', 'key.id', 'entry.key_id')
    .selectAll('entry')
    .select(['key.sealed as key', 'key.crm_id', 'key.integration_id as key_integration']);
}

const selectLast = prepared((db, { action }: Slots<{ action: AuditAction }>) =>
  listed(db)
    .where('entry.seq', 'in', (eb) =>
      eb
        .selectFrom('audit_entries')
        .select((inner) => inner.fn.max('seq').as('seq'))
        .where('action', '=', action)
        .groupBy('integration_id'),
    )
    .compile(),
);

export function auditQueries(db: Database, fingerprint: Fingerprint, record: RecordEntry) {
  let made: Sealer | null = null;
  const sealer = () => {
    made ??= auditSealer(fingerprint);
    return made;
  };

  return {
    /** Adds entries about something that changes nothing in the database, before it is done. */
    async note(...entries: readonly NewAuditEntry[]): Promise<void> {
      for (let from = 0; from < entries.length; from += PAGE) {
        await db.transaction().execute(async (trx) => {
          for (const entry of entries.slice(from, from + PAGE)) await record(trx, entry);
        });
      }
    },

    /** Entries, the newest first. */
    async list({
      since,
      until,
      integrationId,
      integrationIds,
      action,
      before,
      limit,
    }: AuditFilter): Promise<AuditRecord[]> {
      if (integrationIds?.length === 0) return [];
      const rows = await listed(db)
        .$if(integrationIds !== undefined, (query) =>
          query.where('entry.integration_id', 'in', integrationIds ?? []),
        )
        .$if(since !== undefined, (query) => query.where('entry.at', '>=', since ?? 0))
        .$if(until !== undefined, (query) => query.where('entry.at', '<', until ?? 0))
        .$if(action !== undefined, (query) => query.where('entry.action', '=', action ?? ''))
        .$if(before !== undefined, (query) => query.where('entry.seq', '<', before ?? 0))
        .$if(integrationId !== undefined, (query) =>
          query.where('entry.integration_id', '=', integrationId ?? ''),
        )
        .orderBy('entry.seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(openRow);
    },

    /** The last entry of an action about each integration. */
    async listLast(action: AuditAction): Promise<AuditRecord[]> {
      return (await selectLast(db, { action })).rows.map(openRow);
    },

    /**
     * Checks the whole chain. `known` is a place that was noted down earlier: if the chain lacks it,
     * entries were taken away at its end and others put there. `onChecked` hears how many were checked of how
     * many, and may hold the check up.
     */
    async verify(
      known: AuditPlace | null = null,
      onChecked: (entries: number, of: number) => Promise<void> = async () => {},
    ): Promise<AuditCheck> {
      try {
        const foreign = await listForeignParts(db, TABLES);
        const problems = foreign.map(({ text }) => inOneLine(text));
        if (foreign.some(({ isOfTable }) => isOfTable)) {
          return { entries: 0, end: null, purgedThrough: 0, problems: [...problems, UNREAD] };
        }
        const check = await checkWhileNothingIsPurged(known, onChecked);
        return { ...check, problems: [...problems, ...check.problems].slice(0, MAX_PROBLEMS) };
      } catch (error) {
        if (!isPartMissing(error)) throw error;
        const problems = [messageOf(error)];
        return { entries: 0, end: null, purgedThrough: 0, problems };
      }
    },

    /** The end of the chain as its row says, without a look at the entries; null if nothing was ever recorded. */
    async readEnd(): Promise<AuditEnd | null> {
      const head = await readHead(db);
      if (head === null) {
        const isGone = (await readBirth(db)) !== null;
        return isGone ? { seq: 0, hash: 'none', isSigned: false } : null;
      }
      const end = { seq: head.seq, hash: head.hash };
      return { ...end, isSigned: head.mark === placeMark(fingerprint, 'audit_end', end) };
    },

    /**
     * Takes out the entries before this moment (epoch ms), and the keys that opened only them; the
     * place where the chain begins from now on is signed. Resolves with how many entries went.
     */
    purge(before: number): Promise<number> {
      return db.transaction().execute((trx) => purge(trx, before));
    },
  };

  function openRow(row: ListedRow): AuditRecord {
    const { seq, action, integration_id: integrationId } = row;
    const known = { seq, at: toTime(row.at), action, integrationId };
    try {
      return { ...known, ...openBody(row), isReadable: true };
    } catch (error) {
      if (!isDonorSyncError(error)) throw error;
      const nothing = { actor: PRODUCT, crmId: null, isContactErased: false, details: {} };
      return { ...known, ...nothing, isReadable: false };
    }
  }

  function openBody({ seq, sealed, key_id: id, key, crm_id, key_integration }: ListedRow) {
    const body = JSON.parse(sealer().open(sealed, entrySealContext(seq)));
    const { actor, details, contact } = bodySchema.parse(body);
    if (contact === null) return { actor, details, crmId: null, isContactErased: false };
    if (id === null || key === null || crm_id === null || key_integration === null) {
      return { actor, details, crmId: null, isContactErased: true };
    }
    const place = keySealContext({ id, integrationId: key_integration, crmId: crm_id });
    const crmId = contactSealer(sealer().open(key, place)).open(contact, contactSealContext(seq));
    return { actor, details, crmId, isContactErased: false };
  }

  async function checkWhileNothingIsPurged(
    known: AuditPlace | null,
    onChecked: (entries: number, of: number) => Promise<void>,
  ): Promise<AuditCheck> {
    for (;;) {
      const before = await readHead(db);
      const check = await checkChain(before, known, onChecked);
      const after = await readHead(db);
      // A purge meanwhile takes away what was about to be read.
      if (before?.purged_seq === after?.purged_seq) return check;
    }
  }

  async function checkChain(
    head: Awaited<ReturnType<typeof readHead>>,
    known: AuditPlace | null,
    onChecked: (entries: number, of: number) => Promise<void>,
  ): Promise<AuditCheck> {
    const problems: string[] = [];
    const wrong = (problem: string) => {
      if (problems.length < MAX_PROBLEMS) problems.push(inOneLine(problem));
    };
    const purged = { seq: head?.purged_seq ?? 0, hash: head?.purged_hash ?? CHAIN_START };
    if (purged.seq > 0 && head?.purged_mark !== placeMark(fingerprint, 'audit_purged', purged)) {
      wrong('The place where the chain begins since the last purge was not signed by donor-sync.');
    }
    for (const strange of await findStrangeRows(purged.seq)) wrong(strange);
    let { seq, hash } = purged;
    let entries = 0;
    let firstHash: string | null = null;
    let firstSeq: number | null = null;
    let isBroken = false;
    let isKnownThere = known === null || known.seq < purged.seq;
    const noteKnown = async () => {
      if (known?.seq !== seq) return;
      isKnownThere = true;
      if (known.hash !== hash)
        wrong(
          `Entry ${seq} is another one than the one that was noted down earlier.${await restoreText()}`,
        );
    };
    await noteKnown();
    for (;;) {
      const rows = await readAfter(seq, head?.seq ?? null);
      for (const row of rows) {
        if (row.seq !== seq + 1) {
          isBroken = true;
          wrong(
            seq === 0
              ? `The chain begins at entry ${row.seq}, and no purge is on record: the entries before it are gone, or the record of the purge.`
              : Number.isInteger(row.seq)
                ? `Entries are missing: ${row.seq} follows on ${seq}.`
                : `Entry ${row.seq} was put there by another program.`,
          );
        } else if (row.hash !== chainHash(fingerprint, hash, chained(row))) {
          wrong(`Entry ${row.seq} was changed, or put there by another program.`);
        }
        seq = row.seq;
        hash = row.hash;
        if (row.seq === 1) firstHash = row.hash;
        firstSeq ??= row.seq;
        entries += 1;
        await noteKnown();
      }
      if (rows.length === 0) break;
      await onChecked(entries, (head?.seq ?? seq) - purged.seq);
    }
    const birth = await readBirth(db);
    if (birth !== null && birth.mark !== birthMark(fingerprint, birth)) wrong(BIRTH_FORGED);
    // A purge takes entries of a chain that was born here: its first one is gone, its birth record stays.
    if (birth === null && (purged.seq > 0 || (await wasBornOnRecord()))) wrong(BIRTH_GONE);
    const isOther = birth !== null && firstHash !== null && firstHash !== birth.hash;
    if (isOther) wrong(BEGUN_AGAIN);
    else if (firstSeq === 1 && (await hasBegunLate())) wrong(BEGUN_LATE);
    const changed = await countChangedKeys();
    if (changed > 0) {
      wrong(
        `Keys of ${changed} contacts were changed or put there by another program: entries about them can't be read any more.`,
      );
    }
    for (const keys of await findMovedKeys(isBroken || !isKnownThere)) wrong(keys);
    const changedBlocks = await findChangedBlocks();
    if (changedBlocks !== null) wrong(changedBlocks);
    const end = { seq, hash };
    if (head === null) {
      if (entries > 0) wrong('The row that says where the chain ends is missing.');
      else if (birth !== null || (await hasAuditedRows())) wrong(EMPTIED);
    } else if (
      head.seq !== seq ||
      head.hash !== hash ||
      head.mark !== placeMark(fingerprint, 'audit_end', end)
    ) {
      wrong(`The chain ends at entry ${seq}, which is not the end that donor-sync has signed.`);
    }
    const beyond = await findBeyond();
    if (beyond !== null) {
      wrong(
        `Entry ${beyond} stands behind the end of the chain: it is forged, or the end was put back.`,
      );
    }
    // Behind an end that was put back it may still be there, which is said already.
    if (!isKnownThere && beyond !== known?.seq) {
      const missing = `Entry ${known?.seq}, which was noted down earlier, is missing.`;
      wrong(missing + (await restoreText()));
    }
    return { entries, end: head === null ? null : end, purgedThrough: purged.seq, problems };
  }

  /** What stands in the database beside the chain, and was put there by another program. */
  async function findStrangeRows(purgedSeq: number): Promise<string[]> {
    const problems: string[] = [];
    const before = await db
      .selectFrom('audit_entries')
      .select('seq')
      .where('seq', '<=', purgedSeq)
      .orderBy('seq')
      .limit(MAX_PROBLEMS)
      .execute();
    for (const { seq } of before) {
      problems.push(
        `Entry ${seq} stands before the place where the chain begins: it was put there by another program.`,
      );
    }
    const others = [
      ...(await db.selectFrom('audit_head').select('id').where('id', '<>', 1).execute()),
      ...(await db.selectFrom('chain_births').select('id').where('id', '<>', 1).execute()),
    ];
    if (others.length > 0) {
      problems.push('The record of the chain has a second row, which donor-sync did not make.');
    }
    return problems;
  }

  /** A restore takes entries away lawfully: its own entry, which nobody can forge, says when. */
  async function restoreText(): Promise<string> {
    const restore = await db
      .selectFrom('audit_entries')
      .select(['seq', 'at'])
      .where('action', '=', 'database.restored')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (restore === undefined) return ' No restore of a backup is on record that would explain it.';
    return ` A backup was restored on ${isoTime(toTime(restore.at)).slice(0, 10)} (entry ${restore.seq}): that explains it if the end was noted down before that day, and only then.`;
  }

  /** In one statement: an entry and the end are written together, also while this is asked. */
  async function findBeyond(): Promise<number | null> {
    const found = await db
      .selectFrom('audit_entries')
      .select('seq')
      .where('seq', '>', (eb) => eb.selectFrom('audit_head').select('seq').where('id', '=', 1))
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return found?.seq ?? null;
  }

  /** True if something is there that is made together with its entry. */
  async function hasAuditedRows(): Promise<boolean> {
    const token = await db.selectFrom('access_tokens').select('id').limit(1).executeTakeFirst();
    const person = await db.selectFrom('people').select('id').limit(1).executeTakeFirst();
    return token !== undefined || person !== undefined;
  }

  /** True if something that is made together with an entry is older than every entry. */
  async function hasBegunLate(): Promise<boolean> {
    // The least of all times, not that of the first entry: clocks of hosts may differ.
    const first = await db
      .selectFrom('audit_entries')
      .select((eb) => eb.fn.min('at').as('at'))
      .executeTakeFirst();
    const before = (first?.at ?? 0) - SAME_MOMENT_MS;
    const older = await Promise.all([
      db
        .selectFrom('access_tokens')
        .select('id')
        .where('created_at', '<', before)
        .limit(1)
        .execute(),
      db.selectFrom('people').select('id').where('created_at', '<', before).limit(1).execute(),
      db.selectFrom('runs').select('id').where('started_at', '<', before).limit(1).execute(),
    ]);
    return older.some((rows) => rows.length > 0);
  }

  /** True if the first entry says that a birth record was made with it. */
  async function wasBornOnRecord(): Promise<boolean> {
    const first = await db
      .selectFrom('audit_entries')
      .select(['seq', 'sealed'])
      .where('seq', '=', 1)
      .executeTakeFirst();
    return first !== undefined && openIfGenuine(first)?.born === true;
  }

  /** Whether who is blocked is what the last entry says that has sealed it; null if it is, or if no entry has. */
  async function findChangedBlocks(): Promise<string | null> {
    for (;;) {
      const sealed = await findSealedBlocks();
      if (sealed === null) return null;
      const now = await readBlocks(db, fingerprint);
      // An erasure meanwhile has sealed others.
      if ((await findSealedBlocks())?.hash !== sealed.hash) continue;
      return describeChangedBlocks(sealed, now);
    }
  }

  async function findSealedBlocks(): Promise<Blocks | null> {
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = await db
        .selectFrom('audit_entries')
        .select(['seq', 'sealed'])
        .where('seq', '<', before)
        .where((eb) => eb.or([eb('action', 'in', SEALING_BLOCKS), eb('seq', '=', 1)]))
        .orderBy('seq', 'desc')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const row of rows) {
        before = row.seq;
        const blocks = openIfGenuine(row)?.blocks ?? null;
        if (blocks !== null) return blocks;
      }
      if (rows.length === 0) return null;
    }
  }

  /** Null for an entry that was changed, which is a finding of its own. */
  function openIfGenuine({ seq, sealed }: { seq: number; sealed: string }) {
    try {
      return bodySchema.parse(JSON.parse(sealer().open(sealed, entrySealContext(seq))));
    } catch (error) {
      if (isDonorSyncError(error)) return null;
      throw error;
    }
  }

  /** Keys that do not open in their place: each is bound to its id, its client and its contact. */
  async function countChangedKeys(): Promise<number> {
    let changed = 0;
    let after: string | null = null;
    for (;;) {
      const rows: Tables['audit_keys'][] = await db
        .selectFrom('audit_keys')
        .selectAll()
        .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
        .orderBy('id')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const { id, integration_id: integrationId, crm_id: crmId, sealed } of rows) {
        after = id;
        if (!opens(sealed, { id, integrationId, crmId })) changed += 1;
      }
      if (rows.length === 0) return changed;
    }
  }

  function opens(sealed: string, place: Parameters<typeof keySealContext>[0]): boolean {
    try {
      sealer().open(sealed, keySealContext(place));
      return true;
    } catch (error) {
      if (isDonorSyncError(error)) return false;
      throw error;
    }
  }

  /** Keys that are gone although no erasure on record destroyed them, and keys that are there although none should be. */
  async function findMovedKeys(areEntriesGone: boolean): Promise<string[]> {
    // In this order: an erasure meanwhile is on record before its keys are looked for again.
    const lost = await listLostKeys();
    const destroyed = await findDestroyedKeys();
    const strange = await countStrangeKeys(destroyed);
    const taken = lost.filter((id) => !destroyed.has(id)).length;
    return [
      ...(taken === 0
        ? []
        : [
            areEntriesGone
              ? `Keys of ${taken} contacts are missing. They were taken away, or these contacts were erased and the entries about that are gone: then nothing may block them any more.`
              : `Keys of ${taken} contacts are missing although no erasure on record destroyed them: entries about them can't be read any more.`,
          ]),
      ...(strange === 0
        ? []
        : [
            `Keys of ${strange} contacts are there that were destroyed, or that no entry needs: another program put them there.`,
          ]),
    ];
  }

  /** Ids of keys that entries need and that are gone, but for those of clients whose erasure has begun since. */
  async function listLostKeys(): Promise<string[]> {
    const lost = await db
      .selectFrom('audit_entries as entry')
      .leftJoin('audit_keys as key', 'key.id', 'entry.key_id')
      .select(['entry.key_id as id', 'entry.integration_id as integration'])
      .select((eb) => eb.fn.max('entry.seq').as('last'))
      .where('entry.key_id', 'is not', null)
      .where('key.id', 'is', null)
      .groupBy(['entry.key_id', 'entry.integration_id'])
      .execute();
    if (lost.length === 0) return [];
    const leftAt = await listLastOf('integration.erasing');
    return lost.flatMap(({ id, integration, last }) =>
      id === null || (leftAt.get(integration) ?? 0) > Number(last) ? [] : [id],
    );
  }

  /** How many keys are there that were destroyed, or that no entry needs: a purge takes them with the last entry. */
  async function countStrangeKeys(destroyed: ReadonlySet<string>): Promise<number> {
    const there = await db
      .selectFrom('audit_keys as key')
      .leftJoin('audit_entries as entry', 'entry.key_id', 'key.id')
      .select(['key.id', 'key.integration_id as integration'])
      .select((eb) => eb.fn.max('entry.seq').as('last'))
      .groupBy(['key.id', 'key.integration_id'])
      .execute();
    const leftAt = await listLastOf('integration.erased');
    const strange = new Set(
      there.flatMap(({ id, integration, last }) =>
        last === null || Number(last) < (leftAt.get(integration) ?? 0) ? [id] : [],
      ),
    );
    const ids = [...destroyed];
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      const back = await db
        .selectFrom('audit_keys')
        .select('id')
        .where('id', 'in', ids.slice(from, from + ROWS_AT_ONCE))
        .execute();
      for (const { id } of back) strange.add(id);
    }
    return strange.size;
  }

  /** The last entry of an action about each client. */
  async function listLastOf(action: AuditAction): Promise<Map<string | null, number>> {
    const rows = await db
      .selectFrom('audit_entries')
      .select('integration_id as integration')
      .select((eb) => eb.fn.max('seq').as('seq'))
      .where('action', '=', action)
      .groupBy('integration_id')
      .execute();
    return new Map(rows.map(({ integration, seq }) => [integration, Number(seq)]));
  }

  async function findDestroyedKeys(): Promise<Set<string>> {
    const destroyed = new Set<string>();
    for (let after = 0; ; ) {
      const rows = await db
        .selectFrom('audit_entries')
        .select(['seq', 'sealed'])
        .where('action', 'in', DESTROYING)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const row of rows) {
        after = row.seq;
        for (const id of openIfGenuine(row)?.destroyed ?? []) destroyed.add(id);
      }
      if (rows.length === 0) return destroyed;
    }
  }

  async function readAfter(seq: number, through: number | null) {
    return await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('seq', '>', seq)
      .$if(through !== null, (query) => query.where('seq', '<=', through ?? 0))
      .orderBy('seq')
      .limit(ROWS_AT_ONCE)
      .execute();
  }

  async function purge(trx: Trx, before: number): Promise<number> {
    // Whichever purge comes second waits here.
    await trx.updateTable('audit_head').set({ id: 1 }).where('id', '=', 1).execute();
    const kept = await trx
      .selectFrom('audit_entries')
      .select((eb) => eb.fn.min('seq').as('seq'))
      .where('at', '>=', before)
      .executeTakeFirst();
    const last = await trx
      .selectFrom('audit_entries')
      .select(['seq', 'hash'])
      .$if(typeof kept?.seq === 'number', (query) => query.where('seq', '<', kept?.seq ?? 0))
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (last === undefined) return 0;
    const { numDeletedRows } = await trx
      .deleteFrom('audit_entries')
      .where('seq', '<=', last.seq)
      .executeTakeFirst();
    await trx
      .deleteFrom('audit_keys')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('audit_entries')
              .select('seq')
              .whereRef('audit_entries.key_id', '=', 'audit_keys.id'),
          ),
        ),
      )
      .execute();
    await trx
      .updateTable('audit_head')
      .set({
        purged_seq: last.seq,
        purged_hash: last.hash,
        purged_mark: placeMark(fingerprint, 'audit_purged', last),
      })
      .where('id', '=', 1)
      .execute();
    const entries = Number(numDeletedRows);
    await record(trx, {
      action: 'audit.purged',
      details: { entries, through: last.seq },
      changesBlocks: true,
    });
    return entries;
  }
}

/** What another program put into the database is not to begin a line, which could look like a finding of ours. */
function inOneLine(problem: string): string {
  return problem.replace(/\p{Cc}+/gu, ' ');
}

/** SQLite keeps what another program puts into a column: where that is no time, 0. */
function toTime(at: number): number {
  return Number.isFinite(new Date(at).getTime()) ? Number(at) : 0;
}

async function readBirth(db: Database) {
  const birth = await db
    .selectFrom('chain_births')
    .selectAll()
    .where('id', '=', 1)
    .executeTakeFirst();
  return birth ?? null;
}

async function readHead(db: Database) {
  const head = await db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirst();
  return head ?? null;
}

function chained(row: {
  seq: number;
  at: number;
  integration_id: string | null;
  action: string;
  key_id: string | null;
  sealed: string;
}) {
  const { seq, at, integration_id: integrationId, action, key_id: keyId, sealed } = row;
  return { seq, at, integrationId, action, keyId, sealed };
}
