/** Tests the kit's promises for operations that wait for a second user, or that the service carries out later. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigurationError, RetriableError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { createApprovalWatch } from '../../src/decisions/second-person/carry-on.ts';
import { APPROVAL_MS, listStoredApprovals } from '../../src/decisions/statements/approvals.ts';
import {
  confirmRequest,
  listWaitingApprovals,
  showRequest,
} from '../../src/operations/approvals.ts';
import type { Caller } from '../../src/operations/kit/caller.ts';
import { acting, changing, type Operation } from '../../src/operations/kit/operation.ts';
import {
  createOperationRunner,
  perform,
  performLater,
  preview,
} from '../../src/operations/kit/perform.ts';
import { RequestWaits } from '../../src/operations/kit/requests.ts';
import { addAccessToken, listAccessTokens } from '../../src/people/statements/access.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';
import { invite, join } from '../interfaces/api/people-world.ts';
import { MACHINE, signedInAs, toDeps } from './operation-world.ts';

const START_MS = Date.parse('2026-11-02T09:00:00Z');

/** Opens a service that has no runs and whose clock the test moves. */
const open = closedAfterTest(async ({ others = [] }: { others?: string[] } = {}) => {
  const clock = createFakeClock(START_MS);
  return { ...(await openHttpWorld({ isIdle: true, others, clock })), clock };
});

const common = {
  summary: 'Close a client in a test',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: z.string() }),
  subjects: ['integration'],
  result: z.object({ id: z.string() }),
  say: ({ id }: { id: string }) => `${id} is closed.`,
} as const;

/** Creates an operation that waits for a second user if it is about more than one contact. */
function closing({ contacts = 2, fails = false } = {}) {
  const matter = { contacts, fails };
  const close = changing({
    ...common,
    name: 'test close',
    async secondUser(_, { integration }) {
      if (matter.contacts < 2) return null;
      return {
        text: `Close "${integration}".`,
        contacts: matter.contacts,
        credits: 0,
        setting: 'twoPeople.close',
      };
    },
    async run({ trx }, { integration }) {
      const token = { id: integration, name: 'made', role: 'viewer', hash: 'hash' } as const;
      await addAccessToken(trx, token);
      if (matter.fails) throw new Error('the disk is full');
      return { id: integration };
    },
  });
  return { close, matter };
}

async function whatWasClosed({ application: { store } }: HttpWorld) {
  return (await listAccessTokens(store.reader)).map(({ id }) => id);
}

/** Returns the entries of the audit, oldest first. */
async function audited({ application: { store } }: HttpWorld) {
  const entries = await listAuditEntries(store, { limit: 20 });
  return entries
    .filter(({ action }) => /^(approval|work|token)\./.test(action))
    .map(({ action, actor }) => `${actor.name ?? actor.kind} ${action}`)
    .reverse();
}

async function waitingFor(work: Promise<unknown>): Promise<string> {
  const waits = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(waits instanceof RequestWaits)) throw new Error('it does not wait', { cause: waits });
  return waits.approval.id;
}

const INPUT = { integration: 'riverside' };

