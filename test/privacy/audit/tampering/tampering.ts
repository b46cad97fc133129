/**
 * Changes to the audit. Someone with access to the whole database, but not to its key, can make them. `verify` must
 * report each change.
 */
import { expect } from 'vitest';
import { savePause } from '../../../../src/clients/statements/schedules.ts';
import { isDonorSyncError } from '../../../../src/core/errors.ts';
import type { Database, Tables } from '../../../../src/database/tables/tables.ts';
import { addAccessToken } from '../../../../src/people/statements/access.ts';
import { purgeAudit } from '../../../../src/privacy/audit/purge-audit.ts';
import { type AuditPlace, listAuditEntries } from '../../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../../src/privacy/audit/verify-audit.ts';
import { beginErasure, eraseFromStore } from '../../../../src/privacy/statements/erasures.ts';
import { requestRun } from '../../../../src/sync/statements/run-requests.ts';
import { INTEGRATION, type StoreWorld } from '../../../database/store-world.ts';
import { withLeaseOf } from '../../../helpers/erasing.ts';

export const ADA = '0035e00000000ada';
export const BEN = '0035e00000000ben';
export const DAY_MS = 86_400_000;

export interface Tampering {
  does: (db: Database, world: StoreWorld) => Promise<unknown>;
  says: RegExp;
  /** True if only an end of the audit that was recorded outside of the database reveals the change. */
  needsKnown?: true;
  /** True if the older entries of the chain were purged before the change. */
  isPurged?: true;
  /** True if two people were erased before someone changed the audit. */
  isErased?: true;
  /**
   * True if the only entries that named an erased person have since been purged, while the erasure is still recorded.
   */
  isErasedAndPurged?: true;
}

export const head = (db: Database) => db.updateTable('audit_head');
export const entry = (db: Database, seq: number) =>
  db.updateTable('audit_entries').where('seq', '=', seq);
export const readEntry = (db: Database, seq: number) =>
  db.selectFrom('audit_entries').selectAll().where('seq', '=', seq).executeTakeFirstOrThrow();

let known: AuditPlace | null = null;

let lastKey: Tables['audit_keys'] | null = null;

/** Returns the key of the last erased person, from an earlier copy of the database. */
export function keyBefore(): Tables['audit_keys'] {
  if (lastKey === null) throw new Error('Nobody was erased.');
  return lastKey;
}

export async function noteKnown(store: StoreWorld['store']): Promise<void> {
  known = (await verifyAudit(store)).end;
}

export function endOf(db: Database) {
  return db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
}

/** Expects that `verify` reports the change and that the product continues to work. */
export async function expectNamed(world: StoreWorld, tampering: Tampering): Promise<void> {
  await fill(world);
  if (tampering.isErased)
    for (const contact of ['erased-1', 'erased-2']) await erase(world, contact);
  if (tampering.isPurged) {
    await world.clock.advance(10 * DAY_MS);
    await fill(world, 'later');
    await world.store.act((trx) => purgeAudit(trx, world.clock.now() - DAY_MS));
  }
  if (tampering.isErasedAndPurged) {
    await ask(world.store, 'erased-3');
    lastKey = await world.db
      .selectFrom('audit_keys')
      .selectAll()
      .where('crm_id', '=', 'erased-3')
      .executeTakeFirstOrThrow();
    await world.clock.advance(10 * DAY_MS);
    await erase(world, 'erased-3');
    await fill(world, 'later');
    await world.store.act((trx) => purgeAudit(trx, world.clock.now() - DAY_MS));
  }
  known = null;
  expect((await verifyAudit(world.store)).problems).toEqual([]);
  await tampering.does(world.db, world);
  const { problems } = await verifyAudit(world.store, tampering.needsKnown ? known : null);
  expect(problems.join('\n')).toMatch(tampering.says);
  expect(await unexpectedOf(world)).toEqual([]);
}

/** Adds entries with and without contacts, and data that is created together with its entry. */
export async function fill({ store }: StoreWorld, id = 'first'): Promise<void> {
  await store.act((trx) => addAccessToken(trx, { id, name: 't', role: 'viewer', hash: id }));
  for (const contact of [ADA, BEN]) await ask(store, contact);
  await store.act((trx) => savePause(trx, 'a'));
  await store.act((trx) => savePause(trx, 'b'));
  await store.act((trx) => savePause(trx, 'c'));
}

export async function erase({ store }: StoreWorld, crmId: string): Promise<void> {
  const person = { name: 'n', addresses: ['a'], employers: [], names: [] };
  await withLeaseOf(store, INTEGRATION, async (lease) => {
    await beginErasure(store, lease, {
      ...{ crmId, state: 'begun' as const, person, everywhere: false, donors: [], receipt: null },
    });
    await eraseFromStore(store, lease, crmId);
  });
}

export function ask(store: StoreWorld['store'], contact: string) {
  const runId = crypto.randomUUID();
  return store.act((trx) =>
    requestRun(trx, {
      ...{ integrationId: INTEGRATION, contact, trigger: 'manual', full: false, runId },
    }),
  );
}

/** Makes further changes to the database. Returns their errors, except errors that a user can resolve. */
export async function unexpectedOf({ store }: StoreWorld): Promise<unknown[]> {
  const tried = await Promise.allSettled([
    store.act((trx) => savePause(trx, 'next')),
    ask(store, ADA),
    listAuditEntries(store, { limit: 100 }),
  ]);
  return tried.flatMap((one) =>
    one.status === 'rejected' && !isDonorSyncError(one.reason) ? [one.reason] : [],
  );
}
