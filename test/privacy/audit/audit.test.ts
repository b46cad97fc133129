import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { holdRestored } from '../../../src/backup/restores.ts';
import { connectorSecrets } from '../../../src/clients/connector-secrets.ts';
import { revokeHook, saveHook } from '../../../src/clients/statements/hooks.ts';
import { saveSealedSettings } from '../../../src/clients/statements/integrations.ts';
import { endPause, savePause } from '../../../src/clients/statements/schedules.ts';
import {
  confirmAskedMarks,
  recordAskedMarks,
} from '../../../src/contacts/many-at-once/mark-questions.ts';
import type { Actor } from '../../../src/core/actor.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { acceptMappingByPerson } from '../../../src/credits/statements/mappings.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { addAccessToken, revokeAccessToken } from '../../../src/people/statements/access.ts';
import { addSession } from '../../../src/people/statements/sessions.ts';
import { purgeAudit } from '../../../src/privacy/audit/purge-audit.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { noteEntries } from '../../../src/privacy/audit/record.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { dropBlocks } from '../../../src/privacy/statements/blocks.ts';
import { eraseLeavingIntegration } from '../../../src/privacy/statements/erase-integration.ts';
import { beginErasure, eraseFromStore } from '../../../src/privacy/statements/erasures.ts';
import { createStore, type Store } from '../../../src/store.ts';
import { requestRun } from '../../../src/sync/statements/run-requests.ts';
import { recordRunBegin } from '../../../src/sync/statements/runs.ts';
import { contactRow } from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  storeWorlds,
  testFingerprint,
} from '../../database/store-world.ts';
import { eraseContact, withLeaseOf } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const ANNA: Actor = { kind: 'token', name: 'Anna', from: '192.0.2.7' };
const CONTACT = '0035e00000marked';
const DAY_MS = 86_400_000;

function asked(contact: string | null = null) {
  return {
    integrationId: INTEGRATION,
    contact,
    trigger: 'manual',
    full: false,
    runId: crypto.randomUUID(),
  } as const;
}

async function actionsOf(store: Store) {
  return (await listAuditEntries(store, { limit: 100 })).map(({ action }) => action).reverse();
}

