import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { expectSound, openRooms } from './rooms.ts';

const { openWorld, visit } = openRooms();

/** Calls an address with a signature that uses a secret. Returns the status. */
async function call(world: HttpWorld, url: string, secret: string): Promise<number> {
  const path = new URL(url).pathname;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signed = createHmac('sha256', secret).update(`v2\n${timestamp}\n${url}\n{}`).digest('hex');
  const headers = {
    'x-donor-sync-timestamp': timestamp,
    'x-donor-sync-signature': `v2=${signed}`,
  };
  const answer = await world.request(path, { method: 'POST', headers, body: {} });
  return answer.status;
}

describe('the page of webhooks', () => {
  it('makes an address and shows it once; rotated, the old address and the old secret are refused', async () => {
    const world = await openWorld();
    const view = await visit(world, '/clients/riverside/webhooks');
    const { page } = view;
    await page.getByText('There is no address yet').waitFor();
    await expectSound(view);
    const read = async () => {
      await page.getByRole('heading', { name: 'Save this now' }).waitFor();
      const [url = '', secret = ''] = await page.locator('.made dd code').allInnerTexts();
      return { url, secret };
    };
    await page.getByLabel('Calls are').selectOption('hmac');
    await page.getByRole('button', { name: 'Create an address' }).click();
    const first = await read();
    await expectSound(view);
    expect(await call(world, first.url, first.secret)).toBe(202);

    await page.goto(`${world.url}/clients/riverside/webhooks`);
    expect(await page.content()).not.toContain(first.secret);
    await page.getByText('accepted: a run processes it').waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    const second = await read();
    expect(second.secret).not.toBe(first.secret);
    expect(await call(world, first.url, first.secret)).toBe(404);
    expect(await call(world, second.url, first.secret)).toBe(401);
    expect(await call(world, second.url, second.secret)).toBe(202);

    await page.goto(`${world.url}/clients/riverside/webhooks`);
    await page.getByText('refused: it was signed with another secret').waitFor();
    await expectSound(view);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The address was revoked.').waitFor();
    expect(await call(world, second.url, second.secret)).toBe(404);
    const audit = await world.request('/v1/audit?limit=10');
    expect(audit.text).toContain('hook.revoked');
    expect(audit.text).not.toContain(second.secret);
  });

  it('counts calls that are answered alike in one line', async () => {
    const world = await openWorld({ isIdle: true });
    const path = await world.addHook();
    for (let index = 0; index < 7; index += 1) {
      expect((await world.request(path, { method: 'POST' })).status).toBe(202);
    }
    const view = await visit(world, '/clients/riverside/webhooks');
    const row = view.page.getByRole('row', { name: /accepted: a run processes it/ });
    expect(await row.innerText()).toMatch(/none\s+7$/);
    await expectSound(view);
  });

  it('works without JavaScript', async () => {
    const world = await openWorld({ isIdle: true });
    const { page } = await visit(world, '/clients/riverside/webhooks', {
      javaScriptEnabled: false,
    });
    await page.getByRole('button', { name: 'Create an address' }).click();
    await page.getByRole('heading', { name: 'Save this now' }).waitFor();
  });
});
