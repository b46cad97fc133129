/** Routes for addresses, email addresses and phones as separate records. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import { detailBody } from '../account/bodies.ts';
import { type Detail, type DetailKind, detailSchemas } from '../account/details.ts';
import { readInput } from '../account/writes.ts';
import { notFound } from '../core/errors.ts';
import type { BloomerangEnv } from '../requests/context.ts';
import { pageOf, readIds, readPage, readTime } from './lists.ts';

const LISTS = { address: 'addresses', email: 'emails', phone: 'phones' } as const;

const ownerSchema = z.object({
  AccountId: z.number().int().optional(),
  IsPrimary: z.boolean().default(false),
});

/** Returns the routes for one kind of detail record, for example for addresses. */
export function detailRoutes(account: Account, kind: DetailKind): Hono<BloomerangEnv> {
  const { details, constituents, variant, clock } = account;
  const routes = new Hono<BloomerangEnv>();
  const schema = z.object(detailSchemas[kind].shape).extend(ownerSchema.shape);

  routes.get(`/${LISTS[kind]}`, (c) => {
    const query = c.req.query();
    const ids = readIds(query['id']);
    const owners = readIds(query['constituent']);
    const afterMs = readTime(query['lastModified'], variant.current());
    const all = details.list(kind);
    const found = all.filter(
      ({ id, constituentId, modifiedAtMs }) =>
        (ids === undefined || ids.includes(id)) &&
        (owners === undefined || owners.includes(constituentId)) &&
        (afterMs === undefined || modifiedAtMs > afterMs) &&
        constituents.find(constituentId) !== undefined,
    );
    const page = readPage(query, variant.current());
    return c.json(pageOf(found, all.length, page, (row) => detailBody(row, variant.current())));
  });

  routes.get(`/${kind}/:id`, (c) => {
    return c.json(detailBody(requireDetail(c.req.param('id')), variant.current()));
  });

  routes.post(`/${kind}`, async (c) => {
    const { AccountId = 0, IsPrimary, ...body } = readInput(schema, await c.req.json());
    if (constituents.find(AccountId) === undefined) throw notFound('constituent');
    const common = { kind, constituentId: AccountId, isPrimary: IsPrimary };
    const added = details.add({ ...common, modifiedAtMs: clock(), body });
    touch(AccountId, c.var.user);
    return c.json(detailBody(added, variant.current()));
  });

  routes.put(`/${kind}/:id`, async (c) => {
    const present = requireDetail(c.req.param('id'));
    const { AccountId: _, IsPrimary, ...body } = readInput(schema, await c.req.json());
    const changed = { ...present, isPrimary: IsPrimary, modifiedAtMs: clock(), body };
    details.update(changed);
    touch(present.constituentId, c.var.user);
    return c.json(detailBody(changed, variant.current()));
  });

  routes.delete(`/${kind}/:id`, (c) => {
    const { id, constituentId } = requireDetail(c.req.param('id'));
    details.remove(id);
    touch(constituentId, c.var.user);
    return c.json({ Id: id, Type: kind, Deleted: true });
  });

  return routes;

  function requireDetail(id: string): Detail {
    const found = details.find(kind, Number(id));
    if (found === undefined) throw notFound(kind);
    return found;
  }

  function touch(id: number, by: string): void {
    const owner = constituents.find(id);
    if (owner === undefined) return;
    const touches = variant.current().partsCountAsChange;
    constituents.save(owner, { by, atMs: clock(), touches });
  }
}
