import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askAboutNetwork } from '../../../src/decisions/statements/network-questions.ts';
import { applyAllAnswers } from '../../../src/decisions/statements/withdrawable-answers.ts';
import { recordMirroredGroups } from '../../../src/networks/statements/networks.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { openHeldWorld, STRANGER } from '../../browser/held-world.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { errorSchema, type HttpWorld, openHttpWorld, type RequestOptions } from './http-world.ts';
import { get, join, send } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);
const openHeld = closedAfterTest((count?: number) => openHeldWorld(count ?? 1));

const holdSchema = z.strictObject({
  id: z.string(),
  integration: z.string(),
  contact: z.string().nullable(),
  network: z.string().nullable(),
  batch: z.string().nullable(),
  kind: z.string(),
  detail: z.string().nullable(),
  reason: z.string(),
  decisions: z.array(z.string()),
  since: z.iso.datetime(),
  decision: z.string().nullable(),
});
const batchSchema = z.strictObject({
  id: z.uuid(),
  integration: z.string(),
  kind: z.string(),
  reason: z.string(),
  count: z.int(),
  credits: z.int(),
  parts: z.record(z.string(), z.int()),
  decisions: z.array(z.enum(['approve', 'reject'])),
  since: z.iso.datetime(),
});
const holdsSchema = z.strictObject({ holds: z.array(holdSchema), batches: z.array(batchSchema) });
const decidedBatchSchema = z.strictObject({
  batch: z.strictObject({
    id: z.uuid(),
    integration: z.string(),
    decision: z.string(),
    count: z.int(),
    credits: z.int(),
  }),
});
const decidedSchema = z.strictObject({ hold: holdSchema });
const answerSchema = z.strictObject({
  id: z.string(),
  integration: z.string(),
  about: z.string(),
  subject: z.string(),
  decision: z.string(),
  countsFrom: z.iso.datetime(),
});
const answersSchema = z.object({
  answers: z.array(answerSchema.extend({ by: z.object({ kind: z.string() }) })),
});
const namedSchema = z.object({
  holds: z.array(
    holdSchema.extend({
      names: z
        .object({
          contact: z.string().nullable(),
          profile: z.string().nullable(),
          problem: z.string().nullable(),
        })
        .nullable(),
    }),
  ),
});
const startedSchema = z.object({ run: z.object({ id: z.string() }) });

async function sync(here: HttpWorld): Promise<void> {
  const started = await here.request('/v1/integrations/riverside/runs', { method: 'POST' });
  await here.untilEnded(started.read(startedSchema).run.id);
}

async function listHolds(here: HttpWorld) {
  return (await here.request('/v1/holds')).read(holdsSchema).holds;
}

async function firstHold(here: HttpWorld, token: string) {
  return (await here.request('/v1/holds', { token })).read(holdsSchema).holds[0];
}

/**
 * Opens a service whose responses are lost after the service has charged for them. The product therefore holds all
 * contacts.
 */
async function openWithHolds(people: number): Promise<HttpWorld> {
  const here = await open();
  await here.addPeople(people);
  await here.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
  await sync(here);
  return here;
}

