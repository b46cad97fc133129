import { describe, expect, it } from 'vitest';
import { ask, startService } from './service.ts';

const NOW = Date.parse('2026-07-01T12:00:00Z');

describe('limits (section 8)', () => {
  it('the service accepts ten simultaneous requests on any endpoint, and returns 429 for the eleventh (8)', async () => {
    const service = await startService({ rate: 10, clock: () => NOW });
    const paths = ['/credits', '/test', '/lists', '/search?state=TX', '/networks'];
    for (let request = 0; request < 10; request += 1) {
      expect((await ask(service, 'GET', paths[request % paths.length] ?? '')).status).toBe(200);
    }
    for (const path of paths) {
      expect(await ask(service, 'GET', path)).toEqual({
        status: 429,
        body: { detail: expect.any(String) },
      });
    }
  });

  it('the service accepts ten more requests one second later (8)', async () => {
    let nowMs = NOW;
    const service = await startService({ rate: 10, clock: () => nowMs });
    const statuses = async () => {
      const answers: number[] = [];
      for (let request = 0; request < 11; request += 1) {
        answers.push((await ask(service, 'GET', '/credits')).status);
      }
      return answers;
    };
    const tenAndOne = [...Array(10).fill(200), 429];
    expect(await statuses()).toEqual(tenAndOne);
    nowMs += 1000;
    expect(await statuses()).toEqual(tenAndOne);
  });
});

describe('versioning (section 9)', () => {
  it('the service uses a base path with the version v1 and the segment partners (9)', async () => {
    const service = await startService();
    expect(new URL(service.baseUrl).pathname).toBe('/v1/partners');
    expect((await ask(service, 'GET', '/credits')).status).toBe(200);
  });
});
