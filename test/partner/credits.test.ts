import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from './test-client.ts';
import { json, startService } from './test-service.ts';

const BALANCES = { donors: 1, enhancements: 2, exports: 3, lists: 4, networks: 5, searches: 0 };

describe('readCredits', () => {
  it('reads the six balances and ignores what else is there', async () => {
    const { baseUrl } = await startService(json({ ...BALANCES, plan: 'gold' }));
    expect(await aClient(baseUrl).readCredits()).toEqual(BALANCES);
  });

  it.each([
    ['networks', { ...BALANCES, networks: undefined }],
    ['enhancements', { ...BALANCES, enhancements: '2' }],
    ['searches', { ...BALANCES, searches: null }],
  ])('names %s and the endpoint when that balance cannot be read', async (bucket, body) => {
    const { baseUrl, received } = await startService(json(body));
    const error = await rejectionOf(aClient(baseUrl).readCredits());
    expect(error).toMatchObject({ code: 'partner_reply_unreadable' });
    expect(String(error)).toContain(`GET /credits`);
    expect(String(error)).toContain(`${bucket} is missing or malformed`);
    expect(received).toHaveLength(5);
  });
});