describe('/v1/holds', () => {
  it('lists pending decisions, and accepts each decision only once', async () => {
    const world = await openWithHolds(3);
    const [first, second, ...rest] = await listHolds(world);
    expect(rest).toHaveLength(1);
    expect(first).toMatchObject({ integration: 'riverside', kind: 'lost_answer', decision: null });
    const decide = (id: string | undefined, word: string) =>
      world.request(`/v1/holds/${id}/${word}`, { method: 'POST' });
    const rejected = await decide(first?.id, 'reject');
    expect(rejected.read(decidedSchema).hold).toMatchObject({ decision: 'rejected' });
    const resubmitted = await decide(second?.id, 'resubmit');
    expect(resubmitted.read(decidedSchema).hold).toMatchObject({ decision: 'resubmitted' });
    expect(await listHolds(world)).toEqual(rest);

    const again = await decide(first?.id, 'resubmit');
    expect([again?.status, again?.read(errorSchema).error.code]).toEqual([409, 'hold_decided']);
    await sync(world);
    const [left] = await listHolds(world);
    expect(left).toEqual(rest[0]);
    expect(world.crm.writes.map(({ id }) => id)).toEqual([second?.contact]);
  });

  it('decides several at once, all of them or none', async () => {
    const world = await openWithHolds(3);
    const ids = (await listHolds(world)).map(({ id }) => id);
    const post = (word: string, body: object) =>
      world.request(`/v1/holds/${word}`, { method: 'POST', body });
    const unknown = await post('reject', { holds: [...ids, 'nowhere'] });
    expect([unknown.status, unknown.read(errorSchema).error.code]).toEqual([404, 'hold_unknown']);
    const impossible = await post('approve', { holds: ids });
    expect(impossible.read(errorSchema).error.code).toBe('hold_without_profile');
    expect(await listHolds(world)).toHaveLength(3);
    const rejected = await post('reject', { holds: ids });
    expect(rejected.status).toBe(200);
    const { holds } = rejected.read(z.strictObject({ holds: z.array(holdSchema) }));
    expect(holds.map(({ id, decision }) => [id, decision])).toEqual(
      ids.map((id) => [id, 'rejected']),
    );
    expect(await listHolds(world)).toEqual([]);
  });

  it('tells who was first to the one who decides the same a moment later', async () => {
    const world = await openWithHolds(2);
    const ada = await join(world, 'Ada', 'decider');
    const token = await world.addToken('decider');
    const [first, second] = (await world.request('/v1/holds', { token })).read(holdsSchema).holds;
    const decide = (id: string | undefined, word: string, options: RequestOptions) =>
      world.request(`/v1/holds/${id}/${word}`, { method: 'POST', ...options });
    const byAda = { headers: { cookie: ada.cookie, origin: world.url } };
    expect((await decide(first?.id, 'reject', byAda)).status).toBe(200);
    const late = await decide(first?.id, 'resubmit', { token });
    expect([late.status, late.read(errorSchema).error.code]).toEqual([409, 'hold_decided']);
    const { message } = late.read(errorSchema).error;
    expect(message).toMatch(/was rejected on .* by Ada \(browser\)\. Nothing was changed\./);

    // The user gave this answer on the page first, but the answer has not taken effect yet.
    const onPage = await send(
      world,
      `/decisions/${second?.id}/resubmit`,
      {},
      { cookie: ada.cookie },
    );
    expect(onPage.location).toMatch(/undo=/);
    const meanwhile = await decide(second?.id, 'reject', { token });
    expect([meanwhile.status, meanwhile.read(errorSchema).error.message]).toEqual([
      409,
      expect.stringContaining('was resubmitted a moment ago by Ada (browser)'),
    ]);
    const again = await send(world, `/decisions/${second?.id}/reject`, {}, { cookie: ada.cookie });
    expect(again.location).toContain('note=decided');
    const page = await get(world, again.location ?? '', ada.cookie);
    const text = await page.text();
    expect(text).toContain('was resubmitted a moment ago by Ada (browser)');
    // An answer that can still be withdrawn is no longer pending, neither in the queue nor in the frame.
    expect(text).toContain('No decisions are pending.');
    expect(text).not.toContain('class="rail-count"');
    expect(await (await get(world, '/', ada.cookie)).text()).not.toContain('class="rail-count"');
  });

  it('withdraws an answer that does not count yet, with an entry in the audit', async () => {
    const world = await openWithHolds(1);
    const token = await world.addToken('decider');
    const outside = await world.addToken('decider', []);
    const hold = await firstHold(world, token);
    const body = { withdrawable: true };
    const path = `/v1/holds/${hold?.id}/resubmit`;
    const given = await world.request(path, { method: 'POST', token, body });
    expect(given.status).toBe(202);
    const { answer } = given.read(z.strictObject({ answer: answerSchema }));
    expect(answer).toMatchObject({ subject: hold?.id, decision: 'resubmitted', about: 'contact' });
    const list = async (as: string) =>
      (await world.request('/v1/answers', { token: as })).read(answersSchema).answers;
    expect(await list(token)).toMatchObject([{ id: answer.id, by: { kind: 'token' } }]);
    expect(await list(outside)).toEqual([]);
    const withdraw = (as: string) =>
      world.request(`/v1/answers/${answer.id}/withdraw`, { method: 'POST', token: as });
    expect((await withdraw(outside)).status).toBe(404);
    expect((await withdraw(token)).status).toBe(200);
    expect(await list(token)).toEqual([]);
    expect(await firstHold(world, token)).toEqual(hold);
    const late = await withdraw(token);
    expect([late.status, late.read(errorSchema).error.code]).toEqual([404, 'answer_unknown']);
    const entries = await listAuditEntries(world.application.store, {
      ...{ action: 'answer.withdrawn', limit: 5 },
    });
    expect(entries.map(({ details }) => details)).toEqual([
      { hold: hold?.id, decision: 'resubmitted' },
    ]);
  });

  it('reads the names for readers, and records that they were shown', async () => {
    const world = await openHeld(2);
    const [viewer, reader] = [await world.addToken('viewer'), await world.addToken('reader')];
    const ask = (token: string) =>
      world.request('/v1/holds/names', { method: 'POST', token, body: { examples: true } });
    expect((await ask(viewer)).status).toBe(403);
    const shown = await ask(reader);
    const { holds } = shown.read(namedSchema);
    expect(holds).toHaveLength(2);
    for (const { names } of holds) {
      expect(names?.contact).toContain(STRANGER);
      expect(names?.profile).not.toContain(STRANGER);
      expect(names?.problem).toBeNull();
    }
    const entries = await listAuditEntries(world.application.store, {
      ...{ action: 'names.shown', limit: 5 },
    });
    expect(entries.map(({ details }) => details)).toEqual([{ command: 'holds', names: 4 }]);
    expect(world.logLines.join('')).not.toContain(STRANGER);
  });

  it('approves nothing where there is no profile, and knows no other decision', async () => {
    const world = await openWithHolds(1);
    const [hold] = await listHolds(world);
    const codeOf = async (path: string) => {
      const answer = await world.request(path, { method: 'POST' });
      return [answer?.status, answer?.read(errorSchema).error.code];
    };
    expect(await codeOf(`/v1/holds/${hold?.id}/approve`)).toEqual([409, 'hold_without_profile']);
    expect(await codeOf(`/v1/holds/${hold?.id}/forget`)).toEqual([422, 'request_invalid']);
    expect(await codeOf('/v1/holds/none/reject')).toEqual([404, 'hold_unknown']);
    expect((await world.request('/v1/holds?integration=unknown')).status).toBe(404);
    expect(await listHolds(world)).toEqual([hold]);
  });

  it('has the holds of networks too, in the list, the decisions and the metrics', async () => {
    const world = await open({ isIdle: true });
    await holdNetwork(world);
    const [hold] = await listHolds(world);
    expect(hold).toMatchObject({ contact: null, network: 'Board', kind: 'group_shrunk' });
    expect(hold?.decisions).toEqual(['approve', 'reject']);
    const metrics = (await world.request('/metrics')).text;
    expect(metrics).toContain('donor_sync_holds{integration="riverside",about="network"} 1');
    expect(metrics).toContain('donor_sync_holds{integration="riverside",about="contact"} 0');

    const decide = (word: string) =>
      world.request(`/v1/holds/${hold?.id}/${word}`, { method: 'POST' });
    const senseless = await decide('resubmit');
    expect([senseless?.status, senseless?.read(errorSchema).error.code]).toEqual([
      ...[409, 'hold_not_decidable'],
    ]);
    const approved = await decide('approve');
    expect(approved?.read(decidedSchema).hold).toMatchObject({ decision: 'approved' });
    expect(await listHolds(world)).toEqual([]);
    expect((await decide('reject'))?.status).toBe(409);
  });
});

