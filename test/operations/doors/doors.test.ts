/**
 * Tests the operations that CRMs call through a door. The tests check which contacts and actions each user can
 * access.
 */
import { describe, expect, it } from 'vitest';
import { isConfigurationError } from '../../../src/core/errors.ts';
import type { Role } from '../../../src/core/role.ts';
import { ERASURE_KIND } from '../../../src/decisions/statements/erasure-requests.ts';
import { listOpenQuestions, type Question } from '../../../src/decisions/statements/questions.ts';
import { WORKFLOW_LIMIT_KIND } from '../../../src/decisions/statements/workflow-limit.ts';
import { crmAtDoor, userAtDoor } from '../../../src/interfaces/api/doors/door-caller.ts';
import { answerAtDoor } from '../../../src/operations/doors/answer.ts';
import { showAtDoor } from '../../../src/operations/doors/contact.ts';
import { markWanted } from '../../../src/operations/doors/mark.ts';
import type { Caller } from '../../../src/operations/kit/caller.ts';
import { perform } from '../../../src/operations/kit/perform.ts';
import { listStrongestPaths } from '../../../src/paths/statements/warm-paths.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { beginErasure } from '../../../src/privacy/statements/erasures.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { openHeldWorld } from '../../browser/held-world.ts';
import { openNetworkWorld } from '../../browser/network-world.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from '../../interfaces/api/http-world.ts';
import { toDeps } from '../operation-world.ts';

const open = closedAfterTest(openHttpWorld);
const openHeld = closedAfterTest((count?: number) => openHeldWorld(count ?? 1));

const openNetworks = closedAfterTest(openNetworkWorld);

const AT = { integrationId: 'riverside', name: 'HubSpot', from: '192.0.2.1' };

/** Returns a linked user with the given role, who has access to the given clients or to all clients. */
function userAs(role: Role, integrations: readonly string[] | null = null): Caller {
  const person = { id: `id-${role}`, role, integrations, disabledAt: null, joinedAt: 1 };
  const caller = userAtDoor(AT, person, 'Ada');
  if (caller === null) throw new Error('The user has no access.');
  return caller;
}

async function codeOf(doing: Promise<unknown>): Promise<string> {
  const error: unknown = await doing.then(
    () => null,
    (thrown) => thrown,
  );
  return isConfigurationError(error) ? error.code : `no refusal: ${String(error)}`;
}

