/**
 * Tests HubSpot's signed event for a contact's privacy deletion. The product receives the event, records it in the
 * audit, and carries out the deletion.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signatureHeaders } from '../../../sandbox/hubspot/webhooks/signature.ts';
import { listBatches } from '../../../src/decisions/statements/batches.ts';
import {
  listDueErasures,
  recordErasureRequests,
} from '../../../src/decisions/statements/erasure-requests.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { findErasures } from '../../../src/privacy/statements/erasures.ts';
import { hasTracesOfContact } from '../../../src/privacy/statements/known-contacts.ts';
import { listRunRequests } from '../../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { controlService } from '../../helpers/service-control.ts';
import { errorSchema, type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { join } from './people-world.ts';

const open = closedAfterTest(openHttpWorld);

const PUBLIC_URL = 'https://sync.example.org';
const MINUTE_MS = 60_000;
const SIGNING = { kind: 'hubspot', secret: 'the app’s client secret' } as const;

/** Opens a service with enhanced contacts and a webhook address. HubSpot's app signs calls to this address. */
async function openEnhanced(people: number, options: HttpWorldOptions = {}) {
  const here = await open({ publicUrl: PUBLIC_URL, ...options });
  const ids = await here.addPeople(people);
  const path = await here.addHook(SIGNING);
  if (options.isIdle !== true) {
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
  }
  return { here, ids, path };
}

function bodyOf(ids: readonly string[], portalId = 'memory-account'): string {
  return JSON.stringify(
    ids.map((objectId, eventId) => ({
      ...{ eventId, subscriptionId: 1, portalId, appId: 2, occurredAt: Date.now() },
      ...{ subscriptionType: 'contact.privacyDeletion', attemptNumber: 0, objectId },
    })),
  );
}

function sign(
  path: string,
  body: string,
  timestampMs = Date.now(),
  secret: string = SIGNING.secret,
) {
  return signatureHeaders(secret, { method: 'POST', url: PUBLIC_URL + path, body, timestampMs });
}

function post(here: HttpWorld, path: string, headers: Record<string, string>, body: string) {
  return here.request(path, { method: 'POST', headers, body });
}

function isKnown({ application: { store } }: HttpWorld, id: string): Promise<boolean> {
  return hasTracesOfContact(store.reader, 'riverside', [id]);
}

async function due({ application: { store } }: HttpWorld) {
  return listDueErasures(store.reader, 'riverside', 100);
}