/** Creates contacts whose addresses all change. A user decides about all of them together. */
async function openWithBatch(people: number, changed = people): Promise<HttpWorld> {
  const here = await open({ integration: WITHOUT_TRIAL });
  for (let index = 0; index < people; index += 1) {
    here.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}`, addresses: [] });
  }
  await sync(here);
  changeAddresses(here, changed);
  await sync(here);
  return here;
}

/** Changes the addresses of the first contacts that have not changed yet. */
function changeAddresses({ crm }: HttpWorld, upTo: number): void {
  for (const { contact } of [...crm.records.values()].slice(0, upTo)) {
    const addresses = [`${contact.lastName} Quarry Lane, Reno`];
    if (contact.addresses[0] !== addresses[0]) crm.editContact(contact.id, { addresses });
  }
}

async function spentOn(here: HttpWorld): Promise<number> {
  return controlService(here.service).spent();
}

describe('/v1/holds/batches', () => {
  it('decides contacts that changed at once, all of them and once', async () => {
    const world = await openWithBatch(40);
    expect(await spentOn(world)).toBe(40);
    const { holds, batches } = (await world.request('/v1/holds')).read(holdsSchema);
    const [batch] = batches;
    expect(batches).toMatchObject([
      { integration: 'riverside', count: 40, parts: { addresses: 40 }, credits: 40 },
    ]);
    expect(holds).toHaveLength(40);
    expect(holds[0]).toMatchObject({
      batch: batch?.id,
      decisions: ['approve', 'reject'],
      reason: 'its address changed together with those of 39 others',
    });
    const decide = (path: string) => world.request(`/v1/holds/batches/${path}`, { method: 'POST' });
    const codeOf = async (path: string) => {
      const answer = await decide(path);
      return [answer.status, answer.read(errorSchema).error.code];
    };
    expect(await codeOf('none/approve')).toEqual([404, 'batch_unknown']);
    expect(await codeOf(`${batch?.id}/resubmit`)).toEqual([422, 'request_invalid']);
    const single = await world.request(`/v1/holds/${holds[0]?.id}/resubmit`, { method: 'POST' });
    expect([single.status, single.read(errorSchema).error.code]).toEqual([
      ...[409, 'hold_not_decidable'],
    ]);

    await world.request(`/v1/holds/${holds[0]?.id}/reject`, { method: 'POST' });
    const approved = (await decide(`${batch?.id}/approve`)).read(decidedBatchSchema);
    expect(approved.batch).toEqual({
      id: batch?.id,
      integration: 'riverside',
      decision: 'approved',
      count: 39,
      credits: 39,
    });
    expect(await codeOf(`${batch?.id}/reject`)).toEqual([409, 'batch_decided']);
    const clickedTwice = await fetch(`${world.url}/decisions/batches/${batch?.id}/approve`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect(clickedTwice.headers.get('location')).toBe('/decisions?note=decided');
    await sync(world);
    expect(await spentOn(world)).toBe(79);
    expect((await world.request('/v1/holds')).read(holdsSchema).batches).toEqual([]);
  });

  it('decides only the contacts that were shown, also if a run adds more in the meantime', async () => {
    const world = await openWithBatch(40, 30);
    const [batch] = (await world.request('/v1/holds')).read(holdsSchema).batches;
    const page = (await world.request(`/decisions/batches/${batch?.id}`)).text;
    const action = /action="([^"]+\/approve[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    const countOpen = async () =>
      (await world.request('/v1/holds')).read(holdsSchema).batches.map(({ count }) => count);
    changeAddresses(world, 35);
    await sync(world);
    expect(await countOpen()).toEqual([35]);
    const clicked = await fetch(`${world.url}${action}`, { method: 'POST', redirect: 'manual' });
    expect(clicked.status).toBe(303);
    await applyAllAnswers(world.application.store, 'riverside');
    await expect.poll(countOpen).toEqual([5]);
  });

  it('is for deciders, and shows names only to readers and higher roles', async () => {
    const world = await openWithBatch(30);
    const [batch] = (await world.request('/v1/holds')).read(holdsSchema).batches;
    const foreign = await world.request(`/decisions/batches/${batch?.id}/approve`, {
      ...{ method: 'POST', headers: { origin: 'https://elsewhere.example' } },
    });
    expect(foreign.status).toBe(403);
    const [viewer, reader] = [await world.addToken('viewer'), await world.addToken('reader')];
    const decider = await world.addToken('decider');
    const page = `/decisions/batches/${batch?.id}`;
    for (const [method, path] of [
      ['POST', `/v1/holds/batches/${batch?.id}/approve`],
      ['POST', `${page}/approve`],
      ['GET', page],
    ]) {
      const asked = (token?: string) =>
        world.request(path ?? '', { method: method ?? '', ...(token ? { token } : {}) });
      const stranger = await asked();
      // A page redirects to the sign-in form. A request that changes data does not redirect.
      expect(stranger.status).toBe(method === 'GET' ? 200 : 401);
      if (method === 'GET') expect(stranger.text).toContain('<h1>Sign in</h1>');
      expect(stranger.text).not.toContain('Quarry Lane');
      const refused = await asked(viewer);
      expect(refused.status).toBe(method === 'GET' ? 200 : 403);
      expect(refused.text).not.toContain('Quarry Lane');
      if (method === 'POST') expect((await asked(reader)).status).toBe(403);
    }
    const read = await world.request(page, { token: reader });
    expect(read.text.match(/Quarry Lane/g)).toHaveLength(3);
    expect(read.text).not.toContain(`action="${page}/approve`);
    expect(read.text).toContain('A user with the role decider can answer this.');
    const shown = await world.request(page, { token: decider });
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.text.match(/Quarry Lane/g)).toHaveLength(3);
    expect(shown.text).toContain(`action="${page}/approve`);
    expect(world.logLines.join('')).not.toContain('Quarry Lane');
    const [listed] = (await world.request('/v1/holds', { token: decider })).read(
      holdsSchema,
    ).batches;
    expect(listed?.count).toBe(30);
  });

  it('shows no names of another CRM account, and says why', async () => {
    const world = await openWithBatch(30);
    const [batch] = (await world.request('/v1/holds')).read(holdsSchema).batches;
    Object.assign(world.crm.account, { id: 'another-account' });
    const shown = await world.request(`/decisions/batches/${batch?.id}`);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('connected to another CRM account before');
    expect(shown.text).not.toContain('Quarry Lane');
  });
});

/** More than half of the group's members have left, so the product holds the mirrored network. */
async function holdNetwork({ application }: HttpWorld): Promise<void> {
  const { store } = application;
  const attempt = await application.takeLease('riverside');
  if (!attempt.acquired) throw new Error('another process is at work');
  await store.checkpoint(attempt.lease, (trx) =>
    recordMirroredGroups(trx, [{ id: 'network-1', selector: 'fingerprint', name: 'Board' }]),
  );
  await store.checkpoint(attempt.lease, (trx) =>
    askAboutNetwork(trx, {
      id: 'hold-1',
      network: 'network-1',
      kind: 'group_shrunk',
      matter: 's',
      detail: '12',
    }),
  );
  await store.leases.release(attempt.lease);
}
