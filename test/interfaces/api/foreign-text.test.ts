import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { foreignText } from '../../../src/core/foreign-text.ts';
import { ACTING, ACTS } from '../../helpers/acting.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.object({ run: z.object({ id: z.string() }) });

describe('what a CRM says', () => {
  it('is shown to admins on the page of its run, and stands nowhere else', async () => {
    const here = await open({ name: `River${ACTS}side` });
    const ids = await here.addPeople(4);
    const words = foreignText(`Ask${ACTS} Quartermain <b>about</b> $4,200,000`, { code: 'RULE' });
    for (const id of ids) here.crm.refuseWrites(id, { code: 'RULE', message: 'A rule.', words });
    const [admin, viewer] = [await here.addToken('admin'), await here.addToken('viewer')];
    const post = { method: 'POST', token: admin };
    const started = await here.request('/v1/integrations/riverside/runs', post);
    const { id } = started.read(startedSchema).run;
    await here.untilEnded(id);

    const shown = await here.request(`/runs/${id}`, { token: admin });
    expect(shown.text).toContain('Ask Quartermain &lt;b&gt;about&lt;/b&gt; $4,200,000');
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const others = [
      (await here.request(`/runs/${id}`, { token: viewer })).text,
      (await here.request('/', { token: admin })).text,
      (await here.request(`/v1/runs/${id}`, { token: admin })).text,
      (await here.request('/v1/holds', { token: admin })).text,
      (await here.request('/metrics', { token: admin })).text,
      here.logLines.join(''),
    ];
    expect(others[0]).toContain('the CRM refused the values');
    for (const text of others) expect(text).not.toMatch(/Quartermain|4,200,000/);
    for (const text of [shown.text, ...others.slice(0, 2), ...others.slice(4)]) {
      expect(text).not.toMatch(ACTING);
    }
    expect(shown.text).toContain('A run of Riverside');
  });
});