describe('a contact at a door', () => {
  it('shows a CRM the status without anything about the person, and reads no CRM for it', async () => {
    const world = await openHeld(1);
    const [held] = await listOpenQuestions(world.application.store.reader);
    if (held?.about !== 'contact') throw new Error('no held contact');
    const input = { integration: 'riverside', contact: held.crmId };
    const shown = await perform(toDeps(world), crmAtDoor(AT), showAtDoor, input);
    expect(shown).toMatchObject({ state: 'known', hasQuestion: true, values: null, wanted: null });
    const viewer = await perform(toDeps(world), userAs('viewer'), showAtDoor, input);
    expect(viewer).toMatchObject({ values: null, mayEnhance: false });
  });

  it('shows a reader the values and why a question is open, and a decider the answers', async () => {
    const world = await openHeld(1);
    const [held] = await listOpenQuestions(world.application.store.reader);
    if (held?.about !== 'contact') throw new Error('no held contact');
    const input = { integration: 'riverside', contact: held.crmId };
    const { values } = await perform(toDeps(world), userAs('reader'), showAtDoor, input);
    expect(values?.name).toBeTruthy();
    expect(values?.question).toMatchObject({ id: held.id, answers: [] });
    expect(values?.question?.names?.profile).toBeTruthy();
    const decider = await perform(toDeps(world), userAs('decider'), showAtDoor, input);
    expect(decider.values?.question?.answers.map(({ decision }) => decision)).toContain('approve');
    const entries = await listAuditEntries(world.application.store, {
      action: 'contact.shown',
      limit: 9,
    });
    expect(entries.map(({ actor }) => actor)).toEqual([
      { kind: 'door', name: 'Ada', from: '192.0.2.1' },
      { kind: 'door', name: 'Ada', from: '192.0.2.1' },
    ]);
  });

  it('shows a reader who can introduce the contact', async () => {
    const world = await openNetworks();
    const paths = await listStrongestPaths(world.application.store.reader, 'riverside', 500);
    const written = new Set(world.crm.writes.map(({ id }) => id));
    const contact = paths.find(({ crmId }) => written.has(crmId))?.crmId ?? '';
    const input = { integration: 'riverside', contact };
    const { values } = await perform(toDeps(world), userAs('reader'), showAtDoor, input);
    expect(values?.introductions[0]?.sentence).toMatch(/knows|introduce/);
    expect(values?.profile.length).toBeGreaterThan(0);
    const status = await perform(toDeps(world), crmAtDoor(AT), showAtDoor, input);
    expect(JSON.stringify(status)).not.toContain(values?.name ?? 'no name');
  });

  it('answers about no contact of another client, and to no user without access to the client', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    await world.addPeople(1);
    const foreign = world.crmOf('harbor').addContact({ firstName: 'Ann', lastName: 'Archer' });
    const input = { integration: 'riverside', contact: foreign };
    const other = { integration: 'harbor', contact: foreign };
    const click = { key: 'a-click-1' };
    for (const caller of [crmAtDoor(AT), userAs('admin')]) {
      const deps = toDeps(world);
      const show = (named: typeof input) => codeOf(perform(deps, caller, showAtDoor, named));
      const mark = (named: typeof input) =>
        codeOf(perform(deps, caller, markWanted, { ...named, ...click }));
      for (const ask of [show, mark]) {
        expect(await ask({ ...input, contact: 'nowhere' })).toBe('contact_unknown');
        expect(await ask(other)).toBe('integration_unknown');
      }
    }
    const person = {
      id: 'x',
      role: 'admin',
      integrations: null,
      disabledAt: null,
      joinedAt: 1,
    } as const;
    expect(userAtDoor(AT, { ...person, integrations: ['harbor'] }, 'x')).toBeNull();
    expect(userAtDoor(AT, { ...person, disabledAt: 5 }, 'x')).toBeNull();
    expect(userAtDoor(AT, { ...person, joinedAt: null }, 'x')).toBeNull();
    expect(await listRunRequests(world.application.store.reader)).toEqual([]);
  });
});

