/** Adds entries to the audit. The same transaction makes the change and adds its entry. */
import { randomUUID } from 'node:crypto';
import type { Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/errors.ts';
import type { Act } from '../../database/actor-transaction.ts';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { prepared, type Slots } from '../../database/prepared.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { readBlocks } from './blocks.ts';
import {
  auditSealer,
  birthMark,
  CHAIN_START,
  chainHash,
  contactSealContext,
  contactSealer,
  entrySealContext,
  keySealContext,
  newContactKey,
  placeMark,
} from './chain.ts';

export const AUDIT_ACTIONS = [
  'run.asked',
  'run.stopped',
  'hold.decided',
  'batch.decided',
  'network.decided',
  'answer.withdrawn',
  'match_rate.accepted',
  'marks.confirmed',
  'approval.asked',
  'approval.confirmed',
  'approval.refused',
  'approval.ran_out',
  'undo.asked',
  'undo.done',
  'work.asked',
  'erasure.requested',
  'forget.begun',
  'forget.done',
  'forget.lifted',
  'integration.erasing',
  'integration.erased',
  'database.restored',
  'database.moved',
  'restore.agreed',
  'settings.applied',
  'settings.removed',
  'settings.changed',
  'setup.begun',
  'setup.dropped',
  'schedule.paused',
  'schedule.resumed',
  'token.made',
  'token.revoked',
  'session.begun',
  'session.ended',
  'session.refused',
  'person.invited',
  'person.joined',
  'person.changed',
  'person.removed',
  'person.password',
  'recovery.asked',
  'email.verified',
  'mail.chosen',
  'mail.stopped',
  'address.proposed',
  'address.confirmed',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'crm_user.linked',
  'crm_user.unlinked',
  'hook.made',
  'hook.revoked',
  'door.made',
  'door.revoked',
  'crm.connected',
  'crm.disconnected',
  'names.shown',
  'contact.shown',
  'contact.listed',
  'contact.unlisted',
  'audit.exported',
  'everything.exported',
  'everything.ended',
  'audit.purged',
  'data.purged',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * An action and the subject of the action. The details of the entry never identify a contact. Only the `crmId` of an
 * entry identifies a contact, and an erasure can remove this ID.
 */
export interface NewAuditEntry {
  action: AuditAction;
  integrationId?: string | null;
  crmId?: string | null;
  details?: AuditDetails;
  /** True if the change affects the blocks of erased people. The entry then contains the new state of the blocks. */
  changesBlocks?: boolean;
  /**
   * The IDs of the contacts' keys that this change has destroyed. If any other key is missing, a different program has
   * removed it.
   */
  destroyedKeys?: readonly string[];
}

/** A transaction by an actor or a run. The transaction object contains the actor and the time of the change. */
export type AuditedTransaction = Trx & RecordDeps;

export interface RecordDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly fingerprint: Fingerprint;
  readonly actor: Actor;
}

/**
 * Adds an entry on behalf of the transaction's actor. Call this function last in a transaction, because all other
 * transactions must wait to add entries until this transaction ends. This order prevents deadlocks.
 */
export function recordEntry(trx: AuditedTransaction, entry: NewAuditEntry): Promise<void> {
  return addEntry(trx, trx, entry);
}

/** The number of entries that are added in one transaction. */
const PAGE = 500;

/** Adds entries about an action that does not change the database. The entries are added before the action. */
export async function noteEntries(act: Act, entries: readonly NewAuditEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += PAGE) {
    await act(async (trx) => {
      for (const entry of entries.slice(from, from + PAGE)) await recordEntry(trx, entry);
    });
  }
}

/** Adds an entry like `recordEntry`, for transactions without an actor. */
export type RecordEntry = (trx: Trx, entry: NewAuditEntry) => Promise<void>;

export function auditRecorder(deps: RecordDeps): RecordEntry {
  return (trx, entry) => addEntry(trx, deps, entry);
}

async function addEntry(
  trx: Trx,
  { clock, fingerprint, actor }: RecordDeps,
  {
    action,
    integrationId = null,
    crmId = null,
    details = {},
    changesBlocks = false,
    destroyedKeys = [],
  }: NewAuditEntry,
): Promise<void> {
  const sealer = getSealer(fingerprint);
  const { seq, hash: before, mark: markBefore } = await takePlace(trx);
  const contact =
    crmId === null || integrationId === null
      ? null
      : await sealContact(trx, { sealer, fingerprint }, { seq, integrationId, crmId });
  // The first entry states that a birth record exists, so nobody can remove the birth record unnoticed.
  const born = seq === 1 ? { born: true } : {};
  // This transaction has locked the end of the chain, so no other transaction can change the blocks.
  const blocks = changesBlocks || seq === 1 ? { blocks: await readBlocks(trx, fingerprint) } : {};
  const destroyed = destroyedKeys.length > 0 ? { destroyed: destroyedKeys } : {};
  const body = {
    actor,
    details,
    contact: contact?.sealed ?? null,
    ...born,
    ...blocks,
    ...destroyed,
  };
  const sealed = sealer.seal(JSON.stringify(body), entrySealContext(seq));
  const entry = { seq, at: clock.now(), integrationId, action, keyId: contact?.keyId ?? null };
  const hash = chainHash(fingerprint, before, { ...entry, sealed });
  await requireFree(trx, seq);
  await insertEntry(trx, { ...entry, sealed, hash });
  if (seq === 1) await recordBirth(trx, fingerprint, { at: entry.at, hash });
  // If donor-sync has not signed the current end, it does not sign the new end. A signature would hide that entries
  // were removed.
  const isGenuine =
    seq === 1 || markBefore === placeMark(fingerprint, 'audit_end', { seq: seq - 1, hash: before });
  const mark = isGenuine ? placeMark(fingerprint, 'audit_end', { seq, hash }) : markBefore;
  await moveHead(trx, { hash, mark });
}

