/**
 * The routes for associations in API version 3. Version 3 identifies kinds of associations by name, and its responses
 * have a different form.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import type { Failure } from '../account/record-writes.ts';
import type { ObjectType } from '../core/object-type.ts';
import { kindName, kindNamed, namedKinds } from '../records/association-types.ts';
import { createRouter, type HubspotEnv, readBody } from '../requests/context.ts';
import {
  checkCount,
  end,
  MAX_INPUTS_READ,
  MAX_INPUTS_WRITTEN,
  MAX_PAGE,
  nothingTied,
  pageOf,
  sortOut,
  tie,
  toPair,
  typesInPath,
  untie,
} from './association-routes.ts';
import { batchAnswer } from './batch-answer.ts';

/**
 * Returns the routes for batches of associations, and for the kinds of associations. The routes belong to
 * `/crm/v3/associations/{from}/{to}`.
 */
export function olderAssociationRoutes(account: Account): Hono<HubspotEnv> {
  const { associations, clock } = account;
  const router = createRouter();

  function answer(results: readonly unknown[], failures: readonly Failure[], status = 200) {
    return batchAnswer({ results, failures, startedAtMs: clock(), completedAtMs: clock() }, status);
  }

  router.get('/types', (c) => c.json({ results: namedKinds(typesInPath(c, 'read').from) }));
  router.post('/batch/read', async (c) => {
    const { from } = typesInPath(c, 'read');
    const { inputs } = await readBody(c, recordsBody);
    checkCount(inputs, MAX_INPUTS_READ);
    const failures: Failure[] = [];
    const results = inputs.flatMap(({ id }) => {
      const { page, next } = pageOf(associations.list(from, id), undefined, MAX_PAGE);
      if (page.length === 0) failures.push(nothingTied(from, id));
      const to = page.flatMap((one) =>
        one.kinds.map((kind) => ({ id: one.id, type: kindName(from, kind) })),
      );
      const paging = next === undefined ? {} : { paging: { next: { after: next } } };
      return page.length === 0 ? [] : [{ from: { id }, to, ...paging }];
    });
    return answer(results, failures);
  });
  router.post('/batch/create', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, tiesBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    const { present, failures } = sortOut(account, from, withKinds(from, inputs));
    const results = present.map(({ pair, kind, ...input }) => {
      tie(account, c, pair, kind === 'primary');
      return input;
    });
    return answer(results, failures, 201);
  });
  router.post('/batch/archive', async (c) => {
    const { from } = typesInPath(c, 'write');
    const { inputs } = await readBody(c, tiesBody);
    checkCount(inputs, MAX_INPUTS_WRITTEN);
    for (const { from: one, to, kind } of withKinds(from, inputs)) {
      untie(account, c, toPair(from, one.id, to.id), [kind]);
    }
    return c.body(null, 204);
  });
  return router;
}

const recordsBody = z.object({ inputs: z.array(end) });
const tiesBody = z.object({ inputs: z.array(z.object({ from: end, to: end, type: z.string() })) });

/** The kinds are checked before any change, because HubSpot rejects the whole batch if one name is unknown. */
function withKinds<Input extends { type: string }>(from: ObjectType, inputs: readonly Input[]) {
  return inputs.map((input) => ({ ...input, kind: kindNamed(from, input.type) }));
}
