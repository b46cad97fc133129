/** `/_sandbox`: what tests and people who try things ask of the stand-in itself. No token needed. */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Faults } from '../faults.ts';
import type { Address, CrmPerson, World } from '../people/world.ts';
import type { RequestLog } from '../request-log.ts';
import type { RequestDetails } from './context.ts';
import { editRecords, editSchema } from './edit.ts';
import { SalesforceError } from './errors.ts';
import { type SalesforceFault, salesforceFaultRulesSchema } from './faults.ts';
import { readId } from './ids.ts';
import { lockSchema } from './locks.ts';
import type { Tokens } from './oauth/tokens.ts';
import { findField } from './object-type.ts';
import type { Org } from './org.ts';
import { contactIdOf } from './person-id.ts';
import { runQuery } from './query.ts';
import { ruleSchema } from './rules.ts';
import { ADMINISTRATOR, INTEGRATION_USER, SYSTEM } from './setup-records.ts';

const DEFAULT_PEOPLE = 100;
const MAX_PEOPLE = 10_000;

/** What the control endpoints reach into. */
export interface ControlOptions {
  org: Org;
  tokens: Tokens;
  faults: Faults<SalesforceFault>;
  requests: RequestLog<RequestDetails>;
  world: World;
  /** How many people of the world's contact list the org has. */
  contactCount: number;
}

/** The control endpoints, to be mounted at `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono {
  const { org, faults, requests } = options;
  const router = new Hono();
  router.get('/requests', (c) => c.json({ requests: requests.list(), total: requests.total() }));
  router.put('/faults', async (c) => {
    const rules = await readBody(c, salesforceFaultRulesSchema);
    faults.replace(rules);
    return c.json({ rules: rules.length });
  });
  router.get('/people', (c) => {
    const page = readInput(pageSchema, c.req.query());
    return c.json({ people: readPeople(options, page), total: options.contactCount });
  });
  router.post('/edit', async (c) => {
    const result = editRecords(org, await readBody(c, editSchema));
    return c.json(result, result.success ? 200 : 422);
  });
  router.post('/locks', async (c) => {
    org.locks.add(await readBody(c, lockSchema));
    return c.json({ locks: org.locks.list() }, 201);
  });
  router.post('/rules', async (c) => {
    org.rules.add(await readBody(c, ruleSchema));
    return c.json({ rules: org.rules.list() }, 201);
  });
  router.delete('/rules', (c) => {
    org.rules.clear();
    return c.json({ rules: [] });
  });
  router.put('/field-access', async (c) => c.json(restrict(org, await readBody(c, accessSchema))));
  router.put('/api-usage', async (c) => {
    const { used } = await readBody(c, z.strictObject({ used: z.number().int().min(0) }));
    org.usage.set(used);
    return c.json({ used, limit: org.usage.limit });
  });
  router.post('/tokens', async (c) => {
    const order = await readBody(c, tokenOrderSchema);
    const user = order.user === 'administrator' ? ADMINISTRATOR : INTEGRATION_USER;
    const lifetime = order.lifetimeMs === undefined ? {} : { lifetimeMs: order.lifetimeMs };
    const token = options.tokens.issueAccess({ user, scope: 'api' }, lifetime);
    return c.json({ token, userId: user.id, username: user.username }, 201);
  });
  router.get('/record/:type/:id', (c) => {
    const record = readRecord(org, c.req.param('type'), c.req.param('id'));
    return record === undefined
      ? c.json({ detail: 'There is no such record.' }, 404)
      : c.json(record);
  });
  router.onError((error, c) => {
    if (error instanceof SalesforceError || error instanceof RangeError) {
      return c.json({ detail: error.message }, 422);
    }
    throw error;
  });
  return router;
}

const pageSchema = z.object({
  limit: z.coerce.number().int().min(0).max(MAX_PEOPLE).default(DEFAULT_PEOPLE),
  offset: z.coerce.number().int().min(0).default(0),
});

const tokenOrderSchema = z.strictObject({
  user: z.enum(['integration', 'administrator']).default('integration'),
  /** 0 means for good; left out, the lifetime of every other token. */
  lifetimeMs: z.number().int().min(0).optional(),
});

const accessSchema = z.strictObject({
  type: z.string(),
  field: z.string(),
  access: z.enum(['hidden', 'readOnly', 'visible']),
});

function readPeople(
  { world, contactCount }: ControlOptions,
  { limit, offset }: z.infer<typeof pageSchema>,
) {
  const length = Math.max(0, Math.min(limit, contactCount - offset));
  return Array.from({ length }, (_, index) => toPerson(world.crmPerson(offset + index)));
}

function toPerson(person: CrmPerson) {
  return {
    id: contactIdOf(person.number),
    firstName: person.firstName,
    lastName: person.lastName,
    addresses: person.address === null ? [] : [toLine(person.address)],
    employers: person.employer === null ? [] : [person.employer],
    email: person.email,
    donorId: person.donorId,
  };
}

function toLine({ street, city, state, postalCode }: Address): string {
  return `${street}, ${city}, ${state} ${postalCode}`;
}

function restrict(org: Org, { type: typeName, field: name, access }: z.infer<typeof accessSchema>) {
  const type = org.catalogue.get(typeName);
  const field = findField(type, name);
  if (field === undefined) throw new RangeError(`${type.name} has no field ${name}.`);
  org.access.restrict(type, field, access === 'visible' ? null : access);
  return { type: type.name, field: field.name, access };
}

/** Every field of a record, whoever may see it; deleted records too. */
function readRecord(org: Org, typeName: string, text: string) {
  const type = org.catalogue.get(typeName);
  const fields = type.fields.map(({ name }) => name).join(', ');
  const soql = `SELECT ${fields} FROM ${type.name} WHERE Id = '${readId(text) ?? ''}'`;
  const options = { all: true, tooling: true, basePath: '' };
  return runQuery(org, soql, SYSTEM, options).records(0, 1)[0];
}

async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema) {
  return readInput(schema, await c.req.json().catch(() => undefined));
}

function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new RangeError(z.prettifyError(result.error));
}
