import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from './test-client.ts';
import { json, startService, startTestService } from './test-service.ts';

describe('test', () => {
  it('passes on 200 whatever the body holds', async () => {
    const { baseUrl, received } = await startService(() => new Response('OK'));
    await aClient(baseUrl).test();
    expect(received.map(({ path }) => path)).toEqual(['/test']);
  });

  it('says that the key is not known', async () => {
    const { baseUrl } = await startService(json({ message: 'Forbidden' }, 403));
    expect(await rejectionOf(aClient(baseUrl).test())).toMatchObject({
      code: 'partner_key_rejected',
    });
  });
});

describe('health', () => {
  it('tells healthy, unhealthy and unknown areas apart', async () => {
    const { baseUrl } = await startTestService(({ path }) =>
      path === '/donors/health'
        ? new Response(null, { status: 200 })
        : new Response(null, { status: 503 }),
    );
    expect(await aClient(baseUrl).health()).toEqual([
      { area: 'donors', state: 'healthy' },
      { area: 'search', state: 'unhealthy' },
    ]);
  });

  it('does not know the health of a service without health checks', async () => {
    const { baseUrl } = await startService(json({ detail: 'Not Found' }, 404));
    const states = (await aClient(baseUrl).health()).map(({ state }) => state);
    expect(states).toEqual(['unknown', 'unknown']);
  });

  it('rejects when the key is the matter', async () => {
    const { baseUrl } = await startService(json({ detail: 'expired' }, 401));
    expect(await rejectionOf(aClient(baseUrl).health())).toMatchObject({
      code: 'partner_key_expired',
    });
  });
});
