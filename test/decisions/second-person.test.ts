import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { holdRestored } from '../../src/backup/restores.ts';
import { RetriableError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Account, SecondPersonRules } from '../../src/core/second-person.ts';
import type { ActorTransaction } from '../../src/database/actor-transaction.ts';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../src/database/encryption/sealed.ts';
import {
  type Asked,
  approvalOfBatch,
  approvalOfReason,
  askSecondPerson,
} from '../../src/decisions/second-person/ask.ts';
import { createApprovalWatch } from '../../src/decisions/second-person/carry-on.ts';
import { confirmApproval, refuseApproval } from '../../src/decisions/second-person/confirm.ts';
import type { Requester } from '../../src/decisions/second-person/second-user.ts';
import {
  APPROVAL_MS,
  type ApprovalRecord,
  findStoredApproval,
  listStoredApprovals,
  recordConfirmation,
} from '../../src/decisions/statements/approvals.ts';
import { listBatches, listQuestionsOfBatch } from '../../src/decisions/statements/batches.ts';
import { recordDecision } from '../../src/decisions/statements/questions.ts';
import {
  applyAllAnswers,
  applyDueAnswers,
  findWithdrawableAnswer,
  withdrawAnswer,
} from '../../src/decisions/statements/withdrawable-answers.ts';
import { listApprovals } from '../../src/decisions/views/approval.ts';
import { addAccessToken } from '../../src/people/statements/access.ts';
import {
  acceptInvitation,
  addInvitedPerson,
  renewInvitation,
  savePassword,
} from '../../src/people/statements/people.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../src/privacy/audit/verify-audit.ts';
import { readAboutContact } from '../../src/privacy/statements/about.ts';
import { eraseLeavingIntegration } from '../../src/privacy/statements/erase-integration.ts';
import { eraseFromStore } from '../../src/privacy/statements/erasures.ts';
import { contactOf, holdChanged, holdForName } from '../contacts/contact-stages.ts';
import { INTEGRATION, type StoreWorld, storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

function user(name: string, kind: Account['kind'] = 'command'): Requester {
  const account = { kind, id: name, name };
  return { account, actor: { kind: kind === 'command' ? kind : 'session', name, from: 'office' } };
}

const ADA = user('ada');
const BEN = user('ben');
const CAL = user('cal');

const TWO: SecondPersonRules = {
  ...{ approvals: 2, undo: 0, forgetEverywhere: true },
  ...{ forget: false, forgetByCrm: false },
};

/** This test does not read the identity of any user. */
const sealer = createSealer(parseKeyRing(generateKey('test')));

function applicationOf({ store }: Pick<StoreWorld, 'store'>, twoPeople = TWO) {
  return { store, sealer, integrations: new Map(), settings: { twoPeople } };
}

async function heldBatch(world: StoreWorld, ids: readonly string[]): Promise<Asked> {
  await holdChanged(world, ids);
  const [batch] = await listBatches(world.store.reader);
  const request = batch && approvalOfBatch('approve', batch);
  if (!request) throw new Error('there is no batch');
  return { request, integrationId: INTEGRATION };
}

/** Records Ada's request. Fails if the request does not have to wait. */
async function asked(world: StoreWorld, what: Asked, by = ADA): Promise<ApprovalRecord> {
  const approval = await askSecondPerson({ application: applicationOf(world) }, by, what);
  if (approval === null) throw new Error('it does not wait');
  return approval;
}

function confirm(world: StoreWorld, approval: ApprovalRecord, by: Requester): Promise<void> {
  return confirmApproval({ application: applicationOf(world) }, approval, by);
}

function refuse(world: StoreWorld, approval: ApprovalRecord, by: Requester): Promise<void> {
  return refuseApproval({ application: applicationOf(world) }, approval, by);
}

async function states(world: StoreWorld, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await contactOf(world, id)).state));
}

/** Returns the audit entries about approvals and decisions, oldest first. */
async function audited({ store }: StoreWorld): Promise<string[]> {
  const entries = await listAuditEntries(store, { limit: 20 });
  return entries
    .filter(({ action }) => /^(approval|batch|hold)\./.test(action))
    .map(({ action, actor }) => `${actor.name} ${action}`)
    .reverse();
}

const codeSchema = z.object({ code: z.string() });

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => codeSchema.parse(error).code,
  );
}

/** Returns a link that never expires. */
function openLink(hash: string) {
  return { hash, until: Number.MAX_SAFE_INTEGER };
}

