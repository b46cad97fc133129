import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';
import { askSecondPerson } from '../../../src/decisions/second-person/ask.ts';
import { carryOut, confirmApproval } from '../../../src/decisions/second-person/confirm.ts';
import type { Requester } from '../../../src/decisions/second-person/second-user.ts';
import { listStoredApprovals } from '../../../src/decisions/statements/approvals.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';
import { get, join, send } from './people-world.ts';

const worlds: HttpWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const approvalSchema = z.object({
  id: z.string(),
  what: z.string(),
  contacts: z.int(),
  credits: z.int(),
  askedBy: z.object({ kind: z.string(), name: z.string().nullable() }),
  state: z.string(),
});
const oneSchema = z.object({ approval: approvalSchema });
const listSchema = z.object({ approvals: z.array(approvalSchema) });
const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const batchesSchema = z.object({ batches: z.array(z.object({ id: z.string(), count: z.int() })) });

const CONTACTS = 30;

async function sync(world: HttpWorld, token: string): Promise<string> {
  const path = '/v1/integrations/riverside/runs';
  const { run } = (await world.request(path, { method: 'POST', token })).read(startedSchema);
  await world.untilEnded(run.id);
  return run.id;
}

/** Opens a service in which every undo, and each decision about more than five contacts, waits for a second user. */
async function open(): Promise<HttpWorld> {
  const world = await openHttpWorld({
    ...{ integration: WITHOUT_TRIAL, others: ['harbor'] },
    settings: { twoPeople: { approvals: 5, undo: 0 } },
  });
  worlds.push(world);
  return world;
}

