/**
 * Controls the stand-in itself under `/_sandbox`, for tests and for people who try things out. Requests need no key.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type ControlParts, createControlRouter, readOrder } from '../../../testbed/control.ts';
import { addRuleRoutes } from '../../crm/control.ts';
import type { RequestDetails } from '../../crm/requests.ts';
import { mergeContacts, trash, writeRecord } from '../contacts/write-contacts.ts';
import { ApiError } from '../core/errors.ts';
import { createCustomField, createCustomGroup } from '../custom/create-fields.ts';
import { type CivicrmFault, civicrmFaultRulesSchema } from '../requests/faults.ts';
import { addGroup, contactIdOf } from '../site/people.ts';
import { PERMISSIONS } from '../site/permissions.ts';
import { ruleSchema } from '../site/rules.ts';
import type { Site } from '../site/site.ts';
import { variantsSchema } from '../site/variants.ts';

const MAX_PEOPLE = 10_000;

export interface ControlOptions extends ControlParts<CivicrmFault, RequestDetails> {
  site: Site;
}

export function controlRoutes(options: ControlOptions): Hono {
  const { site } = options;
  const router = createControlRouter(options, {
    rulesSchema: civicrmFaultRulesSchema,
    contactIdOf,
    maxPeople: MAX_PEOPLE,
    isRefusal: (error) => error instanceof ApiError || error instanceof RangeError,
  });
  addRuleRoutes(router, '/rules', ruleSchema, site.rules);
  router.get('/ledger', (c) => c.json({ changes: site.ledger.list() }));
  router.get('/record/:id', (c) => {
    const record = site.tables.of('Contact').get(Number(c.req.param('id')));
    return record === undefined
      ? c.json({ detail: 'There is no such contact.' }, 404)
      : c.json(showRecord(site, record));
  });
  router.put('/variants', async (c) => {
    const order = await readOrder(c, variantsSchema.partial());
    site.setVariants(variantsSchema.parse({ ...site.variants(), ...withoutUndefined(order) }));
    return c.json(site.variants());
  });
  router.put('/permissions', async (c) => {
    const { without } = await readOrder(c, permissionsSchema);
    site.permissions.withdraw(without);
    return c.json({ without });
  });
  router.put('/record-access', async (c) => {
    const { ids, access } = await readOrder(c, accessSchema);
    site.permissions.hide(ids, access === 'hidden');
    return c.json({ ids, access });
  });
  router.post('/custom-group', async (c) => {
    return c.json(createCustomGroup(site, await readOrder(c, z.unknown())), 201);
  });
  router.post('/custom-field', async (c) => {
    return c.json(createCustomField(site, await readOrder(c, z.unknown())), 201);
  });
  router.post('/group', async (c) => {
    const { title, members, search } = await readOrder(c, groupSchema);
    const id = addGroup(site.tables, title, members);
    if (search !== null) {
      site.tables.of('Group').update(id, { saved_search_id: id, where: search });
    }
    return c.json({ id }, 201);
  });
  router.post('/contacts', async (c) => {
    const { contacts } = await readOrder(c, contactsSchema);
    const ids = site.tables.transact(() =>
      contacts.map((contact) => edit(site, { action: 'create', ...contact })),
    );
    return c.json({ contacts: ids }, 201);
  });
  router.post('/edit', async (c) => c.json(edit(site, await readOrder(c, editSchema))));
  return router;
}

const ids = z.array(z.number().int());
const permissionsSchema = z.strictObject({ without: z.array(z.enum(PERMISSIONS)) });
const accessSchema = z.strictObject({ ids, access: z.enum(['hidden', 'visible']) });
const groupSchema = z.strictObject({
  title: z.string(),
  members: ids.default([]),
  /** The APIv4 conditions that define a smart group. */
  search: z.array(z.unknown()).nullable().default(null),
});

const address = z.strictObject({
  street_address: z.string().nullable().default(null),
  city: z.string().nullable().default(null),
  state: z.string().nullable().default(null),
  postal_code: z.string().nullable().default(null),
  country: z.string().nullable().default(null),
});

const newContactSchema = z.strictObject({
  values: z.record(z.string(), z.unknown()),
  address: address.nullable().default(null),
});
const contactsSchema = z.strictObject({ contacts: z.array(newContactSchema) });

const editSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('create'),
    values: z.record(z.string(), z.unknown()),
    address: address.nullable().default(null),
  }),
  z.strictObject({
    action: z.literal('update'),
    id: z.number(),
    values: z.record(z.string(), z.unknown()),
    address: address.nullable().default(null),
  }),
  z.strictObject({
    action: z.literal('trash'),
    id: z.number(),
    permanently: z.boolean().default(false),
  }),
  z.strictObject({ action: z.literal('restore'), id: z.number() }),
  z.strictObject({ action: z.literal('merge'), loser: z.number(), winner: z.number() }),
]);

/** Makes an edit as a user of CiviCRM does. */
function edit(site: Site, order: z.output<typeof editSchema>): object {
  const contacts = site.tables.of('Contact');
  switch (order.action) {
    case 'create':
    case 'update': {
      const given = order.action === 'update' ? { id: order.id } : {};
      const { id } = writeRecord(site, { ...order.values, ...given }, 'user');
      if (order.address !== null) setAddress(site, Number(id), order.address);
      return { id };
    }
    case 'trash':
      trash(site, order.id, !order.permanently);
      return { id: order.id };
    case 'restore':
      contacts.update(order.id, { is_deleted: false, modified_date: site.clock() });
      return { id: order.id };
    case 'merge':
      mergeContacts(site, order.loser, order.winner);
      return { id: order.winner };
  }
}

/** Replaces the contact's primary address. */
function setAddress(site: Site, contactId: number, values: z.output<typeof address>): void {
  const addresses = site.tables.of('Address');
  const present = [...addresses.all()].find((row) => row['contact_id'] === contactId);
  const row = { ...values, contact_id: contactId, is_primary: true, supplemental_address_1: null };
  if (present === undefined) addresses.insert(row);
  else addresses.update(present.id, row);
  if (site.variants().triggers) {
    site.tables.of('Contact').update(contactId, { modified_date: site.clock() });
  }
}

/** Returns the contact's columns, with the custom fields under their names. */
function showRecord({ custom }: Site, record: Record<string, unknown>): Record<string, unknown> {
  const named = custom.list().map(({ id, name }) => [name, record[`custom_${id}`] ?? null]);
  return { ...record, ...Object.fromEntries(named) };
}

function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
