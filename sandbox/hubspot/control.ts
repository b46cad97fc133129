/** `/_sandbox`: what tests and people who try things ask of the stand-in itself. No token needed. */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Faults } from '../faults.ts';
import type { Address, CrmPerson, World } from '../people/world.ts';
import type { RequestLog } from '../request-log.ts';
import { type Account, OWNER } from './account.ts';
import type { HubspotEnv, RequestDetails } from './context.ts';
import { editRecord, editSchema } from './edit.ts';
import { HubspotError } from './errors.ts';
import { type HubspotFault, hubspotFaultRulesSchema } from './faults.ts';
import type { Limits } from './limits.ts';
import { findObjectType } from './object-type.ts';
import { contactIdOf } from './person-id.ts';
import { recordBody, shownNames } from './record-body.ts';
import { ruleSchema } from './rules.ts';
import { ALL_SCOPES } from './scopes.ts';
import type { Tokens } from './tokens.ts';

const DEFAULT_PEOPLE = 100;
const MAX_PEOPLE = 10_000;

/** What the control endpoints reach into. */
export interface ControlOptions {
  account: Account;
  tokens: Tokens;
  limits: Limits;
  faults: Faults<HubspotFault>;
  requests: RequestLog<RequestDetails>;
  world: World;
  /** How many people of the world's contact list the account has. */
  contactCount: number;
  /** The private app. */
  privateAppId: number;
}

/** The control endpoints, to be mounted at `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono<HubspotEnv> {
  const { account, faults, limits, requests } = options;
  const router = new Hono<HubspotEnv>();
  router.get('/requests', (c) => c.json({ requests: requests.list(), total: requests.total() }));
  router.put('/faults', async (c) => {
    const rules = await readBody(c, hubspotFaultRulesSchema);
    faults.replace(rules);
    return c.json({ rules: rules.length });
  });
  router.get('/people', (c) => {
    const page = readInput(pageSchema, c.req.query());
    return c.json({ people: readPeople(options, page), total: options.contactCount });
  });
  router.post('/edit', async (c) =>
    c.json({ id: editRecord(account, await readBody(c, editSchema)) }),
  );
  router.post('/rules', async (c) => {
    account.rules.add(await readBody(c, ruleSchema));
    return c.json({ rules: account.rules.list() }, 201);
  });
  router.delete('/rules', (c) => {
    account.rules.clear();
    return c.json({ rules: [] });
  });
  router.put('/api-usage', async (c) => {
    const { used } = await readBody(c, z.strictObject({ used: z.number().int().min(0) }));
    limits.setUsedToday(used);
    return c.json({ used, limit: limits.dailyLimit });
  });
  router.post('/tokens', async (c) => {
    const { kind, scopes, lifetimeMs } = await readBody(c, tokenOrderSchema);
    const appId = options.privateAppId;
    const grant = { kind, appId, userId: OWNER.userId, scopes };
    return c.json({ token: options.tokens.issue(grant, { lifetimeMs }) }, 201);
  });
  router.get('/record/:type/:id', (c) => {
    const record = readRecord(account, c.req.param('type'), c.req.param('id'));
    return record === undefined
      ? c.json({ detail: 'There is no such record.' }, 404)
      : c.json(record);
  });
  router.onError((error, c) => {
    if (
      error instanceof HubspotError ||
      error instanceof RangeError ||
      error instanceof SyntaxError
    ) {
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
  kind: z.enum(['private', 'oauth']).default('private'),
  scopes: z.array(z.string()).default([...ALL_SCOPES]),
  /** 0 means for good. */
  lifetimeMs: z.number().int().min(0).default(0),
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

/** Every value of a record, and how it came about; archived and merged ones too. */
function readRecord({ store, associations }: Account, typeName: string, id: string) {
  const type = findObjectType(typeName);
  const record = store.read(type, id);
  if (record === undefined) return undefined;
  return {
    ...recordBody(type, record, shownNames(type, Object.keys(record.values))),
    associations: associations.list(type, record.id),
    changes: store.versions(type, record.id).map(({ replacedAtMs, replacedBy }) => ({
      at: new Date(replacedAtMs).toISOString(),
      by: replacedBy,
    })),
  };
}

async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema) {
  return readInput(schema, await c.req.json().catch(() => undefined));
}

function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new RangeError(z.prettifyError(result.error));
}