const IDS = ['c-1', 'c-2', 'c-3'];

describeEachDatabase('what waits for a second person', (open) => {
  const createWorld = storeWorlds(open);

  it('changes nothing before another person confirms it, and is done exactly once then', async () => {
    const world = await createWorld();
    const what = await heldBatch(world, IDS);
    const approval = await asked(world, what);
    expect(approval).toMatchObject({ contacts: 3, credits: 3, integrations: [INTEGRATION] });
    expect((await asked(world, what, CAL)).id).toBe(approval.id);
    expect(await codeOf(confirm(world, approval, ADA))).toBe('approval_same_person');
    expect(await states(world, IDS)).toEqual(['held', 'held', 'held']);
    const answers = [confirm(world, approval, BEN), confirm(world, approval, CAL)];
    expect((await Promise.all(answers.map(codeOf))).sort()).toEqual(['approval_gone', 'done']);
    expect(await states(world, IDS)).toEqual(['due', 'due', 'due']);
    expect(await listApprovals(world.store)).toEqual([]);
    const entries = await audited(world);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toBe('ada approval.asked');
    expect(entries[1]).toMatch(/^(ben|cal) approval\.confirmed$/);
    expect(entries[2]).toBe(entries[1]?.replace('approval.confirmed', 'batch.decided'));
    expect((await verifyAudit(world.store)).problems).toEqual([]);
  });

  it('is not put in force by a clock, a run, another try or a statement of another program', async () => {
    const world = await createWorld();
    const { db, store, clock } = world;
    const { id } = await asked(world, await heldBatch(world, IDS));
    const request = {
      what: 'forget',
      alsoInCrm: false,
      blockUnknown: false,
      everywhere: true,
    } as const;
    const forget = await asked(world, { request, integrationId: INTEGRATION, crmId: 'c-9' });
    for (const hours of [0, 1, 24, 100]) {
      await clock.advance(hours * 3_600_000);
      expect(await applyDueAnswers(store)).toBeNull();
      await applyAllAnswers(store, INTEGRATION);
      expect(await findWithdrawableAnswer(store.reader, id)).toBeUndefined();
      expect(await withdrawAnswer(store.connection, id)).toBe(false);
    }
    expect(await states(world, IDS)).toEqual(['held', 'held', 'held']);
    const inForce = { in_force_from: clock.now() };
    await expect(db.updateTable('answers').set(inForce).execute()).rejects.toThrow();
    const waiting = await listApprovals(store);
    expect(waiting.map((one) => [one.id, one.confirmedBy])).toEqual([
      [id, null],
      [forget.id, null],
    ]);
  });

  it('is not needed for few contacts, for a rejection, or without the setting', async () => {
    const world = await createWorld();
    const what = await heldBatch(world, IDS.slice(0, 2));
    const ask = (asking: Asked, twoPeople = TWO) =>
      askSecondPerson({ application: applicationOf(world, twoPeople) }, ADA, asking);
    expect(await ask(what)).toBeNull();
    const many = await heldBatch(world, ['c-3', 'c-4', 'c-5']);
    expect(await ask(many, { ...TWO, approvals: null })).toBeNull();
    expect(approvalOfBatch('reject', { id: 'b', integrationId: INTEGRATION })).toBeNull();
    expect(await codeOf(asked(world, many, { ...ADA, account: null }))).toBe(
      'approval_needs_account',
    );
  });

  it('is refused where some of it was decided or added meanwhile, and spends nothing', async () => {
    const world = await createWorld();
    const approval = await asked(world, await heldBatch(world, IDS));
    const [one] = await listQuestionsOfBatch(world.store.reader, {
      id: approval.request.what === 'decide' ? (approval.request.decisions[0]?.subject ?? '') : '',
      integrationId: INTEGRATION,
    });
    if (!one) throw new Error('nothing is held');
    await recordDecision(world.store, one, 'rejected');
    expect(await codeOf(confirm(world, approval, BEN))).toBe('approval_changed');
    expect(await states(world, IDS)).toEqual(['settled', 'held', 'held']);

    const grown = await asked(world, await heldBatch(world, ['c-4', 'c-5']));
    await world.clock.advance(1);
    await holdChanged(world, ['c-6']);
    expect(await codeOf(confirm(world, grown, BEN))).toBe('approval_changed');
    await refuse(world, grown, ADA);
    expect(await codeOf(refuse(world, grown, BEN))).toBe('approval_gone');
    expect(await states(world, ['c-4', 'c-5', 'c-6'])).toEqual(['held', 'held', 'held']);
  });

  it('counts after a kill between the confirmation and the decision, for no more than was seen', async () => {
    const world = await createWorld();
    const { db, store, clock } = world;
    await holdForName(world, [...IDS, 'c-4']);
    const until = clock.now();
    const later = { opened_at: until + 1 };
    await db.updateTable('questions').set(later).where('crm_id', '=', 'c-4').execute();
    const reason = { subject: 'name_mismatch', integrationId: INTEGRATION, openedUntil: until };
    const request = approvalOfReason('resubmit', reason);
    if (request === null) throw new Error('it needs no second person');
    const approval = await asked(world, { request, integrationId: INTEGRATION });
    expect(approval).toMatchObject({ contacts: 3, credits: 3 });
    const decisions = approval.request.what === 'decide' ? approval.request.decisions : [];
    expect(await recordConfirmation(store.actingAs(BEN.actor).act, approval, decisions)).toBe(
      'confirmed',
    );
    // The process ends here. The next run starts in a different process.
    await clock.advance(1);
    await applyAllAnswers(store, INTEGRATION);
    await applyAllAnswers(store, INTEGRATION);
    expect(await states(world, IDS)).toEqual(['due', 'due', 'due']);
    expect(await contactOf(world, 'c-4')).toMatchObject({ state: 'held' });
    expect(await audited(world)).toEqual([
      'ada approval.asked',
      'ben approval.confirmed',
      ...IDS.map(() => 'ben hold.decided'),
    ]);
  });

  it('runs out after seven days, and the audit says so', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    const approval = await asked(world, await heldBatch(world, IDS));
    await clock.advance(APPROVAL_MS - 1);
    expect(await listApprovals(store)).toHaveLength(1);
    await clock.advance(1);
    expect(await listApprovals(store)).toEqual([]);
    expect(await codeOf(confirm(world, approval, BEN))).toBe('approval_gone');
    expect(await states(world, IDS)).toEqual(['held', 'held', 'held']);
    expect(await audited(world)).toEqual(['ada approval.asked', 'null approval.ran_out']);
  });

  it('does not wait for longer where the clock was ahead when it was asked for', async () => {
    const world = await createWorld();
    const { db, store, clock } = world;
    await asked(world, await heldBatch(world, IDS));
    const ahead = { void_from: clock.now() + APPROVAL_MS + 1 };
    await db.updateTable('answers').set(ahead).execute();
    expect(await listApprovals(store)).toEqual([]);
    expect(await states(world, IDS)).toEqual(['held', 'held', 'held']);
  });

  it.each([
    ['link', (trx: ActorTransaction) => renewInvitation(trx, 'olga', openLink('again'))],
    ['password', (trx: ActorTransaction) => savePassword(trx, 'olga', 'hash', null)],
  ])(
    'counts no user who got a new %s since, with which the requester could sign in',
    async (_, change) => {
      const world = await createWorld();
      const { store, clock } = world;
      const { act } = store;
      for (const id of ['olga', 'paul']) {
        const person = { id, email: id, sealed: '', role: 'owner' as const, integrations: null };
        await act((trx) => addInvitedPerson(trx, person, openLink(id)));
        await act((trx) => acceptInvitation(trx, id, 'hash'));
      }
      await clock.advance(1);
      const approval = await asked(world, await heldBatch(world, IDS));
      await clock.advance(1);
      await act(change);
      const code = 'approval_account_too_new';
      expect(await codeOf(confirm(world, approval, user('olga', 'person')))).toBe(code);
      expect(await codeOf(confirm(world, approval, user('paul', 'person')))).toBe('done');
    },
  );

  it('counts no account that is newer than the question, or has the name of who asked', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    const token = (id: string) =>
      store.act((trx) =>
        addAccessToken(trx, { id, name: id, role: 'decider', hash: `hash of ${id}` }),
      );
    await token('older');
    await clock.advance(1);
    const approval = await asked(world, await heldBatch(world, IDS));
    await clock.advance(1);
    await token('newer');
    expect(await codeOf(confirm(world, approval, user('newer', 'token')))).toBe(
      'approval_account_too_new',
    );
    expect(await codeOf(confirm(world, approval, user(' Ada', 'token')))).toBe(
      'approval_same_person',
    );
    expect(await codeOf(confirm(world, approval, user('older', 'token')))).toBe('done');
  });

  it('is nothing any more once its row was changed by another program', async () => {
    const world = await createWorld();
    const { db, store } = world;
    const request = {
      what: 'forget',
      alsoInCrm: false,
      blockUnknown: false,
      everywhere: true,
    } as const;
    const about = { request, integrationId: INTEGRATION, crmId: 'c-1' };
    const { id } = await asked(world, about);
    await db.updateTable('answers').set({ crm_id: 'c-2' }).execute();
    expect(await findStoredApproval(store, id)).toBeUndefined();
    expect(await listStoredApprovals(store)).toEqual([]);
  });

  it('goes with its contact unless it is being carried out, and with a database that is put back', async () => {
    const world = await createWorld();
    const { db, store, lease } = world;
    const left = async () => {
      const rows = await db.selectFrom('answers').select('crm_id').orderBy('crm_id').execute();
      return rows.map((row) => row.crm_id);
    };
    const request = {
      what: 'forget',
      alsoInCrm: false,
      blockUnknown: false,
      everywhere: true,
    } as const;
    const about = { request, integrationId: INTEGRATION };
    const confirmed = await asked(world, { ...about, crmId: 'c-1' });
    await recordConfirmation(store.actingAs(BEN.actor).act, confirmed, null);
    await asked(world, { ...about, crmId: 'c-2' });
    expect(
      (await readAboutContact(store.reader, store.fingerprint, INTEGRATION, ['c-2'])).approvals,
    ).toBe(1);
    await eraseFromStore(store, lease, 'c-1');
    await eraseFromStore(store, lease, 'c-2');
    expect(await left()).toEqual(['c-1']);
    await store.act((trx) =>
      holdRestored(trx, [INTEGRATION], { madeAt: null, unknownAfter: null, isJournaled: false }),
    );
    expect(await left()).toEqual([]);
    await asked(world, { ...about, crmId: 'c-3' });
    await eraseLeavingIntegration(store, lease);
    expect(await left()).toEqual([]);
  });

  it('is looked up again after a database that was away for a moment', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    let looks = 0;
    const awayAtFirst = Object.defineProperty({ ...store }, 'reader', {
      get() {
        looks += 1;
        if (looks > 1) return store.reader;
        throw new RetriableError('The database is away.', { code: 'database_away' });
      },
    });
    const warnings: string[] = [];
    const stopping = new AbortController();
    const application = {
      ...applicationOf(world),
      open: () => Promise.reject(new Error('nothing is carried out here')),
      takeLease: () => Promise.reject(new Error('nothing is carried out here')),
      store: awayAtFirst,
    };
    const carryOn = createApprovalWatch({
      ...{ application, clock, stopping: stopping.signal },
      log: { ...silentLog, warn: (_, message) => warnings.push(message) },
    });
    carryOn();
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    await vi.waitFor(() => expect(clock.sleepers()).toBe(1));
    await clock.advance(300_000);
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1));
    stopping.abort();
  });

  it('is tried less and less often where it cannot be done, and soon again once a person asks', async () => {
    const world = await createWorld();
    const { store, clock } = world;
    const request = {
      what: 'forget',
      alsoInCrm: false,
      blockUnknown: false,
      everywhere: true,
    } as const;
    const about = { request, integrationId: INTEGRATION, crmId: 'c-1' };
    const approval = await asked(world, about);
    await recordConfirmation(store.actingAs(BEN.actor).act, approval, null);
    const triedAt: number[] = [];
    const stopping = new AbortController();
    const refuse = () => Promise.reject(new Error('The CRM lets no one in.'));
    const carryOn = createApprovalWatch({
      application: { ...applicationOf(world), open: refuse, takeLease: refuse },
      ...{ clock, stopping: stopping.signal },
      log: { ...silentLog, warn: () => triedAt.push(clock.now()) },
    });
    carryOn();
    for (let tries = 1; tries <= 10; tries++) {
      await vi.waitFor(() => expect(triedAt).toHaveLength(tries));
      await vi.waitFor(() => expect(clock.sleepers()).toBe(1));
      if (tries < 10) await clock.advanceToNext();
    }
    const minutes = triedAt.slice(1).map((at, index) => (at - (triedAt[index] ?? 0)) / 60_000);
    expect(minutes).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    carryOn();
    await vi.waitFor(() => expect(triedAt).toHaveLength(11));
    await vi.waitFor(() => expect(clock.sleepers()).toBe(1));
    await clock.advance(300_000);
    await vi.waitFor(() => expect(triedAt).toHaveLength(12));
    stopping.abort();
  });
});
