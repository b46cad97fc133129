/** Tests that pages are compressed only for browsers that accept compression. */
import { expect, it } from 'vitest';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

it.each([
  ['gzip, deflate, br', 'gzip'],
  ['*', 'gzip'],
  ['br', null],
  ['gzip;q=0, *', null],
  ['identity', null],
])('sends a page for `Accept-Encoding: %s` as %s', async (accepted, encoding) => {
  const { url } = await open({ isIdle: true });
  const response = await fetch(`${url}/runs`, { headers: { 'accept-encoding': accepted } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-encoding')).toBe(encoding);
  expect(response.headers.get('vary')).toContain('Accept-Encoding');
  expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
  expect(await response.text()).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/);
});

it('keeps the status and the other headers of a page', async () => {
  const { url } = await open({ isIdle: true });
  const [plain, compressed] = await Promise.all(
    ['identity', 'gzip'].map((encoding) =>
      fetch(`${url}/runs/00000000-0000-7000-8000-000000000000`, {
        headers: { 'accept-encoding': encoding },
      }),
    ),
  );
  expect([plain?.status, compressed?.status]).toEqual([404, 404]);
  const names = (response: Response | undefined) =>
    [...(response?.headers.keys() ?? [])].filter(
      (name) => !['content-encoding', 'content-length', 'transfer-encoding'].includes(name),
    );
  expect(names(compressed)).toEqual(names(plain));
  expect(await compressed?.text()).toBe(await plain?.text());
});