describe('a mark at a door', () => {
  it('starts one run for the contact, and the same click leads to the same run, even afterwards', async () => {
    const world = await open();
    const [first = '', second = ''] = await world.addPeople(2);
    const mark = (contact: string, key: string, caller = crmAtDoor(AT)) =>
      perform(toDeps(world), caller, markWanted, { integration: 'riverside', contact, key });
    const { run } = await mark(first, 'click-0001');
    await world.untilEnded(run ?? '');
    expect(await mark(first, 'click-0001')).toMatchObject({ run });
    expect(world.crm.writes.map(({ id }) => id)).toEqual([first]);
    const shown = await perform(toDeps(world), userAs('reader'), showAtDoor, {
      integration: 'riverside',
      contact: first,
    });
    expect(shown).toMatchObject({ wanted: null, paidAt: expect.any(String) });
    expect(shown.values?.profile.length).toBeGreaterThan(0);
    expect(await codeOf(mark(second, 'click-0001'))).toBe('idempotency_key_reused');
  });

  it('joins the run that waits, shows as a mark until it ends, and needs an admin', async () => {
    const world = await open({ isIdle: true });
    const [contact = ''] = await world.addPeople(1);
    const input = { integration: 'riverside', contact };
    const mark = (key: string, caller: Caller) =>
      perform(toDeps(world), caller, markWanted, { ...input, key });
    const one = await mark('click-0001', userAs('admin'));
    const two = await mark('click-0002', crmAtDoor(AT));
    expect(two).toEqual(one);
    const shown = await perform(toDeps(world), crmAtDoor(AT), showAtDoor, input);
    expect(shown).toMatchObject({ state: 'new', wanted: { run: one.run, isRunning: false } });
    for (const role of ['viewer', 'reader', 'decider'] as const) {
      expect(await codeOf(mark('click-0003', userAs(role)))).toBe('role_insufficient');
    }
    expect(await listRunRequests(world.application.store.reader)).toHaveLength(1);
  });

  it('keeps nothing of an erased contact', async () => {
    const world = await open({ isIdle: true });
    const [contact = ''] = await world.addPeople(1);
    const { store } = world.application;
    const taken = await store.leases.acquire('riverside', 'forget', () => false);
    if (!taken.acquired) throw new Error('The lease is taken');
    await beginErasure(store, taken.lease, {
      ...{ crmId: contact, person: null, everywhere: false, donors: [] },
      ...{ state: 'blocked', receipt: '{}' },
    });
    await store.leases.release(taken.lease);
    const input = { integration: 'riverside', contact };
    const marked = await perform(toDeps(world), crmAtDoor(AT), markWanted, {
      ...input,
      key: 'click-0001',
    });
    expect(marked).toEqual({ accepted: true, run: null });
    expect(await listRunRequests(store.reader)).toEqual([]);
    const shown = await perform(toDeps(world), userAs('reader'), showAtDoor, input);
    expect(shown).toMatchObject({ state: 'new', values: null });
  });
});

describe('an answer at a door', () => {
  it('decides about the shown contact, in the name of a user who may', async () => {
    const world = await openHeld(2);
    const [held, other] = await listOpenQuestions(world.application.store.reader);
    if (held?.about !== 'contact' || other?.about !== 'contact') throw new Error('no holds');
    const answer = (caller: Caller, contact = held.crmId) =>
      perform(toDeps(world), caller, answerAtDoor, {
        ...{ integration: 'riverside', contact, question: held.id },
        decision: 'approve',
      });
    expect(await codeOf(answer(crmAtDoor(AT)))).toBe('role_insufficient');
    expect(await codeOf(answer(userAs('reader')))).toBe('role_insufficient');
    expect(await codeOf(answer(userAs('decider'), other.crmId))).toBe('hold_unknown');
    expect(await answer(userAs('decider'))).toMatchObject({ answered: true });
    expect(await codeOf(answer(userAs('decider')))).toBe('hold_decided');
    const [entry] = await listAuditEntries(world.application.store, {
      action: 'hold.decided',
      limit: 1,
    });
    expect(entry?.actor).toEqual({ kind: 'door', name: 'Ada', from: '192.0.2.1' });
  });

  it.each<[string, Partial<Pick<Question, 'kind' | 'batch'>>]>([
    ['an erasure', { kind: ERASURE_KIND }],
    ['the limit of workflows', { kind: WORKFLOW_LIMIT_KIND }],
    ['many contacts at once', { batch: 'batch-1' }],
  ])('is given in donor-sync alone if the question is about %s', async (_, changes) => {
    const world = await openHeld(1);
    const { store } = world.application;
    const [held] = await listOpenQuestions(store.reader);
    if (held?.about !== 'contact') throw new Error('no held contact');
    await store.act((trx) =>
      trx.updateTable('questions').set(changes).where('id', '=', held.id).execute(),
    );
    const input = { integration: 'riverside', contact: held.crmId };
    const owner = userAs('owner');
    const { values } = await perform(toDeps(world), owner, showAtDoor, input);
    expect(values?.question).toMatchObject({ id: held.id, answers: [] });
    const answer = { ...input, question: held.id, decision: 'approve' as const };
    expect(await codeOf(perform(toDeps(world), owner, answerAtDoor, answer))).toBe(
      'hold_not_at_door',
    );
    expect(await listOpenQuestions(store.reader)).toMatchObject([{ id: held.id, decision: null }]);
  });
});