describe('an operation that waits for a second user', () => {
  async function asked({ contacts = 2, fails = false } = {}) {
    const world = await open();
    const { close, matter } = closing({ contacts, fails });
    const deps = toDeps(world, [close]);
    const ada = await signedInAs(world, 'Ada', 'admin');
    const confirm = (by: Caller, approval: string) =>
      perform(deps, by, confirmRequest, { approval });
    return { world, close, matter, deps, ada, confirm };
  }

  /** Creates a second user. The account is older than the later requests. */
  async function second(world: HttpWorld, role: 'decider' | 'admin' = 'admin') {
    return signedInAs(world, 'Ben', role);
  }

  it('is done at once where one user is enough', async () => {
    const { world, close, deps, ada } = await asked({ contacts: 1 });
    expect(await perform(deps, ada, close, INPUT)).toEqual({ id: 'riverside' });
    expect(await whatWasClosed(world)).toEqual(['riverside']);
    expect(await listStoredApprovals(world.application.store)).toEqual([]);
  });

  it('changes nothing before another user confirms it, and is done exactly once then', async () => {
    const { world, close, deps, ada, confirm } = await asked();
    const [ben, cal] = [await second(world), await signedInAs(world, 'Cal', 'admin')];
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    expect(await waitingFor(perform(deps, cal, close, INPUT))).toBe(id);
    expect(await whatWasClosed(world)).toEqual([]);
    const { approvals } = await perform(deps, ben, listWaitingApprovals, {});
    expect(approvals).toMatchObject([
      { id, what: 'operation', text: 'Close "riverside".', contacts: 2, state: 'waiting' },
    ]);
    await expect(confirm(ada, id)).rejects.toMatchObject({ code: 'approval_same_person' });
    const answers = await Promise.allSettled([confirm(ben, id), confirm(cal, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await whatWasClosed(world)).toEqual(['riverside']);
    expect(await listStoredApprovals(world.application.store)).toEqual([]);
    const entries = await audited(world);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toBe('Ada approval.asked');
    expect(entries.slice(1).map((entry) => entry.split(' ')[1])).toEqual([
      'approval.confirmed',
      'token.made',
    ]);
    expect(entries[1]?.split(' ')[0]).toBe(entries[2]?.split(' ')[0]);
  });

  it.each([
    { reach: 'some', access: '"riverside"' },
    { reach: 'all', access: 'all clients' },
  ] as const)(
    'about $access is refused, with nothing on record, while nobody else could confirm it',
    async ({ reach, access }) => {
      const world = await open();
      const close = changing({
        ...closing().close,
        reach,
        question: async () => ({ text: 'Close it?', counts: {} }),
      });
      const deps = toDeps(world, [close]);
      const ada = await signedInAs(world, 'Ada', 'admin');
      await second(world, 'decider');
      await join(world, 'Hal', 'admin', ['harbor']);
      await invite(world, 'Ivy', 'admin');
      const missing = {
        ...{ code: 'second_user_missing', refusal: 'conflict' },
        details: { setting: 'twoPeople.close', role: 'admin' },
        message: expect.stringContaining(`the role admin and access to ${access}`),
      };
      const agree = async () => {};
      await expect(preview(deps, ada, close, INPUT)).rejects.toMatchObject(missing);
      await expect(perform(deps, ada, close, INPUT, agree)).rejects.toMatchObject(missing);
      expect(await audited(world)).toEqual([]);
      await signedInAs(world, 'Cal', 'admin');
      await waitingFor(perform(deps, ada, close, INPUT, agree));
      expect(await audited(world)).toEqual(['Ada approval.asked']);
      expect(await whatWasClosed(world)).toEqual([]);
    },
  );

  it('is refused to a caller without an account, who could not be told from the second user', async () => {
    const { world, close, deps, ada } = await asked();
    await second(world);
    const nobody: Caller = { ...ada, account: null };
    const refused = perform(deps, nobody, close, INPUT);
    await expect(refused).rejects.toMatchObject({ code: 'approval_needs_account' });
    expect(await audited(world)).toEqual([]);
  });

  it('that takes minutes is refused likewise, before anything is on record', async () => {
    const { world, deps, ada } = await asked();
    const waits = {
      ...checking().check,
      secondUser: async () => ({
        ...{ text: 'Check all.', contacts: 9, credits: 0 },
        setting: 'twoPeople.check',
      }),
    };
    const refused = performLater(deps, ada, waits, INPUT);
    await expect(refused).rejects.toMatchObject({ code: 'second_user_missing' });
    expect(await listStoredApprovals(world.application.store)).toEqual([]);
  });

  it('is not confirmed once it is about something else', async () => {
    const { world, close, matter, deps, ada, confirm } = await asked();
    const ben = await second(world);
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    matter.contacts = 3;
    await expect(confirm(ben, id)).rejects.toMatchObject({ code: 'approval_changed' });
    expect(await whatWasClosed(world)).toEqual([]);
  });

  it('waits on, with nothing done, if it fails while it is confirmed', async () => {
    const { world, close, matter, deps, ada, confirm } = await asked({ fails: true });
    const ben = await second(world);
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    await expect(confirm(ben, id)).rejects.toThrow('the disk is full');
    expect(await whatWasClosed(world)).toEqual([]);
    expect(await audited(world)).toEqual(['Ada approval.asked']);
    matter.fails = false;
    await confirm(ben, id);
    expect(await whatWasClosed(world)).toEqual(['riverside']);
  });

  it('is confirmed by nobody whose role is not the one of the operation', async () => {
    const { world, close, deps, ada, confirm } = await asked();
    const ben = await second(world, 'decider');
    await signedInAs(world, 'Cal', 'admin');
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    await expect(confirm(ben, id)).rejects.toMatchObject({
      code: 'role_insufficient',
      details: { needed: 'admin', role: 'decider' },
    });
  });

  it('is confirmed by no access token where only persons may ask for it', async () => {
    const world = await open();
    const { secret: _, ...declared } = closing().close;
    const close = changing({ ...declared, by: 'person' });
    const deps = toDeps(world, [close]);
    const ada = await signedInAs(world, 'Ada', 'admin');
    const ben = await second(world);
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    const token: Caller = { ...ben, kind: 'token', account: { kind: 'token', id: 't', name: 't' } };
    const refused = perform(deps, token, confirmRequest, { approval: id });
    await expect(refused).rejects.toMatchObject({ code: 'person_needed' });
    expect(await whatWasClosed(world)).toEqual([]);
  });

  it('expires after a week', async () => {
    const { world, close, deps, ada, confirm } = await asked();
    const ben = await second(world);
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, ada, close, INPUT));
    await world.clock.advance(APPROVAL_MS);
    await expect(confirm(ben, id)).rejects.toMatchObject({ code: 'approval_unknown' });
    expect(await whatWasClosed(world)).toEqual([]);
    expect(await audited(world)).toContain('product approval.ran_out');
  });

  it('that works outside of the database is left to the service once it is confirmed', async () => {
    const world = await open();
    const { check, counts } = checking();
    const waits: Operation = {
      ...check,
      secondUser: async () => ({
        ...{ text: 'Check all.', contacts: 9, credits: 0 },
        setting: 'twoPeople.check',
      }),
    };
    const deps = toDeps(world, [waits]);
    const ben = await signedInAs(world, 'Ben', 'admin');
    await world.clock.advance(1_000);
    const id = await waitingFor(perform(deps, MACHINE, waits, INPUT));
    const { approval } = await perform(deps, ben, confirmRequest, { approval: id });
    expect(approval.state).toBe('confirmed');
    expect(counts.runs).toBe(0);
    await carriedOut(world, [waits]);
    expect(counts).toEqual({ runs: 1, by: ['Ben'] });
  });
});

