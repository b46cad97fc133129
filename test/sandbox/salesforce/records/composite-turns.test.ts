import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, BASE_PATH, codesOf, column, contactIds, startOrg, update } from '../org.ts';

const responseSchema = z.object({
  compositeResponse: z.array(
    z.object({ httpStatusCode: z.number(), referenceId: z.string(), body: z.unknown() }),
  ),
});

describe('a composite request that is kept whole or not at all', () => {
  it('takes back its updates, and no write of another request', async () => {
    const org = await startOrg();
    const [probed = '', other = ''] = await contactIds(org, 2);
    const soql = encodeURIComponent(`SELECT Title FROM Contact WHERE Id = '${probed}'`);
    const request = {
      allOrNone: true,
      compositeRequest: [
        ...Array.from({ length: 20 }, (_, number) => ({
          method: 'PATCH',
          url: `${BASE_PATH}/sobjects/Contact/${probed}`,
          referenceId: `trial${number}`,
          body: { Title: `Trial ${number}` },
        })),
        { method: 'GET', url: `${BASE_PATH}/query?q=${soql}`, referenceId: 'look' },
        {
          method: 'PATCH',
          url: `${BASE_PATH}/sobjects/Contact/003000000000000AAA`,
          referenceId: 'never',
          body: { Title: 'x' },
        },
      ],
    };
    const before = await column(org, `SELECT Title FROM Contact WHERE Id = '${probed}'`, 'Title');
    const composites = Array.from({ length: 4 }, () =>
      ask(org, 'POST', '/composite', { body: request }),
    );
    const writes = Array.from({ length: 20 }, (_, number) =>
      update(org, [{ id: other, Title: `Kept ${number}` }]),
    );
    for (const results of await Promise.all(writes)) expect(codesOf(results)).toEqual([null]);
    for (const { body } of await Promise.all(composites)) {
      const { compositeResponse } = responseSchema.parse(body);
      expect(compositeResponse.at(-1)).toMatchObject({
        httpStatusCode: 404,
        body: [{ errorCode: 'NOT_FOUND' }],
      });
      expect(compositeResponse.slice(0, -1).map((one) => one.httpStatusCode)).toEqual(
        Array.from({ length: 21 }, () => 400),
      );
    }
    const titles = (id: string) =>
      column(org, `SELECT Title FROM Contact WHERE Id = '${id}'`, 'Title');
    expect(await titles(probed)).toEqual(before);
    expect(await titles(other)).toEqual([expect.stringMatching(/^Kept /)]);
  });
});