describeEachDatabase('the audit', (open, kind) => {
  const createWorld = storeWorlds(open);

  it('says who asked for a run, for which contact, when and from where', async () => {
    const { store, clock } = await createWorld();
    const request = asked(CONTACT);
    await store.actingAs(ANNA).act((trx) => requestRun(trx, request));
    const [entry] = await listAuditEntries(store, { limit: 1 });
    expect(entry).toMatchObject({
      at: clock.now(),
      action: 'run.asked',
      integrationId: INTEGRATION,
      actor: ANNA,
      crmId: CONTACT,
      details: { run: request.runId, trigger: 'manual', full: false, contacts: 1 },
    });
  });

  it('has a run that was asked for once, also when it begins', async () => {
    const { store, lease } = await createWorld();
    const runId = await store.act((trx) => requestRun(trx, asked()));
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, runId, 'manual', null));
    expect(await actionsOf(store)).toEqual(['run.asked', 'run.asked']);
  });

  it('records tokens, sign-ins, webhook addresses, settings, pauses and connections', async () => {
    const { store, lease } = await createWorld();
    await store.act((trx) =>
      addAccessToken(trx, { id: 'token-1', name: 'Anna', role: 'admin', hash: 'x' }),
    );
    await store.act((trx) =>
      addSession(trx, { hash: 'cookie', id: 'a', browser: null }, { tokenId: 'token-1' }),
    );
    await store.act((trx) => revokeAccessToken(trx, 'token-1'));
    expect(await store.act((trx) => revokeAccessToken(trx, 'token-1'))).toBe(false);
    await store.act((trx) =>
      saveHook(trx, {
        integrationId: INTEGRATION,
        tokenHash: 'x',
        signature: null,
        secret: null,
      }),
    );
    await store.act((trx) => revokeHook(trx, INTEGRATION));
    await store.act((trx) => saveSealedSettings(trx, INTEGRATION, 'sealed'));
    await store.act((trx) => savePause(trx, INTEGRATION));
    await store.act((trx) => endPause(trx, INTEGRATION, null));
    const secrets = connectorSecrets({ store, sealer: UNSEALED }, INTEGRATION);
    await secrets.write('x', 'y', { action: 'crm.connected', integrationId: INTEGRATION });
    await secrets.remove('x', { action: 'crm.disconnected', integrationId: INTEGRATION });
    await store.act((trx) => acceptMappingByPerson(trx, INTEGRATION, 'mapping'));
    await store.checkpoint(lease, (trx) => recordAskedMarks(trx, ['mark']));
    await store.act((trx) => confirmAskedMarks(trx, INTEGRATION));
    expect((await actionsOf(store)).slice(1)).toEqual([
      ...['token.made', 'session.begun', 'token.revoked', 'hook.made', 'hook.revoked'],
      ...['settings.applied', 'schedule.paused', 'schedule.resumed'],
      ...['crm.connected', 'crm.disconnected', 'match_rate.accepted', 'marks.confirmed'],
    ]);
    expect((await verifyAudit(store)).problems).toEqual([]);
  });

  it('has nothing of a change that was not kept', async () => {
    const { store } = await createWorld();
    const before = await actionsOf(store);
    await store.act((trx) =>
      addAccessToken(trx, { id: 'token-1', name: 'Anna', role: 'admin', hash: 'x' }),
    );
    const again = store.act((trx) =>
      addAccessToken(trx, { id: 'token-1', name: 'Anna', role: 'admin', hash: 'x' }),
    );
    await expect(again).rejects.toThrow();
    expect(await actionsOf(store)).toEqual([...before, 'token.made']);
    expect((await verifyAudit(store)).problems).toEqual([]);
  });

  it('stores users, contacts and details so that the database alone does not reveal them', async () => {
    const { store, db } = await createWorld();
    await noteEntries(store.actingAs(ANNA).act, [
      {
        action: 'names.shown',
        integrationId: INTEGRATION,
        crmId: CONTACT,
        details: { holds: 3 },
      },
    ]);
    const { audit_entries = [] } = await everything(db);
    expect(audit_entries.join('\n')).not.toMatch(/Anna|192\.0\.2\.7|marked|holds/);
  });

  it('lists by time, integration and action, the newest first, in pages', async () => {
    const { store, clock } = await createWorld();
    const since = clock.now() + DAY_MS;
    await clock.advance(DAY_MS);
    await store.act((trx) => savePause(trx, 'hillside'));
    await store.act((trx) => savePause(trx, INTEGRATION));
    await store.act((trx) => endPause(trx, INTEGRATION, null));
    const list = async (filter: Partial<Parameters<typeof listAuditEntries>[1]>) =>
      (await listAuditEntries(store, { limit: 100, ...filter })).map(({ seq }) => seq);
    expect(await list({})).toEqual([4, 3, 2, 1]);
    expect(await list({ since })).toEqual([4, 3, 2]);
    expect(await list({ integrationId: 'hillside' })).toEqual([2]);
    expect(await list({ action: 'schedule.resumed' })).toEqual([4]);
    expect(await list({ limit: 2, before: 4 })).toEqual([3, 2]);
  });

  it('cannot name a contact any more that was erased, and is still whole', async () => {
    const { store, db } = await createWorld();
    await store.actingAs(ANNA).act((trx) => requestRun(trx, asked(CONTACT)));
    const begun = {
      state: 'begun',
      person: null,
      everywhere: false,
      donors: [],
      receipt: null,
    } as const;
    await withLeaseOf(store, INTEGRATION, (lease) =>
      beginErasure(store, lease, { crmId: CONTACT, ...begun }),
    );
    await eraseContact(store, INTEGRATION, CONTACT);
    await store.actingAs(ANNA).act((trx) => requestRun(trx, asked(CONTACT)));
    const entries = await listAuditEntries(store, { limit: 4 });
    expect(entries.map(({ action, crmId }) => [action, crmId]).reverse()).toEqual([
      ['run.asked', null],
      ['forget.begun', null],
      ['forget.done', null],
      ['run.asked', null],
    ]);
    expect(entries.map(({ isContactErased }) => isContactErased)).toEqual([
      ...[false, false, false, true],
    ]);
    expect(entries.at(-1)).toMatchObject({ actor: ANNA, isReadable: true });
    const { audit_keys = [] } = await everything(db);
    expect(audit_keys).toEqual([]);
    expect((await verifyAudit(store)).problems).toEqual([]);
  });

  it('says who decided a hold, and does not name the contact that the decision erased', async () => {
    const { store, db, clock } = await createWorld();
    for (const [crm_id, kind] of [
      ['c-1', 'name_mismatch'],
      ['c-2', 'forgotten_person'],
    ] as const) {
      await db
        .insertInto('contacts')
        .values(contactRow({ crm_id, state: 'held' }))
        .execute();
      const hold = { id: `hold-${crm_id}`, integration_id: INTEGRATION, crm_id, kind, batch: null };
      const opened = { tracking_id: '', detail: null, opened_at: clock.now() };
      const open_ = { decision: null, decided_at: null };
      await db
        .insertInto('questions')
        .values({ ...hold, ...opened, ...open_ })
        .execute();
    }
    for (const hold of await listOpenQuestions(store.reader)) {
      expect(await recordDecision(store.actingAs(ANNA), hold, 'rejected')).toBe(true);
      expect(await recordDecision(store.actingAs(ANNA), hold, 'rejected')).toBe(false);
    }
    const entries = await listAuditEntries(store, { action: 'hold.decided', limit: 10 });
    expect(entries.map(({ actor, crmId, details }) => [actor, crmId, details]).reverse()).toEqual([
      [ANNA, 'c-1', { hold: 'hold-c-1', kind: 'name_mismatch', decision: 'rejected' }],
      [ANNA, null, { hold: 'hold-c-2', kind: 'forgotten_person', decision: 'rejected' }],
    ]);
    expect((await verifyAudit(store)).problems).toEqual([]);
    await dropBlocks(store, [INTEGRATION], ['c-2']);
    expect((await verifyAudit(store)).problems).toEqual([]);
  });

  it('reports entries that were changed, inserted or removed', async () => {
    const { store, db } = await createWorld();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.act((trx) => savePause(trx, id));
    const problems = async () => (await verifyAudit(store)).problems.join('\n');
    const whole = await db.selectFrom('audit_entries').selectAll().orderBy('seq').execute();
    const head = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
    async function restore(): Promise<void> {
      await db.deleteFrom('audit_entries').execute();
      await db.insertInto('audit_entries').values(whole).execute();
      await db.deleteFrom('audit_head').execute();
      await db.insertInto('audit_head').values(head).execute();
      expect(await problems()).toBe('');
    }

    await db.updateTable('audit_entries').set({ at: 1 }).where('seq', '=', 3).execute();
    expect(await problems()).toMatch(/^Entry 3 was changed/);
    await restore();
    await db.deleteFrom('audit_entries').where('seq', '=', 3).execute();
    expect(await problems()).toMatch(/^Entries are missing: 4 follows 2/);
    await restore();
    const last = { ...whole[5], seq: 7, at: 1, action: 'x', sealed: 'x', hash: 'x' };
    await db.insertInto('audit_entries').values(last).execute();
    await db.updateTable('audit_head').set({ seq: 7, hash: 'x' }).execute();
    expect(await problems()).toMatch(/Entry 7 was changed, or added by another program/);
    await restore();
    await db.deleteFrom('audit_entries').where('seq', '>', 4).execute();
    expect(await problems()).toMatch(/ends at entry 4, which is not the end/);
    const fourth = whole[3]?.hash ?? '';
    await db.updateTable('audit_head').set({ seq: 4, hash: fourth }).execute();
    expect(await problems()).toMatch(/ends at entry 4, which is not the end/);
    await restore();
    await db.deleteFrom('audit_head').execute();
    expect(await problems()).toMatch(/row with the end of the chain is missing/);
  });

  it('shows that it was emptied and begun again, that keys are gone, and an end that was set back', async () => {
    const { store, db, clock } = await createWorld();
    await store.act((trx) =>
      addAccessToken(trx, { id: 'old', name: 't', role: 'viewer', hash: 'old' }),
    );
    await store.actingAs(ANNA).act((trx) => requestRun(trx, asked(CONTACT)));
    const problems = async () => (await verifyAudit(store)).problems.join('\n');
    expect(await problems()).toBe('');
    await db.deleteFrom('audit_keys').execute();
    expect(await problems()).toMatch(
      /^Keys of 1 contact are missing although no recorded erasure destroyed them/,
    );
    await db
      .updateTable('audit_head')
      .set((eb) => ({ seq: eb('seq', '-', 1) }))
      .execute();
    await expect(store.act((trx) => savePause(trx, 'b'))).rejects.toMatchObject({
      code: 'audit_set_back',
    });
    await db.deleteFrom('audit_entries').execute();
    await db.deleteFrom('audit_head').execute();
    await clock.advance(DAY_MS);
    await store.act((trx) => savePause(trx, 'a'));
    expect(await problems()).toMatch(/The audit was emptied, and a new chain was started/);
  });

  it('reports that it was emptied, or that its first entry does not match its birth record', async () => {
    const { store, db } = await createWorld();
    const problems = async () => (await verifyAudit(store)).problems.join('\n');
    expect(await problems()).toBe('');
    await store.act((trx) => savePause(trx, 'a'));
    await db.deleteFrom('audit_entries').execute();
    await db.deleteFrom('audit_head').execute();
    expect(await problems()).toMatch(/although there were some before: the audit was emptied/);
    // The two entries are from one second, so their times reveal nothing.
    await store.act((trx) => savePause(trx, 'b'));
    expect(await problems()).toMatch(/first entry is not the one in the audit's birth record/);
    await db.updateTable('chain_births').set({ hash: 'forged' }).execute();
    expect(await problems()).toMatch(/birth record was not signed by donor-sync/);
  });

  it('reports a missing key unless an erasure destroyed it', async () => {
    const { store, db, lease } = await createWorld();
    const problems = async () => (await verifyAudit(store)).problems.join('\n');
    for (const contact of [CONTACT, '0035e00000other', '0035e00000third']) {
      await store.actingAs(ANNA).act((trx) => requestRun(trx, asked(contact)));
    }
    await eraseFromStore(store, lease, CONTACT);
    expect(await problems()).toBe('');
    await db.deleteFrom('audit_keys').where('crm_id', '=', '0035e00000other').execute();
    expect(await problems()).toMatch(
      /^Keys of 1 contact are missing although no recorded erasure destroyed them/,
    );
  });

  it('knows why keys are gone also while a client is being erased, and when that was cut off', async () => {
    const { store, db, lease } = await createWorld();
    const problems = async () => (await verifyAudit(store)).problems.join('\n');
    await store.actingAs(ANNA).act((trx) => requestRun(trx, asked(CONTACT)));
    const keys = () => db.selectFrom('audit_keys').selectAll().execute();
    const [key] = await keys();
    // Breaks the last step of the client's erasure, which counts the remaining data.
    await sql`alter table credit_spans rename to elsewhere`.execute(db);
    await expect(eraseLeavingIntegration(store, lease)).rejects.toThrow();
    await sql`alter table elsewhere rename to credit_spans`.execute(db);
    expect(await keys()).toEqual([]);
    expect(await problems()).toBe('');
    await eraseLeavingIntegration(store, lease);
    expect(await problems()).toBe('');
    await db
      .insertInto('audit_keys')
      .values(key as Tables['audit_keys'])
      .execute();
    expect(await problems()).toMatch(/^There are keys of 1 contact that were destroyed/);
  });

  it('shows entries behind an end that was put back, and that it was emptied', async () => {
    const { store, db } = await createWorld();
    await store.act((trx) => savePause(trx, 'a'));
    const early = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
    await store.act((trx) => savePause(trx, 'b'));
    await store.act((trx) =>
      addAccessToken(trx, { id: 't', name: 't', role: 'viewer', hash: 't' }),
    );
    const problems = async () => (await verifyAudit(store)).problems;
    expect(await problems()).toEqual([]);
    // The entry is signed, because it was once the last entry.
    await db.updateTable('audit_head').set(early).execute();
    expect(await problems()).toEqual([
      `Entry ${early.seq + 1} is after the end of the chain: it is forged, or the end was set back.`,
    ]);
    await db.deleteFrom('audit_head').execute();
    await db.deleteFrom('audit_entries').execute();
    expect(await problems()).toEqual([expect.stringContaining('the audit was emptied')]);
    await store.act((trx) => revokeAccessToken(trx, 't'));
    expect(await problems()).toEqual([expect.stringContaining('a new chain was started')]);
  });

  it('reports removed entries if you compare it with an end that you saved earlier', async () => {
    const { store, db } = await createWorld();
    await store.act((trx) => savePause(trx, 'a'));
    const early = await everything(db);
    await store.act((trx) => savePause(trx, 'b'));
    const { end } = await verifyAudit(store);
    expect(await verifyAudit(store, end)).toMatchObject({ problems: [], end });
    expect(early['audit_entries']).toHaveLength(2);
    // Deletes an entry, which leaves the state of an older copy of the database.
    await db.deleteFrom('audit_entries').where('seq', '=', 3).execute();
    const older: Tables['audit_head'] = JSON.parse(early['audit_head']?.[0] ?? '');
    await db.updateTable('audit_head').set(older).execute();
    expect((await verifyAudit(store)).problems).toEqual([]);
    expect((await verifyAudit(store, end)).problems).toEqual([
      'Entry 3, the end that you saved earlier, is missing. The audit has no record of a restore that would explain it.',
    ]);
    await store.act((trx) => savePause(trx, 'c'));
    expect((await verifyAudit(store, end)).problems).toEqual([
      'Entry 3 differs from the end that you saved earlier. The audit has no record of a restore that would explain it.',
    ]);
    // A backup that donor-sync restored leaves a state like a copied database. The audit entry about the restore shows
    // its time and the gaps that the restore can explain.
    await store.act((trx) =>
      holdRestored(trx, [], { madeAt: null, unknownAfter: null, isJournaled: false }),
    );
    expect((await verifyAudit(store, end)).problems).toEqual([
      expect.stringMatching(
        /A backup was restored on [\d-]{10} \(entry 4\)\. That explains it only if/,
      ),
    ]);
  });

  it('shows an entry that was changed for what it is, and the others all the same', async () => {
    const { store, db } = await createWorld();
    await store.act((trx) => savePause(trx, 'a'));
    await db.updateTable('audit_entries').set({ sealed: 'x' }).where('seq', '=', 1).execute();
    const entries = await listAuditEntries(store, { limit: 10 });
    expect(entries.map(({ isReadable }) => isReadable)).toEqual([true, false]);
  });

  it('begins at a signed place once its old entries are purged', async () => {
    const { store, db, clock } = await createWorld();
    await store.act((trx) => requestRun(trx, asked(CONTACT)));
    await clock.advance(10 * DAY_MS);
    await store.act((trx) => requestRun(trx, asked('another')));
    expect(await store.act((trx) => purgeAudit(trx, clock.now() - DAY_MS))).toBe(2);
    expect(await store.act((trx) => purgeAudit(trx, clock.now() - DAY_MS))).toBe(0);
    const entries = await listAuditEntries(store, { limit: 10 });
    expect(entries.map(({ seq, action }) => [seq, action])).toEqual([
      [4, 'audit.purged'],
      [3, 'run.asked'],
    ]);
    expect(entries[0]?.details).toEqual({ entries: 2, through: 2 });
    const keys = await db.selectFrom('audit_keys').select('crm_id').execute();
    expect(keys).toEqual([{ crm_id: 'another' }]);
    expect(await verifyAudit(store)).toMatchObject({
      entries: 2,
      purgedThrough: 2,
      problems: [],
    });
    await db.deleteFrom('audit_entries').where('seq', '=', 3).execute();
    await db.updateTable('audit_head').set({ purged_seq: 3 }).execute();
    expect((await verifyAudit(store)).problems.join('\n')).toMatch(/was not signed/);
  });

  it('is one chain, however many processes write at the same time', async () => {
    const { store, db, url } = await createWorld();
    const before = (await verifyAudit(store)).entries;
    const opened = await Promise.all(
      // With SQLite, several connections in one process would only wait for each other.
      kind === 'sqlite' ? [] : [1, 2, 3, 4].map(() => openDatabase<Tables>(url)),
    );
    const others = [0, 1, 2, 3].map((at) =>
      createStore({
        db: opened[at]?.db ?? db,
        clock: systemClock,
        fingerprint: testFingerprint,
      }),
    );
    await Promise.all(
      others.map(async (other, writer) => {
        for (let at = 0; at < 20; at += 1) {
          const id = `${writer}-${at}`;
          await other.act((trx) => addAccessToken(trx, { id, name: id, role: 'viewer', hash: id }));
          if (at % 5 === 0) await other.act((trx) => requestRun(trx, asked('shared')));
        }
      }),
    );
    for (const { close } of opened) await close();
    const made = await listAuditEntries(store, { limit: 1_000, action: 'token.made' });
    expect(new Set(made.map(({ details }) => details['token'])).size).toBe(80);
    expect(await verifyAudit(store)).toMatchObject({ entries: before + 96, problems: [] });
    const keys = await db.selectFrom('audit_keys').select('id').execute();
    expect(keys).toHaveLength(1);
  });
});

/** Stores a connector's secrets in clear text, because encryption has its own tests. */
const UNSEALED = { seal: (text: string) => text, open: (text: string) => text };