describe('a signed event of a deletion for privacy', () => {
  it('erases the contact, with a receipt in the audit, and starts no run', async () => {
    const { here, ids, path } = await openEnhanced(2);
    const [id = '', other = ''] = ids;
    here.crm.vanish(id);
    const body = bodyOf([id]);
    const answer = await post(here, path, sign(path, body), body);
    expect(answer.status).toBe(202);
    expect(answer.read(z.object({ runId: z.string().nullable() })).runId).toBeNull();
    await expect.poll(() => isKnown(here, id), { timeout: 8_000 }).toBe(false);
    expect(await isKnown(here, other)).toBe(true);
    const audit = await listAuditEntries(here.application.store, { limit: 50 });
    const actions = audit.map(({ action }) => action);
    expect(actions).toContain('erasure.requested');
    expect(actions).toContain('forget.done');
    const [receipt] = await findErasures(here.application.store, ['riverside'], [id]);
    expect(receipt).toMatchObject({ state: 'erased' });
    // A late event for the same deletion finds nothing to erase, and creates no decision.
    const late = bodyOf([id]);
    await post(here, path, sign(path, late, Date.now() + 1), late);
    expect(await due(here)).toEqual([]);
    expect(await isKnown(here, id)).toBe(false);
  });

  it('leaves more than 25 a day to a user, who decides them over HTTP', async () => {
    const { here, ids, path } = await openEnhanced(28);
    for (const id of ids) here.crm.vanish(id);
    const body = bodyOf(ids);
    expect((await post(here, path, sign(path, body), body)).status).toBe(202);
    await expect.poll(() => due(here), { timeout: 20_000 }).toEqual([]);
    const batchesSchema = z.object({
      batches: z.array(z.object({ id: z.string(), kind: z.string(), count: z.int() })),
    });
    const token = await here.addToken('decider');
    const listed = (await here.request('/v1/holds', { token })).read(batchesSchema).batches;
    expect(listed).toMatchObject([{ kind: 'erasure_requested', count: 3 }]);
    const approve = `/v1/holds/batches/${listed[0]?.id}/approve`;
    const refused = await here.request(approve, { method: 'POST', token });
    expect([refused.status, refused.read(errorSchema).error.code]).toEqual([403, 'person_needed']);
    const { holds } = (await here.request('/v1/holds', { token })).read(
      z.object({ holds: z.array(z.object({ id: z.string() })) }),
    );
    for (const one of [`/v1/holds/${holds[0]?.id}/approve`, '/v1/holds/approve']) {
      const body = one === '/v1/holds/approve' ? { holds: [holds[0]?.id] } : {};
      const single = await here.request(one, { method: 'POST', token, body });
      expect([single.status, single.read(errorSchema).error.code]).toEqual([403, 'person_needed']);
    }
    const { cookie } = await join(here, 'Ada', 'decider');
    const headers = { cookie, origin: PUBLIC_URL };
    expect((await here.request(approve, { method: 'POST', headers })).status).toBe(200);
    await expect.poll(() => due(here), { timeout: 20_000 }).toEqual([]);
    for (const id of ids) expect(await isKnown(here, id)).toBe(false);
  });

  it('stays due when the process ends before the erasure', async () => {
    const { here, ids, path } = await openEnhanced(1, { isIdle: true });
    const [id = ''] = ids;
    // A run request names the contact, so the product has data to erase.
    const body = bodyOf([id]);
    const one = { integrationId: 'riverside', contact: id, trigger: 'manual' } as const;
    await here.runner.request(one);
    expect((await post(here, path, sign(path, body), body)).status).toBe(202);
    expect(await due(here)).toMatchObject([{ crmId: id, source: 'crm_event' }]);
    // Does the same work as the start of the service.
    here.runner.start();
    await expect.poll(() => due(here), { timeout: 8_000 }).toEqual([]);
  });

  it('waits for both users where the settings say so, and spends nothing on the contact meanwhile', async () => {
    const { here, ids, path } = await openEnhanced(2, {
      settings: { twoPeople: { forgetByCrm: true } },
    });
    const [id = ''] = ids;
    const body = bodyOf([id]);
    expect((await post(here, path, sign(path, body), body)).status).toBe(202);
    expect(await due(here)).toEqual([]);
    const [batch] = await listBatches(here.application.store.reader);
    expect(batch).toMatchObject({ kind: 'erasure_requested', count: 1 });
    const approve = `/v1/holds/batches/${batch?.id}/approve`;
    const as = (cookie: string, to: string) =>
      here.request(to, { method: 'POST', headers: { cookie, origin: PUBLIC_URL } });
    const ada = await join(here, 'Ada', 'decider');
    const alone = await as(ada.cookie, approve);
    expect([alone.status, alone.read(errorSchema).error.code]).toEqual([
      409,
      'second_user_missing',
    ]);
    const ben = await join(here, 'Ben', 'decider');
    const asked = await as(ada.cookie, approve);
    expect(asked.status).toBe(202);
    const { approval } = asked.read(z.object({ approval: z.object({ id: z.string() }) }));
    expect(await due(here)).toEqual([]);
    // The CRM still has the same person under a different name, so the product would buy the profile again.
    const control = controlService(here.service);
    const before = await control.spent();
    here.crm.editContact(id, { lastName: 'Abernathy' });
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
    expect(await control.spent()).toBe(before);
    expect(await isKnown(here, id)).toBe(true);
    const confirmed = await as(ben.cookie, `/v1/approvals/${approval.id}/confirm`);
    expect(confirmed.status).toBe(200);
    await expect.poll(() => isKnown(here, id), { timeout: 8_000 }).toBe(false);
  });

  it('does nothing twice for a replayed call', async () => {
    const { here, ids, path } = await openEnhanced(1, { isIdle: true });
    const one = { integrationId: 'riverside', contact: ids[0] ?? '', trigger: 'manual' } as const;
    await here.runner.request(one);
    const body = bodyOf(ids);
    const headers = sign(path, body);
    await post(here, path, headers, body);
    const before = await due(here);
    expect(before).toHaveLength(1);
    expect((await post(here, path, headers, body)).status).toBe(202);
    expect(await due(here)).toEqual(before);
  });
});

