/** Tests the conformance kit's proxy, which tells other tests what a connector has sent. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../connectors/testing/proxy.ts';

let proxy: FaultProxy;
const server = createServer((_, response) => response.end('{}'));

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  proxy = await startFaultProxy(`http://127.0.0.1:${port}`);
});

afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the proxy with faults', () => {
  it('lets a user act around one request at a time, even if several are sent at once', async () => {
    const steps: string[] = [];
    proxy.around({
      async before() {
        steps.push('before');
        await sleep(5);
      },
      async after() {
        steps.push('after');
      },
    });
    const replies = await Promise.all([1, 2, 3].map(() => fetch(proxy.url)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(steps).toEqual(['before', 'after', 'before', 'after', 'before', 'after']);
  });

  it('continues if a step of a user fails', async () => {
    let steps = 0;
    const before = async () => {
      steps += 1;
      if (steps === 1) throw new Error('This step fails.');
    };
    proxy.around({ before, after: async () => {} });
    await expect(fetch(proxy.url)).rejects.toThrow();
    expect((await fetch(proxy.url)).status).toBe(200);
  });

  it('finds keys in headers, addresses, forms and JSON', async () => {
    const type = (name: string) => ({ 'content-type': `application/${name}` });
    const post = (headers: Record<string, string>, body: string) =>
      fetch(proxy.url, { method: 'POST', headers, body });
    await fetch(`${proxy.url}/?access_token=in-address`, {
      headers: { authorization: 'Bearer in-header' },
    });
    await post(type('x-www-form-urlencoded'), 'client_secret=in-the-form&note=not-a-key');
    await post(type('json'), '{"sign":[{"apiKey":"in-json"}],"key":"a_field","note":"nothing"}');
    await post(type('json'), '{"password":');
    expect(proxy.secrets()).toEqual(['in-header', 'in-address', 'in-the-form', 'in-json']);
  });
});
