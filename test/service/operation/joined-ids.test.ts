import { expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../service/database.ts';
import { decideReview } from '../../../service/record/decide-reviews.ts';
import { openReviews } from '../../../service/record/reviews.ts';
import { send } from '../../testbed/asking.ts';
import { startRunning } from './running.ts';

it('a donor whose id was joined is compared, listed and described under the id that the caller knows', async () => {
  const running = await startRunning(['alpha']);
  await running.close();
  const db = openDatabase(running.file);
  openReviews(db).add({ one: 0, other: 1, probability: 0.9, reasons: [], atMs: 0 });
  const [kept = '', joined = '', member = ''] = db
    .prepare<[], string>('select id from record_donors order by number')
    .pluck()
    .all();
  decideReview(db, { ids: [kept, joined], decision: 'one person' }, Date.now);
  db.close();
  const { baseUrl } = await running.again();
  const headers = { 'x-api-key': running.keys[0] ?? '' };
  const post = async (path: string, body: unknown) =>
    (await send(baseUrl + path, 'POST', { body, headers })).body;

  const network = z
    .object({ network_id: z.string() })
    .parse(await post('/networks', { name: 'Board', color: 'teal' })).network_id;
  await post(`/networks/${network}/members`, { donor_id: member });
  const strengths = async (donor_ids: string[]) =>
    z
      .object({
        prospects: z.array(
          z.object({ donor: z.object({ id: z.string() }), max_strength: z.number() }),
        ),
      })
      .parse(await post('/networks/connections', { donor_ids }))
      .prospects.map(({ donor, max_strength }) => [donor.id, max_strength > 0.45]);
  expect(await strengths([joined])).toEqual([[joined, true]]);
  expect(await strengths([joined, kept])).toEqual([
    [kept, true],
    [joined, true],
  ]);

  const list = z
    .object({ list_id: z.string() })
    .parse(await post('/lists', { name: 'Gala' })).list_id;
  const add = () => post(`/lists/${list}/donors`, { donor_ids: [joined] });
  expect(await add()).toMatchObject({ added_ids: [joined], already_listed_ids: [] });
  expect(await add()).toMatchObject({ added_ids: [], already_listed_ids: [joined] });
  expect(await post('/donors/metadata/batch', { donor_ids: [joined] })).toMatchObject({
    donors: [{ id: joined }],
    not_found_ids: [],
  });
});
