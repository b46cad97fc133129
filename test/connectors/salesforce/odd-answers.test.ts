import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { openScriptedSalesforce, type ScriptedSalesforce } from './scripted-salesforce.ts';

const DESCRIBE = '/sobjects/Contact/describe';

describe('a Salesforce that is busy, or not there', () => {
  let crm: ScriptedSalesforce;
  let waits: number[];
  const clock = {
    now: systemClock.now,
    async sleep(ms: number) {
      waits.push(ms);
    },
  };

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    waits = [];
  });

  afterEach(() => crm.close());

  function refuseOnce(headers: Record<string, string>): void {
    let refused = false;
    crm.script(({ path }) => {
      if (path !== DESCRIBE || refused) return null;
      refused = true;
      return { status: 503, headers, body: '' };
    });
  }

  it.each([
    ['for as many seconds as it asks for', { 'retry-after': '7' }, 7_000],
    [
      'until the date it names, by its own clock',
      {
        'retry-after': 'Fri, 20 Nov 2026 05:00:03 GMT',
        date: 'Fri, 20 Nov 2026 05:00:00 GMT',
      },
      3_000,
    ],
    ['a minute at most', { 'retry-after': '86400' }, 60_000],
    ['as long as usual where it names no time', {}, 250],
  ])('is waited for, %s', async (_, headers, waitMs) => {
    refuseOnce(headers);
    await crm.connector({}, { clock });
    expect(waits).toEqual([waitMs]);
  });

  it('is known by the page of a proxy that stands in its place', async () => {
    crm.script(({ path }) =>
      path === DESCRIBE
        ? { headers: { 'content-type': 'text/html' }, body: '<html>Back soon</html>' }
        : null,
    );
    await expect(crm.connector({}, { clock })).rejects.toMatchObject({
      kind: 'retriable',
      code: 'crm_unavailable',
    });
  });
});
