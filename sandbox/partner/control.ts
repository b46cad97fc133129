/** `/_sandbox`: what tests and people who try things ask of the stand-in itself. No key needed. */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Faults } from '../faults.ts';
import type { Address, CrmPerson, World } from '../people/world.ts';
import type { RequestLog } from '../request-log.ts';
import type { RequestDetails } from './context.ts';
import { type Balances, BUCKETS, type Credits } from './credits.ts';
import { type PartnerFault, partnerFaultRulesSchema } from './faults.ts';
import type { Keys } from './keys.ts';

const DEFAULT_PEOPLE = 100;
const MAX_PEOPLE = 100_000;

/** What the control endpoints reach into. */
export interface ControlOptions {
  credits: Credits;
  faults: Faults<PartnerFault>;
  keys: Keys;
  requests: RequestLog<RequestDetails>;
  world: World;
  /** How many people the contact list has. */
  contactCount: number;
  /** What each bucket of a new team holds. */
  startCredits: number;
  createId: () => string;
}

/** The control endpoints, to be mounted at `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono {
  const router = new Hono();
  router.get('/ledger', (c) =>
    c.json({
      ledger: readLedger(options.credits, c.req.query('key'), c.req.query('bucket')),
      accounts: options.credits.accounts(),
    }),
  );
  router.get('/requests', (c) =>
    c.json({ requests: options.requests.list(), total: options.requests.total() }),
  );
  router.put('/faults', async (c) => {
    const rules = partnerFaultRulesSchema.safeParse(await readJson(c));
    if (!rules.success) {
      return refuse(c, rules.error);
    }
    options.faults.replace(rules.data);
    return c.json({ rules: rules.data.length });
  });
  router.get('/people', (c) => {
    const page = pageSchema.safeParse(c.req.query());
    return page.success
      ? c.json({ people: readPeople(options, page.data), total: options.contactCount })
      : refuse(c, page.error);
  });
  router.post('/keys', async (c) => {
    // Everything in an order has a default, so an order without a body is one as well.
    const order = keyOrderSchema.safeParse(await readJson(c, {}));
    return order.success ? c.json(issueKey(options, order.data), 201) : refuse(c, order.error);
  });
  return router;
}

const pageSchema = z.object({
  limit: z.coerce.number().int().min(0).max(MAX_PEOPLE).default(DEFAULT_PEOPLE),
  offset: z.coerce.number().int().min(0).default(0),
});

const keyOrderSchema = z.strictObject({
  /** A key that exists already and is to be changed, for example deactivated. */
  apiKey: z.string().min(1).optional(),
  team: z.string().min(1).optional(),
  /** The last UTC day on which the key works. */
  deactivatesOn: z.iso.date().nullish(),
  /** What remains in these buckets; of a new team the others hold the usual start. */
  credits: z.partialRecord(z.enum(BUCKETS), z.number().int().min(0)).default({}),
});

function readLedger(credits: Credits, apiKey: string | undefined, bucket: string | undefined) {
  return credits.ledger({ apiKey, bucket }).map(({ id, atMs, kind, apiKey: key, ...entry }) => ({
    id,
    at: new Date(atMs).toISOString(),
    kind,
    key,
    team: entry.team,
    bucket: entry.bucket,
    amount: entry.amount,
    what: entry.what,
    requestId: entry.requestId,
  }));
}

function readPeople(options: ControlOptions, page: z.infer<typeof pageSchema>) {
  const end = Math.min(page.offset + page.limit, options.contactCount);
  const length = Math.max(0, end - page.offset);
  return Array.from({ length }, (_, index) =>
    toPerson(options.world.crmPerson(page.offset + index)),
  );
}

function toPerson(person: CrmPerson) {
  return {
    id: `C${String(person.number + 1).padStart(6, '0')}`,
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

function issueKey(options: ControlOptions, order: z.infer<typeof keyOrderSchema>) {
  const present = order.apiKey === undefined ? undefined : options.keys.find(order.apiKey);
  const team = order.team ?? present?.team ?? `team-${options.createId().slice(0, 8)}`;
  const start = options.credits.hasTeam(team) ? {} : startingBalances(options.startCredits);
  options.credits.grant(team, { ...start, ...order.credits });
  const apiKey = order.apiKey ?? `sandbox-${options.createId()}`;
  options.keys.issue({ apiKey, team, deactivatesOn: order.deactivatesOn ?? null });
  return { apiKey, team };
}

/** The same number of credits in each bucket. */
export function startingBalances(amount: number): Balances {
  return {
    donors: amount,
    enhancements: amount,
    exports: amount,
    lists: amount,
    networks: amount,
    searches: amount,
  };
}

async function readJson(c: Context, absent?: unknown): Promise<unknown> {
  const text = await c.req.text();
  try {
    return text === '' ? absent : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(c: Context, error: z.ZodError) {
  return c.json({ detail: z.prettifyError(error) }, 422);
}