/** Creates an operation that takes minutes and whose first calls fail with the given errors. */
function checking(failures: Error[] = []) {
  const counts: { runs: number; by: (string | null)[] } = { runs: 0, by: [] };
  const check = acting({
    ...common,
    name: 'test check',
    takesMinutes: true,
    async run({ caller, clients }, { integration }) {
      const failure = failures.shift();
      if (failure) throw failure;
      counts.runs += 1;
      counts.by.push(caller.actor.name);
      return { id: clients.has(integration) ? integration : 'out of reach' };
    },
  });
  return { check, counts };
}

/** Starts a service process that carries out requests until no request remains. The process then ends. */
async function carriedOut(world: HttpWorld, operations: readonly Operation[]): Promise<void> {
  const { application, clock } = world;
  const stopping = new AbortController();
  const runOperation = createOperationRunner(toDeps(world, operations));
  const watch = { application, clock, log: silentLog, stopping: stopping.signal, runOperation };
  createApprovalWatch(watch)();
  await expect
    .poll(async () =>
      (await listStoredApprovals(application.store)).every(({ outcome }) => outcome !== null),
    )
    .toBe(true);
  stopping.abort();
}

describe('an operation that takes minutes', () => {
  async function started(failures: Error[] = []) {
    const world = await open({ others: ['harbor'] });
    const { check, counts } = checking(failures);
    const deps = toDeps(world, [check]);
    const ada = await signedInAs(world, 'Ada', 'admin');
    const show = (by: Caller, approval: string) => perform(deps, by, showRequest, { approval });
    return { world, check, counts, deps, ada, show };
  }

  it('is recorded for a caller who does not wait, and carried out in that name', async () => {
    const { world, check, counts, deps, ada, show } = await started();
    const { id } = await performLater(deps, ada, check, INPUT);
    expect((await performLater(deps, ada, check, INPUT)).id).toBe(id);
    expect(counts.runs).toBe(0);
    expect(await show(ada, id)).toMatchObject({ approval: { state: 'confirmed' }, result: null });
    await carriedOut(world, [check]);
    expect(counts).toEqual({ runs: 1, by: ['Ada'] });
    expect(await show(ada, id)).toMatchObject({
      approval: { id, state: 'done' },
      result: { id: 'riverside' },
      error: null,
      words: ['riverside is closed.'],
    });
    expect(await audited(world)).toEqual(['Ada work.asked']);
  });

  it('can be asked for again once it has ended, and its result is gone after a day', async () => {
    const { world, check, counts, deps, ada, show } = await started();
    const { id } = await performLater(deps, ada, check, INPUT);
    await carriedOut(world, [check]);
    expect((await performLater(deps, ada, check, INPUT)).id).not.toBe(id);
    await carriedOut(world, [check]);
    expect(counts.runs).toBe(2);
    await world.clock.advance(86_400_001);
    await expect(show(ada, id)).rejects.toMatchObject({ code: 'approval_unknown' });
    expect(await audited(world)).toEqual(['Ada work.asked', 'Ada work.asked']);
  });

  it('ends with an error that stays, and is tried again after one that passes', async () => {
    const away = new RetriableError('The CRM is away.', { code: 'crm_unavailable' });
    const wrong = new ConfigurationError('The key is wrong.', { code: 'crm_sign_in_failed' });
    const { world, check, counts, deps, ada, show } = await started([away, wrong]);
    const { id } = await performLater(deps, ada, check, INPUT);
    const runner = createOperationRunner(toDeps(world, [check]));
    const [left] = await listStoredApprovals(world.application.store);
    if (left === undefined) throw new Error('nothing is on record');
    const attempt = runner(left, ada.actor, AbortSignal.timeout(10_000));
    await expect(attempt).rejects.toThrow('The CRM is away.');
    expect(await show(ada, id)).toMatchObject({ approval: { state: 'confirmed' } });
    await carriedOut(world, [check]);
    expect(await show(ada, id)).toMatchObject({
      approval: { state: 'failed' },
      result: null,
      error: { code: 'crm_sign_in_failed' },
      words: ['The key is wrong.'],
    });
    expect(counts.runs).toBe(0);
  });

  it('shows its result to nobody without access to its clients, or without its role', async () => {
    const { world, check, deps, ada, show } = await started();
    const { id } = await performLater(deps, ada, check, INPUT);
    await carriedOut(world, [check]);
    const elsewhere: Caller = { ...ada, clients: new Set(['harbor']) };
    await expect(show(elsewhere, id)).rejects.toMatchObject({ code: 'approval_unknown' });
    const ben = await signedInAs(world, 'Ben', 'decider');
    await expect(show(ben, id)).rejects.toMatchObject({ code: 'role_insufficient' });
  });

  it('keeps to the clients that its caller reached', async () => {
    const { world, check, deps, ada, show } = await started();
    const limited: Caller = { ...ada, clients: new Set(['harbor']) };
    const { id } = await performLater(deps, limited, check, { integration: 'harbor' });
    await carriedOut(world, [check]);
    expect((await show(ada, id)).result).toEqual({ id: 'harbor' });
  });

  it('of another version of the product is refused when it is carried out', async () => {
    const { world, check, deps, ada, show } = await started();
    const { id } = await performLater(deps, ada, check, INPUT);
    await carriedOut(world, []);
    expect(await show(ada, id)).toMatchObject({ error: { code: 'operation_unknown' } });
  });
});