/** Each sealer, by the fingerprint function from which it is derived. A sealer is derived only once. */
const sealers = new WeakMap<Fingerprint, Sealer>();

function getSealer(fingerprint: Fingerprint): Sealer {
  const known = sealers.get(fingerprint);
  if (known !== undefined) return known;
  const sealer = auditSealer(fingerprint);
  sealers.set(fingerprint, sealer);
  return sealer;
}

/**
 * Records the birth of the chain, unless a birth record exists. If someone starts a second chain in the same database,
 * the check notices that its first entry is different.
 */
async function recordBirth(
  trx: Trx,
  fingerprint: Fingerprint,
  birth: { at: number; hash: string },
): Promise<void> {
  await trx
    .insertInto('chain_births')
    .values({ id: 1, ...birth, mark: birthMark(fingerprint, birth) })
    .onConflict((c) => c.column('id').doNothing())
    .execute();
}

/**
 * Throws a FatalError if someone set the end of the chain back. The next entry would then overwrite an existing entry.
 */
async function requireFree(trx: Trx, seq: number): Promise<void> {
  const [taken] = (await entryAt(trx, { seq })).rows;
  if (taken === undefined) return;
  throw new FatalError(
    `The end of the audit was set back in the database: entry ${seq} already exists. Nothing was changed. Run \`donor-sync audit verify\`, and restore the row audit_head, or the database, from a backup.`,
    { code: 'audit_set_back', details: { seq } },
  );
}

const entryAt = prepared((db, { seq }: Slots<{ seq: number }>) =>
  db.selectFrom('audit_entries').select('seq').where('seq', '=', seq).compile(),
);

/**
 * Returns the next entry's number, and the previous hash and signature. Other transactions wait here until this
 * transaction ends.
 */
async function takePlace(trx: Trx): Promise<{ seq: number; hash: string; mark: string }> {
  const [place] = (await nextPlace(trx, {})).rows;
  if (place === undefined) throw new Error('The audit has no next position.');
  return place;
}

const nextPlace = prepared((db) =>
  db
    .insertInto('audit_head')
    .values((eb) => ({
      id: 1,
      // If the row with the end is missing, the chain cannot continue. The audit check reports the missing row.
      seq: eb
        .selectFrom('audit_entries')
        .select((inner) =>
          inner(inner.fn.coalesce(inner.fn.max('seq'), inner.lit(0)), '+', 1).as('seq'),
        ),
      hash: CHAIN_START,
      mark: '',
      purged_seq: 0,
    }))
    .onConflict((c) => c.column('id').doUpdateSet((eb) => ({ seq: eb('audit_head.seq', '+', 1) })))
    .returning(['seq', 'hash', 'mark'])
    .compile(),
);

type Entry = {
  seq: number;
  at: number;
  integrationId: string | null;
  action: AuditAction;
  keyId: string | null;
  sealed: string;
  hash: string;
};

const insertEntry = prepared((db, { integrationId, keyId, ...entry }: Slots<Entry>) =>
  db
    .insertInto('audit_entries')
    .values({ ...entry, integration_id: integrationId, key_id: keyId })
    .compile(),
);

const moveHead = prepared((db, { hash, mark }: Slots<{ hash: string; mark: string }>) =>
  db.updateTable('audit_head').set({ hash, mark }).where('id', '=', 1).compile(),
);

/** Returns a contact's ID, encrypted with the contact's own key. Returns null if the contact has been erased. */
async function sealContact(
  trx: Trx,
  { sealer, fingerprint }: { sealer: Sealer; fingerprint: Fingerprint },
  { seq, integrationId, crmId }: { seq: number; integrationId: string; crmId: string },
): Promise<{ keyId: string; sealed: string } | null> {
  const erased = await trx
    .selectFrom('forgotten')
    .select('forgotten_at')
    .where('crm_id_fingerprint', '=', fingerprint('forgotten', crmId))
    .limit(1)
    .executeTakeFirst();
  if (erased !== undefined) return null;
  const known = await trx
    .selectFrom('audit_keys')
    .select(['id', 'sealed'])
    .where('integration_id', '=', integrationId)
    .where('crm_id', '=', crmId)
    .executeTakeFirst();
  if (known !== undefined) {
    const key = sealer.open(known.sealed, keySealContext({ id: known.id, integrationId, crmId }));
    return { keyId: known.id, sealed: contactSealer(key).seal(crmId, contactSealContext(seq)) };
  }
  const id = randomUUID();
  const key = newContactKey();
  await trx
    .insertInto('audit_keys')
    .values({
      id,
      integration_id: integrationId,
      crm_id: crmId,
      sealed: sealer.seal(key, keySealContext({ id, integrationId, crmId })),
    })
    .execute();
  return { keyId: id, sealed: contactSealer(key).seal(crmId, contactSealContext(seq)) };
}
