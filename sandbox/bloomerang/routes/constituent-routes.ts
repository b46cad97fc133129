/** The routes below `/constituents` and `/constituent`. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import { constituentBody, householdBody } from '../account/bodies.ts';
import { fullName } from '../account/constituent.ts';
import type { ListQuery } from '../account/constituents.ts';
import {
  communicationSchema,
  constituentInputSchema,
  createConstituent,
  readInput,
  updateCommunication,
  updateConstituent,
} from '../account/writes.ts';
import { invalid, notFound } from '../core/errors.ts';
import type { BloomerangEnv } from '../requests/context.ts';
import { listBody, pageOf, readIds, readPage, readTime } from './lists.ts';

const ORDERS = {
  Id: 'id',
  CreatedDate: 'created_at_ms',
  LastModifiedDate: 'modified_at_ms',
} as const satisfies Record<string, ListQuery['orderBy']>;

const querySchema = z.object({
  type: z.enum(['Individual', 'Organization']).optional(),
  orderBy: z.enum(['Id', 'CreatedDate', 'LastModifiedDate']).default('Id'),
  orderDirection: z.enum(['Asc', 'Desc']).default('Asc'),
});

const duplicateSchema = z.object({
  FirstName: z.string().optional(),
  LastName: z.string().optional(),
  EmailAddress: z.string().optional(),
});

export function constituentRoutes(account: Account): Hono<BloomerangEnv> {
  const { constituents, households, variant } = account;
  const routes = new Hono<BloomerangEnv>();

  routes.get('/constituents', (c) => {
    const query = c.req.query();
    const parsed = querySchema.safeParse(query);
    if (!parsed.success) throw invalid('type, orderBy or orderDirection is unknown.');
    const page = readPage(query, variant.current());
    const { customFieldId, customFieldValue } = query;
    const { rows, ...totals } = constituents.list({
      type: parsed.data.type,
      ids: readIds(query['id']),
      modifiedAfterMs: readTime(query['lastModified'], variant.current()),
      custom:
        customFieldId === undefined
          ? undefined
          : { fieldId: customFieldId, value: customFieldValue ?? '' },
      orderBy: ORDERS[parsed.data.orderBy],
      descending: parsed.data.orderDirection === 'Desc',
      ...page,
    });
    const results = rows.map((row) => constituentBody(account, row));
    return c.json(listBody(results, { ...totals, skip: page.skip }));
  });

  routes.get('/constituents/search', (c) => {
    const query = c.req.query();
    const words = (query['search'] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const type = query['type'];
    // The search finds a text in any part of a word.
    const isFound = (name: string) => words.some((word) => name.toLowerCase().includes(word));
    const people = constituents
      .all()
      .filter((each) => type === undefined || each.type === type)
      .filter((each) => isFound(fullName({ ...each.body, Type: each.type })))
      .map((each) => () => constituentBody(account, each));
    const homes = households
      .all()
      .filter(({ name }) => (type === undefined || type === 'Household') && isFound(name))
      .map((each) => () => householdBody(each, variant.current()));
    const page = readPage(query, variant.current());
    const all = [...people, ...homes];
    return c.json(pageOf(all, all.length, page, (toBody) => toBody()));
  });

  routes.post('/constituent/duplicates', async (c) => {
    const wanted = readInput(duplicateSchema, await c.req.json());
    const found = constituents
      .all()
      .filter(
        ({ body }) => body.FirstName === wanted.FirstName && body.LastName === wanted.LastName,
      );
    const page = readPage(c.req.query(), variant.current());
    return c.json(pageOf(found, found.length, page, (row) => constituentBody(account, row)));
  });

  routes.post('/constituent', async (c) => {
    const input = readInput(constituentInputSchema, await c.req.json());
    return c.json(constituentBody(account, createConstituent(account, input, c.var.user)));
  });

  routes.post('/constituent/merge', async (c) => {
    const input = readInput(constituentInputSchema, await c.req.json());
    const hasSecondary =
      input.SecondaryAddresses ?? input.SecondaryEmails ?? input.SecondaryPhones ?? null;
    if (hasSecondary !== null) throw invalid('Secondary details are not accepted here.');
    const found = constituents
      .all()
      .find(({ body }) => body.FirstName === input.FirstName && body.LastName === input.LastName);
    const written =
      found === undefined
        ? createConstituent(account, input, c.var.user)
        : updateConstituent(account, found.id, input, c.var.user);
    return c.json(constituentBody(account, written));
  });

  routes.get('/constituent/:id', (c) => {
    const found = constituents.find(Number(c.req.param('id')));
    if (found === undefined) throw notFound('constituent');
    return c.json(constituentBody(account, found));
  });

  routes.put('/constituent/:id', async (c) => {
    const input = readInput(constituentInputSchema, await c.req.json());
    const id = Number(c.req.param('id'));
    return c.json(constituentBody(account, updateConstituent(account, id, input, c.var.user)));
  });

  routes.put('/constituent/:id/updateCommunicationSettings', async (c) => {
    const order = readInput(communicationSchema, await c.req.json());
    const id = Number(c.req.param('id'));
    return c.json(constituentBody(account, updateCommunication(account, id, order, c.var.user)));
  });

  routes.delete('/constituent/:id', (c) => {
    const id = Number(c.req.param('id'));
    if (constituents.find(id) === undefined) throw notFound('constituent');
    constituents.delete(id);
    return c.json({ Id: id, Type: 'Constituent', Deleted: true });
  });

  return routes;
}
