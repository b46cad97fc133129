import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clientHref } from '../../../src/interfaces/pages/home/client-href.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { openHttpWorld } from './http-world.ts';

const open = closedAfterTest(openHttpWorld);

const startedSchema = z.looseObject({ run: z.looseObject({ id: z.string() }) });
const shownSchema = z.object({
  run: z.looseObject({
    contacts: z.looseObject({ written: z.int() }),
    valuesWaiting: z.object({
      values: z.int(),
      reasons: z.array(z.looseObject({ field: z.string(), cause: z.string(), text: z.string() })),
    }),
  }),
});

describe('values that wait to be written', () => {
  it('are in the report of a run, on its page and on that of the client, and gone once they are written', async () => {
    const here = await open();
    const ids = await here.addPeople(8);
    for (const id of ids) here.crm.refuseField(id, 'Donor Age');
    const sync = async () => {
      const answer = await here.request('/v1/integrations/riverside/runs', { method: 'POST' });
      expect(answer.status, answer.text).toBe(202);
      const { id } = answer.read(startedSchema).run;
      await here.untilEnded(id);
      return id;
    };
    const id = await sync();
    const { run } = (await here.request(`/v1/runs/${id}`)).read(shownSchema);
    const { values, reasons } = run.valuesWaiting;
    expect(values).toBeGreaterThan(3);
    expect(reasons).toMatchObject([{ field: 'Donor Age', cause: 'refused' }]);
    for (const path of [`/runs/${id}`, clientHref('riverside')]) {
      const { status, text } = await here.request(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain(`${values} values are waiting to be written`);
      expect(text).toContain(
        `${values} values of Donor Age are waiting to be written: the CRM refuses`,
      );
      expect(text).toContain('at no cost');
    }
    for (const each of ids) here.crm.allowWrites(each);
    const later = await sync();
    expect((await here.request(`/v1/runs/${later}`)).read(shownSchema).run.valuesWaiting).toEqual({
      values: 0,
      reasons: [],
    });
    for (const path of [`/runs/${later}`, clientHref('riverside')]) {
      expect((await here.request(path)).text).not.toContain('waiting to be written');
    }
    // The first run's page shows that it has ended.
    expect((await here.request(`/runs/${id}`)).text).toContain('waiting to be written');
  });
});
