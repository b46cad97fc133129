/** The routes for the database, the key's user, custom fields and households. */
import { Hono } from 'hono';
import type { Account } from '../account/account.ts';
import { fieldBody, householdBody, valueBody } from '../account/bodies.ts';
import { invalid, notFound } from '../core/errors.ts';
import type { BloomerangEnv } from '../requests/context.ts';
import { pageOf, readIds, readPage, readTime } from './lists.ts';

/** The kinds of objects that can have custom fields. The stand-in supports fields only for constituents. */
const TYPES = ['Constituent', 'Transaction', 'Interaction', 'Note', 'Benevon'];

export function accountRoutes(account: Account): Hono<BloomerangEnv> {
  const { customFields, households, variant } = account;
  const routes = new Hono<BloomerangEnv>();

  routes.get('/database', (c) =>
    c.json({
      Id: account.databaseId,
      Name: 'Riverside Food Bank',
      Flavor: 'Demo',
      BaseLicenseProvider: 'Bloomerang',
      AccountingIntegration: 'None',
    }),
  );

  routes.get('/user/current', (c) =>
    c.json({
      Id: 3001,
      Name: c.var.user,
      Email: 'integration@example.org',
      IsActive: true,
      UserName: 'integration.user',
      PermissionLevel: 'Admin',
      UserTimeZone: {
        Id: 'Central Standard Time',
        Name: 'Central Standard Time',
        UtcOffset: '-06:00:00',
      },
    }),
  );

  routes.get('/customFieldCategories/:type', (c) =>
    c.json(isConstituent(c.req.param('type')) ? [{ Id: 1, Name: 'Profile', SortIndex: 1 }] : []),
  );

  routes.get('/customFields/:type', (c) => {
    const wantsActive = c.req.query('isActive') !== 'false';
    const fields = isConstituent(c.req.param('type')) ? customFields.list() : [];
    return c.json(fields.filter(({ isActive }) => isActive === wantsActive).map(fieldBody));
  });

  routes.get('/customValues/:type', (c) => {
    const wantsActive = c.req.query('isActive') !== 'false';
    const values = isConstituent(c.req.param('type')) ? customFields.values() : [];
    return c.json(values.filter(({ isActive }) => isActive === wantsActive).map(valueBody));
  });

  routes.get('/customValues/:type/:fieldId', (c) => {
    const fieldId = Number(c.req.param('fieldId'));
    const values = isConstituent(c.req.param('type')) ? customFields.values() : [];
    return c.json(values.filter((value) => value.fieldId === fieldId).map(valueBody));
  });

  routes.get('/households', (c) => {
    const query = c.req.query();
    const ids = readIds(query['id']);
    const afterMs = readTime(query['lastModified'], variant.current());
    const all = households.all();
    const found = all.filter(
      ({ id, modifiedAtMs }) =>
        (ids === undefined || ids.includes(id)) &&
        (afterMs === undefined || modifiedAtMs > afterMs),
    );
    const page = readPage(query, variant.current());
    return c.json(pageOf(found, all.length, page, (row) => householdBody(row, variant.current())));
  });

  routes.get('/household/:id', (c) => {
    const found = households.find(Number(c.req.param('id')));
    if (found === undefined) throw notFound('household');
    return c.json(householdBody(found, variant.current()));
  });

  return routes;
}

function isConstituent(type: string): boolean {
  if (!TYPES.includes(type)) throw invalid(`${type} has no custom fields.`);
  return type === 'Constituent';
}