describe('the question on the page', () => {
  const asked = async (source: 'should_forget' | 'privacy_hold') => {
    const here = await open({ isIdle: true });
    const ids = await here.addPeople(3);
    const requests = ids.map((crmId) => ({ crmId, source, isAutomatic: false }));
    const options = { newId: () => crypto.randomUUID() };
    await here.application.store.act((trx) =>
      recordErasureRequests(trx, 'riverside', requests, options),
    );
    const [batch] = await listBatches(here.application.store.reader);
    const path = `/decisions/batches/${batch?.id}`;
    return { here, path, page: (await here.request(path)).text };
  };

  it('has both answers', async () => {
    const { page } = await asked('should_forget');
    expect(page).toContain('Erase these 3 contacts?');
    expect(page).toContain('Erase them');
    expect(page).toContain('Keep them');
  });

  it('says that a privacy hold forbids the erasure, and does not offer it', async () => {
    const { here, path, page } = await asked('privacy_hold');
    expect(page).toContain('A privacy hold in the CRM (HasPrivacyHold) forbids');
    expect(page).not.toContain('Erase them');
    expect(page).toContain('Keep them');
    const headers = { origin: here.url };
    const answer = await here.request(`${path}/approve`, { method: 'POST', headers });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect((await listBatches(here.application.store.reader))[0]?.count).toBe(3);
  });
});

describe('an event of a deletion that proves nothing', () => {
  it('erases nobody of another portal', async () => {
    const { here, ids, path } = await openEnhanced(1);
    const body = bodyOf(ids, 'another-account');
    expect((await post(here, path, sign(path, body), body)).status).toBe(202);
    expect(await due(here)).toEqual([]);
    expect(await isKnown(here, ids[0] ?? '')).toBe(true);
  });

  const cases: [string, (path: string, body: string) => Record<string, string>, number][] = [
    ['without a signature', () => ({}), 401],
    ['with another secret', (path, body) => sign(path, body, Date.now(), 'wrong'), 401],
    ['that was signed long ago', (path, body) => sign(path, body, Date.now() - 6 * MINUTE_MS), 401],
  ];

  it.each(cases)('erases nobody: %s', async (_, headersOf, status) => {
    const { here, ids, path } = await openEnhanced(1);
    const body = bodyOf(ids);
    expect((await post(here, path, headersOf(path, body), body)).status).toBe(status);
    expect(await due(here)).toEqual([]);
    expect(await isKnown(here, ids[0] ?? '')).toBe(true);
  });

  it('is a hint at an address whose calls are not signed', async () => {
    const { here, ids } = await openEnhanced(1, { isIdle: true });
    const [id = ''] = ids;
    const path = await here.addHook();
    const body = bodyOf([id]);
    expect((await post(here, path, {}, body)).status).toBe(202);
    expect(await due(here)).toEqual([]);
    const waiting = await listRunRequests(here.application.store.reader);
    expect(waiting.map(({ contact }) => contact)).toEqual([id]);
  });
});
