import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { raiseAlert } from '../../src/clients/statements/alerts.ts';
import { expectSound, openRooms } from './rooms.ts';

const { openWorld, visit } = openRooms();

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a stand-in for a chat. It receives messages and responds with the status that the test sets. */
async function openChat(status: number) {
  const messages: string[] = [];
  const server = createServer(async (request, response) => {
    messages.push(await text(request));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const address = server.address();
  const port = isPort(address) ? address.port : 0;
  return { messages, url: `http://127.0.0.1:${port}/chat` };
}

function isPort(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

describe('the page of alerts', () => {
  it('says where no one is notified', async () => {
    const world = await openWorld({ isIdle: true });
    const view = await visit(world, '/clients/riverside/alerts');
    await view.page.getByRole('heading', { name: 'No one is notified' }).waitFor();
    expect(await view.page.getByRole('button', { name: 'Test' }).count()).toBe(0);
    await expectSound(view);
  });

  it('shows the rules and what there was, and sends a test at a button', async () => {
    const chat = await openChat(200);
    const alerts = { webhook: { url: chat.url }, failedAbovePercent: 20 };
    const world = await openWorld({ isIdle: true, alerts });
    await raiseAlert(world.application.store.connection, 'riverside', 'credits_low/enhancements');
    const view = await visit(world, '/clients/riverside/alerts');
    const { page } = view;
    const rule = page.getByRole('row', { name: /more than 20 % of the contacts of a run failed/ });
    expect(await rule.innerText()).toContain('on');
    await page
      .getByRole('row', { name: /few credits are left \(enhancements\) continues/ })
      .waitFor();
    expect(await page.content()).not.toContain(chat.url);
    await expectSound(view);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('the message was accepted.').waitFor();
    expect(chat.messages).toHaveLength(1);
    expect(chat.messages[0]).toContain('There is no problem.');
    await expectSound(view);
  });

  it('says why a test did not arrive, without the address', async () => {
    const chat = await openChat(500);
    const world = await openWorld({ isIdle: true, alerts: { webhook: { url: chat.url } } });
    const { page } = await visit(world, '/clients/riverside/alerts');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The webhook responded with status 500.').waitFor();
    expect(await page.content()).not.toContain(chat.url);
  });
});
