import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';
import { ROUTES } from './route-table.ts';

const open = closedAfterTest(openHttpWorld);

/** These pages need no run, hold or question. */
const PAGES = Object.entries(ROUTES).flatMap(([name, { isPage, path, about = 'list' }]) => {
  const [method, pattern = ''] = name.split(' ');
  if (method !== 'GET' || !isPage || !['list', 'all', 'integration'].includes(about)) return [];
  return [(path ?? pattern).replace(':id', 'riverside')];
});

describe('every page', () => {
  it('lets a signed-in user sign out', async () => {
    const here = await open({ isIdle: true, isPublic: true });
    const token = await here.addToken('owner');
    const body = new URLSearchParams({ token });
    const signedIn = await fetch(`${here.url}/sign-in`, {
      ...{ method: 'POST', redirect: 'manual', headers: { origin: here.url }, body },
    });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    const seen: string[] = [];
    for (const path of PAGES) {
      const page = await fetch(here.url + path, { redirect: 'manual', headers: { cookie } });
      const text = await page.text();
      if (page.status !== 200 || !page.headers.get('content-type')?.includes('text/html')) continue;
      seen.push(path);
      expect(text, path).toContain('action="/sign-out"');
    }
    expect(seen.length).toBeGreaterThan(12);
  });
});
