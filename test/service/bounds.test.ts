import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, issueKey, startPartner, strangers } from './partner.ts';

const listOfItems = z.object({ detail: z.array(z.unknown()) });

describe('the bounds of a request', () => {
  it('refuses a body of 20 MB with 400, and charges nothing', async () => {
    const partner = await startPartner();
    const before = await ask(partner, 'GET', '/credits');
    const persons = [{ name: { first: 'Ann', last: 'x'.repeat(20_000_000) } }];
    const { status, body } = await ask(partner, 'POST', '/enhancements', { persons });
    expect(status).toBe(400);
    expect(body).toEqual({ detail: expect.stringContaining('too large') });
    expect((await ask(partner, 'GET', '/credits')).body).toEqual(before.body);
  });

  it.each([
    ['takes', 1_000, 202],
    ['refuses, as it would with its size,', 3_000_000, 400],
  ])('%s a body of about %i bytes that does not tell its size', async (_, bytes, status) => {
    const partner = await startPartner();
    const persons = [{ name: { first: 'Ann', last: 'x'.repeat(bytes) } }];
    const response = await fetch(`${partner.baseUrl}/enhancements`, {
      method: 'POST',
      headers: { 'x-api-key': partner.apiKey, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ persons })]).stream(),
      duplex: 'half',
    });
    expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
  });

  it.each([
    ['of a list', (deep: string) => deep],
    ['in a person', (deep: string) => `{"persons":[${deep}]}`],
    ['in a name', (deep: string) => `{"persons":[{"name":${deep}}]}`],
    ['that is not closed', (deep: string) => deep.slice(0, 100_000)],
  ])('refuses the 100,000 levels %s with 400', async (_, around) => {
    const partner = await startPartner();
    const text = around('['.repeat(100_000) + ']'.repeat(100_000));
    expect(await sendText(partner, '/enhancements', text)).toEqual({
      status: 400,
      body: { detail: expect.stringContaining('too deep') },
    });
  });

  it('reads brackets in a text as text', async () => {
    const partner = await startPartner();
    const persons = [{ name: { first: `\\"${'['.repeat(1000)}`, last: 'Lee' } }];
    expect((await ask(partner, 'POST', '/enhancements', { persons })).status).toBe(202);
  });

  it('refuses more values than any request needs with 400', async () => {
    const partner = await startPartner();
    const text = `{"persons":[{"name":{"first":"a","last":"b"},"addresses":[${'1,'.repeat(900_000)}1]}]}`;
    expect(await sendText(partner, '/enhancements', text)).toEqual({
      status: 400,
      body: { detail: expect.stringContaining('Too many items') },
    });
  });

  it('names a hundred faults of a body at most', async () => {
    const partner = await startPartner();
    const persons = [{ name: { first: 'a' }, addresses: Array(20_000).fill(1) }];
    const { status, body } = await ask(partner, 'POST', '/enhancements', { persons });
    expect(status).toBe(422);
    expect(listOfItems.parse(body).detail).toHaveLength(100);
  });

  it('takes ten ties in a search, and refuses the eleventh', async () => {
    const partner = await startPartner();
    const search = (count: number) =>
      ask(partner, 'POST', '/search', { filters: { ties: Array(count).fill({ title: 'clerk' }) } });
    expect((await search(10)).status).toBe(200);
    expect((await search(11)).status).toBe(422);
  });

  it('answers another key while one key searches and submits', async () => {
    const partner = await startPartner({ donors: 1500 });
    const other = await issueKey(partner, { team: 'other' });
    const ended: string[] = [];
    const heavy = Array.from({ length: 6 }, async (_, index) => {
      const isSearch = index % 2 === 0;
      await (isSearch
        ? ask(partner, 'POST', '/search', { filters: { min_age: 18, ties: [{}, {}] } })
        : ask(partner, 'POST', '/enhancements', { persons: strangers(30) }));
      ended.push('heavy');
    });
    const light = ask(partner, 'GET', '/test', undefined, other.apiKey).then(() =>
      ended.push('light'),
    );
    await Promise.all([...heavy, light]);
    expect(ended.indexOf('light')).toBeLessThan(ended.length - 2);
  });
});

async function sendText(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  path: string,
  text: string,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: text,
  });
  return { status: response.status, body: await response.json() };
}
