/**
 * Tests webhook addresses over HTTP, in the API and on the pages. A user creates, rotates and revokes an address. The
 * page shows a new address only once.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, type HttpWorld, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const ONE = '/v1/integrations/riverside/webhook';

const madeSchema = z.strictObject({
  integration: z.literal('riverside'),
  url: z.string(),
  signature: z.string().nullable(),
  secret: z.string().nullable(),
});
const shownSchema = z.strictObject({
  integration: z.literal('riverside'),
  webhook: z.object({ signature: z.string().nullable() }).nullable(),
  calls: z.array(z.looseObject({ answer: z.string(), times: z.number() })),
});
const previewSchema = z.object({
  preview: z.object({ question: z.string(), digest: z.string() }),
});

async function change(world: HttpWorld, path: string, body?: object, method = 'POST') {
  return world.request(path, { method, ...(body && { body }) });
}

/** Sends a page's form without following the redirect. */
function press({ url }: HttpWorld, path: string, form: Record<string, string> = {}) {
  return fetch(url + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form) },
    headers: { origin: url },
  });
}

async function call(world: HttpWorld, url: string): Promise<number> {
  return (await change(world, new URL(url).pathname)).status;
}

async function actions(world: HttpWorld): Promise<string[]> {
  const entries = await listAuditEntries(world.application.store, { limit: 50 });
  return entries.map(({ action }) => action).filter((action) => action.startsWith('hook.'));
}

describe('the webhook address of a client', () => {
  it('is neither created nor replaced with an access token, and can be revoked with one', async () => {
    const world = await open({ isIdle: true });
    const made = (await change(world, ONE, { signature: 'hmac' })).read(madeSchema);
    const token = await world.addToken('owner');
    const headers = { origin: world.url };
    for (const path of [ONE, `${ONE}/rotate`]) {
      const refused = await world.request(path, { method: 'POST', token, body: {} });
      expect([refused.status, refused.read(errorSchema).error.code]).toEqual([
        403,
        'person_needed',
      ]);
    }
    for (const path of ['webhooks', 'webhooks/rotate']) {
      const asked = { method: 'POST', token, headers };
      const refused = await world.request(`/clients/riverside/${path}`, asked);
      expect(refused.status).toBe(403);
    }
    expect(await actions(world)).toEqual(['hook.made']);
    expect((await world.request(ONE, { token })).text).not.toContain(made.secret);
    const asked = await world.request(`${ONE}/preview`, { method: 'POST', token });
    const { digest } = asked.read(previewSchema).preview;
    const revoked = await world.request(`${ONE}?digest=${digest}`, { method: 'DELETE', token });
    expect(revoked.status, revoked.text).toBe(200);
  });

  it('is shown once, and its calls are shown as soon as they were answered', async () => {
    const world = await open({ isIdle: true, others: ['harbor'] });
    expect((await world.request(ONE)).read(shownSchema)).toMatchObject({
      ...{ webhook: null, calls: [] },
    });
    const made = (await change(world, ONE, { signature: 'none' })).read(madeSchema);
    for (let index = 0; index < 3; index += 1) expect(await call(world, made.url)).toBe(202);
    const shown = await world.request(ONE);
    expect(shown.read(shownSchema).calls).toMatchObject([{ answer: 'accepted', times: 3 }]);
    const list = await world.request('/v1/webhooks');
    expect(list.text).toContain('"integration":"riverside"');
    const token = made.url.split('/').at(-1) ?? '';
    for (const { text } of [shown, list]) expect(text).not.toContain(token);
    const limited = await world.addToken('admin', ['harbor']);
    const other = await world.request('/v1/webhooks', { token: limited });
    expect(JSON.parse(other.text)).toEqual({ hooks: [] });
  });

  it('is not replaced by another one unless that is what the caller asks for', async () => {
    const world = await open({ isIdle: true });
    const missing = await change(world, `${ONE}/rotate`, {});
    expect(missing.status).toBe(404);
    expect(missing.read(errorSchema).error.code).toBe('hook_missing');
    const first = (await change(world, ONE, { signature: 'hmac' })).read(madeSchema);
    const again = await change(world, ONE, {});
    expect(again.status).toBe(409);
    expect(again.read(errorSchema).error).toMatchObject({
      code: 'hook_exists',
      message: expect.stringContaining('Nothing was changed.'),
    });
    // The response demands a signature, so the address still exists.
    expect(await call(world, first.url)).toBe(401);
    const second = (await change(world, `${ONE}/rotate`, {})).read(madeSchema);
    expect(second).toMatchObject({ signature: 'hmac', secret: expect.any(String) });
    expect(second.secret).not.toBe(first.secret);
    expect(await call(world, first.url)).toBe(404);
    expect(await actions(world)).toEqual(['hook.made', 'hook.made']);
  });

  it('keeps a secret that the caller brings, and never shows it', async () => {
    const world = await open({ isIdle: true });
    const body = { signature: 'hmac', secret: 'swordfish-7391' };
    const made = await change(world, ONE, body);
    expect(made.read(madeSchema)).toMatchObject({ signature: 'hmac', secret: null });
    expect((await world.request(ONE)).text).not.toContain('swordfish');
    expect((await world.files()).join('')).not.toContain('swordfish');
    const unknown = await change(world, `${ONE}/rotate`, { signature: 'hubspot' });
    expect(unknown.status).toBe(422);
    expect(unknown.read(errorSchema).error.code).toBe('hook_secret_missing');
  });

  it('is revoked only after its preview, and the record of its calls goes with it', async () => {
    const world = await open({ isIdle: true });
    const { url } = (await change(world, ONE, {})).read(madeSchema);
    await call(world, url);
    const unseen = await change(world, ONE, undefined, 'DELETE');
    expect(unseen.status).toBe(422);
    expect(unseen.read(errorSchema).error.code).toBe('preview_missing');
    expect(await call(world, url)).toBe(202);
    const { preview } = (await change(world, `${ONE}/preview`)).read(previewSchema);
    expect(preview.question).toContain('riverside');
    const digest = encodeURIComponent(preview.digest);
    const revoked = await change(world, `${ONE}?digest=${digest}`, undefined, 'DELETE');
    expect(JSON.parse(revoked.text)).toEqual({ revoked: 'riverside' });
    expect(await call(world, url)).toBe(404);
    expect((await world.request(ONE)).read(shownSchema)).toMatchObject({
      ...{ webhook: null, calls: [] },
    });
    expect((await change(world, `${ONE}/preview`)).status).toBe(404);
    expect(await actions(world)).toEqual(['hook.revoked', 'hook.made']);
  });

  it('is created, rotated and revoked on its page, which no browser keeps', async () => {
    const world = await open({ isIdle: true });
    const page = '/clients/riverside/webhooks';
    const made = await press(world, page, { signature: 'none', secret: '' });
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(await made.text()).toMatch(/\/hooks\/riverside\/[\w-]{43}/);
    const again = await press(world, page, { signature: 'none', secret: '' });
    expect(again.status).toBe(409);
    expect(await again.text()).toContain('already has a webhook address');
    const rotated = await press(world, `${page}/rotate`, { signature: 'hmac', secret: '' });
    expect(await rotated.text()).toContain('Signing secret');
    const shown = await world.request(page);
    expect(shown.text).toContain(`action="${page}/rotate"`);
    const revoked = await press(world, `${page}/revoke`);
    expect(revoked.headers.get('location')).toBe(`${page}?note=revoked`);
    expect((await press(world, `${page}/revoke`)).status).toBe(404);
    expect((await world.request(page)).text).toContain(`action="${page}"`);
  });
});
