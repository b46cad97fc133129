import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { fixedAddress } from '../../../src/interfaces/api/request/address-book.ts';
import { createGuardedApp } from '../../../src/interfaces/api/request/guards.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, openHttpWorld } from './http-world.ts';

const open = closedAfterTest(() => openHttpWorld({ isIdle: true }));

const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('an address that leads nowhere', () => {
  it('is a page for browsers, which leads on', async () => {
    const world = await open();
    const answer = await fetch(`${world.url}/nothing`, { headers: { Accept: BROWSER } });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    const page = await answer.text();
    expect(page).toContain('There is nothing here.');
    expect(page).toMatch(/<a [^>]*href="\/"[^>]*>To the overview<\/a>/);
    // The page has the frame, with the areas that the caller can access.
    expect(page).toContain('aria-label="Areas"');
    const styles = /href="([^"]+\.css[^"]*)"/.exec(page)?.[1] ?? '';
    expect((await fetch(`${world.url}${styles}`)).status).toBe(200);
  });

  it.each([['*/*'], ['application/json'], ['application/json, text/html;q=0.5'], ['']])(
    'stays a document for programs (Accept: %s)',
    async (accept) => {
      const world = await open();
      const answer = await fetch(`${world.url}/v1/nothing`, { headers: { Accept: accept } });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(errorSchema.parse(await answer.json()).error.code).toBe('not_found');
    },
  );
});

describe('an error inside the service', () => {
  it('is a page for browsers and a document for programs, and tells its id alone', async () => {
    const publicUrl = 'http://127.0.0.1:8787';
    const app = createGuardedApp({
      clock: systemClock,
      log: silentLog,
      address: fixedAddress(publicUrl),
    });
    app.get('/broken', () => {
      throw new Error('the secret of the inside <script>');
    });
    const page = await app.request('/broken', { headers: { Accept: BROWSER } });
    expect(page.status).toBe(500);
    const text = await page.text();
    expect(text).toContain('An internal error occurred. Its ID is');
    expect(text).not.toContain('secret of the inside');
    const document = await app.request('/broken');
    expect(document.status).toBe(500);
    expect(errorSchema.parse(await document.json()).error.code).toBe('internal_error');
  });
});