/** Opens a service that needs two users to approve a batch of changed contacts. */
async function openHeld() {
  const world = await open();
  const admin = await world.addToken('admin');
  for (let index = 0; index < CONTACTS; index += 1) {
    world.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}`, addresses: [] });
  }
  await sync(world, admin);
  for (const { contact } of world.crm.records.values()) {
    world.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
  }
  await sync(world, admin);
  const { batches } = (await world.request('/v1/holds', { token: admin })).read(batchesSchema);
  const [batch] = batches;
  if (!batch) throw new Error('there is no batch');
  return { world, admin, batch };
}

/** Returns an erasure that two users have confirmed. The test then carries out the erasure. */
async function confirmErasure(alsoInCrm: boolean) {
  const world = await openHttpWorld({ settings: { twoPeople: { forgetEverywhere: true } } });
  worlds.push(world);
  const { application, clock } = world;
  const [crmId = ''] = await world.addPeople(1);
  const request = { what: 'forget', alsoInCrm, blockUnknown: false, everywhere: true } as const;
  const about = { request, integrationId: 'riverside', crmId };
  const approval = await askSecondPerson({ application }, userOf('ada'), about);
  if (approval === null) throw new Error('it does not wait');
  await confirmApproval({ application }, approval, userOf('ben'));
  const { signal } = new AbortController();
  return { world, approval, signal, deps: { application, clock, log: silentLog } };
}

function answerTo(world: HttpWorld, id: string, answer: 'confirm' | 'refuse', token: string) {
  return world.request(`/v1/approvals/${id}/${answer}`, { method: 'POST', token });
}

async function batchCount(world: HttpWorld, token: string): Promise<number> {
  return (await world.request('/v1/holds', { token })).read(batchesSchema).batches.length;
}

describe('what waits for a second person, over HTTP', () => {
  it('is confirmed by another token of the right role and reach, once', async () => {
    const { world, admin, batch } = await openHeld();
    const decider = await world.addToken('decider');
    const limited = await world.addToken('decider', ['harbor']);
    const viewer = await world.addToken('viewer');
    const path = `/v1/holds/batches/${batch.id}/approve`;
    const asked = await world.request(path, { method: 'POST', token: admin });
    expect(asked.status).toBe(202);
    const { approval } = asked.read(oneSchema);
    expect(approval).toMatchObject({ what: 'approve', contacts: CONTACTS, credits: CONTACTS });
    expect(approval).toMatchObject({ askedBy: { kind: 'token' }, state: 'waiting' });
    expect((await world.request(path, { method: 'POST', token: decider })).read(oneSchema)).toEqual(
      {
        approval,
      },
    );
    const listed = async (token: string) =>
      (await world.request('/v1/approvals', { token })).read(listSchema).approvals;
    expect(await listed(viewer)).toEqual([approval]);
    expect(await listed(limited)).toEqual([]);
    // Until it is confirmed, the decision is pending, in the queue and in the counts of the frame.
    const page = (await world.request('/decisions', { token: viewer })).text;
    expect(page).toContain('1 decision pending. 1 action waits for a second user.');
    expect(page).toContain('Decisions <span class="rail-count">1<');
    const metrics = (await world.request('/metrics', { token: viewer })).text;
    expect(metrics).toContain('donor_sync_approvals{integration="riverside"} 1');

    const refusals = [
      [admin, 409, 'approval_same_person'],
      [limited, 404, 'approval_unknown'],
      [viewer, 403, 'role_insufficient'],
      [await world.addToken('owner'), 409, 'approval_account_too_new'],
    ] as const;
    for (const [token, status, code] of refusals) {
      const answer = await answerTo(world, approval.id, 'confirm', token);
      expect([answer.status, answer.read(errorSchema).error.code]).toEqual([status, code]);
    }
    expect(await batchCount(world, admin)).toBe(1);

    const answers = await Promise.all([
      answerTo(world, approval.id, 'confirm', decider),
      answerTo(world, approval.id, 'confirm', decider),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [200, 404],
      [200, 409],
    ]).toContainEqual(statuses);
    const good = answers.find(({ status }) => status === 200);
    expect(good?.read(oneSchema).approval).toEqual({ ...approval, state: 'done' });
    expect(await batchCount(world, admin)).toBe(0);
    expect(await listed(viewer)).toEqual([]);
  });

  it('does nothing of what was decided otherwise meanwhile, nor of what is withdrawn', async () => {
    const { world, admin, batch } = await openHeld();
    const decider = await world.addToken('decider');
    const path = `/v1/holds/batches/${batch.id}`;
    const asked = await world.request(`${path}/approve`, { method: 'POST', token: admin });
    const { id } = asked.read(oneSchema).approval;
    // A rejection spends nothing, so it needs no second user.
    const rejected = await world.request(`${path}/reject`, { method: 'POST', token: decider });
    expect(rejected.status).toBe(200);
    const changed = await answerTo(world, id, 'confirm', decider);
    expect([changed.status, changed.read(errorSchema).error.code]).toEqual([
      409,
      'approval_changed',
    ]);
    const withdrawn = await answerTo(world, id, 'refuse', admin);
    expect(withdrawn.read(oneSchema).approval).toMatchObject({ state: 'refused' });
    expect((await answerTo(world, id, 'confirm', decider)).status).toBe(404);
  });

  it('is on the page of decisions: with a button for the one, and for the other to wait', async () => {
    const { world, batch } = await openHeld();
    const ada = await join(world, 'Ada', 'decider');
    const ben = await join(world, 'Ben', 'decider');
    const vic = await join(world, 'Vic', 'viewer');
    const asked = await send(
      world,
      `/decisions/batches/${batch.id}/approve`,
      {},
      { cookie: ada.cookie },
    );
    expect(asked).toMatchObject({ status: 303, location: '/decisions?note=second' });
    const pageFor = async ({ cookie }: { cookie: string }) =>
      (await get(world, '/decisions?note=second', cookie)).text();
    const own = await pageFor(ada);
    expect(own).toContain('Nothing has been decided yet: this is waiting for a second user.');
    expect(own).toContain('Waiting for another user');
    expect(own).toContain('Withdraw');
    expect(own).not.toMatch(/approvals\/[^/]+\/confirm/);
    const watched = await pageFor(vic);
    expect(watched).toContain('Requested by Ada (browser)');
    expect(watched).toContain(`href="/decisions/batches/${batch.id}"`);
    expect(watched).not.toMatch(/approvals\/[^/]+\/(confirm|refuse)/);
    const path = /\/decisions\/approvals\/[^/]+\/confirm/.exec(await pageFor(ben))?.[0] ?? '';
    const byOwn = await send(world, path, {}, { cookie: ada.cookie });
    expect(byOwn.status).toBe(409);
    expect(byOwn.text).toContain('Someone other than the requester, Ada, must confirm it');
    const confirmed = await send(world, path, {}, { cookie: ben.cookie });
    expect(confirmed).toMatchObject({ status: 303, location: '/decisions?note=confirmed' });
    expect(await pageFor(ben)).not.toContain('Waiting for a second user');
  });

  it('undoes in the service what was asked for on the command line, for admins alone', async () => {
    const world = await open();
    const admin = await world.addToken('admin');
    const decider = await world.addToken('decider');
    const { application } = world;
    await world.addPeople(20);
    const run = await sync(world, admin);
    const values = () =>
      [...world.crm.records.values()].filter(({ values: held }) =>
        Object.values(held).some(Boolean),
      );
    const before = values().length;
    expect(before).toBeGreaterThan(0);
    const approval = await askSecondPerson({ application }, userOf('ada'), {
      request: { what: 'undo', run },
      integrationId: 'riverside',
    });
    const id = approval?.id ?? '';
    expect((await answerTo(world, id, 'confirm', decider)).status).toBe(403);
    const confirmed = await answerTo(world, id, 'confirm', admin);
    expect(confirmed.read(oneSchema).approval).toMatchObject({ what: 'undo', state: 'confirmed' });
    await expect.poll(() => listStoredApprovals(application.store)).toEqual([]);
    expect(values().length).toBeLessThan(before);
    const [last] = await listAuditEntries(application.store, { limit: 1, action: 'undo.asked' });
    expect(last).toMatchObject({ actor: { kind: 'token' }, details: { run } });
  });

  it('is carried out later where the CRM lets no one in at first', async () => {
    const { deps, approval, signal } = await confirmErasure(true);
    const { application } = deps;
    const open = () => Promise.reject(new ConfigurationError('No.', { code: 'crm_unauthorized' }));
    const shut = { ...deps, application: { ...application, open } };
    await expect(carryOut(shut, approval, signal)).rejects.toThrow('No.');
    expect(await listStoredApprovals(application.store)).toHaveLength(1);
    expect((await carryOut(deps, approval, signal)).forget).toMatchObject({ complete: true });
    expect(await listStoredApprovals(application.store)).toEqual([]);
  });

  it('is not dropped as unknown while the CRM that knows the contact is away', async () => {
    const { world, deps, approval, signal } = await confirmErasure(false);
    const { application } = deps;
    world.crm.failNext('readByIds', new RetriableError('Away.', { code: 'crm_unavailable' }));
    await expect(carryOut(deps, approval, signal)).rejects.toThrow('could not be queried');
    expect(await listStoredApprovals(application.store)).toHaveLength(1);
    expect((await carryOut(deps, approval, signal)).forget).toMatchObject({ complete: true });
    expect(await listStoredApprovals(application.store)).toEqual([]);
  });

  it('is carried out to its end where a record refuses at first', async () => {
    const world = await open();
    const { application, clock } = world;
    const [crmId = ''] = await world.addPeople(5);
    const run = await sync(world, await world.addToken('admin'));
    const about = { request: { what: 'undo', run }, integrationId: 'riverside' } as const;
    const approval = await askSecondPerson({ application }, userOf('ada'), about);
    if (approval === null) throw new Error('it does not wait');
    await confirmApproval({ application }, approval, userOf('ben'));
    const { signal } = new AbortController();
    const deps = { application, clock, log: silentLog };
    world.crm.refuseWrites(crmId);
    const first = await carryOut(deps, approval, signal);
    expect(first.undo?.contacts).toMatchObject({ refused: 1 });
    expect(await listStoredApprovals(application.store)).toHaveLength(1);
    world.crm.allowWrites(crmId);
    const second = await carryOut(deps, approval, signal);
    expect(second.undo?.contacts).toMatchObject({ restored: 1, refused: 0 });
    expect(await listStoredApprovals(application.store)).toEqual([]);
  });
});

function userOf(name: string): Requester {
  return {
    account: { kind: 'command', id: name, name },
    actor: { kind: 'command', name, from: 'office' },
  };
}
