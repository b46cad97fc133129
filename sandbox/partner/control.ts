/**
 * `/_sandbox` controls the stand-in itself. The routes under `/_sandbox` are for tests and for people who try things
 * out. Requests need no key.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type Balances, BUCKETS, type Credits } from '../../service/credits.ts';
import type { Keys } from '../../service/keys.ts';
import { type ControlParts, createControlRouter, readOrder } from '../../testbed/control.ts';
import type { RequestDetails } from './edge.ts';
import { type PartnerFault, partnerFaultRulesSchema } from './faults.ts';

const MAX_PEOPLE = 100_000;

/** The objects that the controls need. */
export interface ControlOptions extends ControlParts<PartnerFault, RequestDetails> {
  credits: Credits;
  keys: Keys;
  /** The number of credits in each bucket of a new team. */
  startCredits: number;
  createId: () => string;
}

/** Returns the controls for `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono {
  const router = createControlRouter(options, {
    rulesSchema: partnerFaultRulesSchema,
    maxPeople: MAX_PEOPLE,
    contactIdOf: (person) => `C${String(person + 1).padStart(6, '0')}`,
  });
  router.get('/ledger', (c) =>
    c.json({
      ledger: readLedger(options.credits, c.req.query('key'), c.req.query('bucket')),
      accounts: options.credits.accounts(),
    }),
  );
  router.post('/keys', async (c) => {
    // All members of an order have default values, so the body can be empty.
    const order = await readOrder(c, keyOrderSchema, {});
    return c.json(issueKey(options, order), 201);
  });
  return router;
}

const keyOrderSchema = z.strictObject({
  /** The key to change, for example to deactivate it. Omitted to create a key. */
  apiKey: z.string().min(1).optional(),
  team: z.string().min(1).optional(),
  /** The last UTC day on which the key is valid. */
  deactivatesOn: z.iso.date().nullish(),
  /**
   * The number of credits to set in these buckets. If the team is new, its other buckets contain the usual number of
   * credits.
   */
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

function issueKey(options: ControlOptions, order: z.infer<typeof keyOrderSchema>) {
  const present = order.apiKey === undefined ? undefined : options.keys.find(order.apiKey);
  const team = order.team ?? present?.team ?? `team-${options.createId().slice(0, 8)}`;
  const start = options.credits.hasTeam(team) ? {} : startingBalances(options.startCredits);
  options.credits.grant(team, { ...start, ...order.credits });
  const apiKey = order.apiKey ?? `sandbox-${options.createId()}`;
  options.keys.issue({ apiKey, team, deactivatesOn: order.deactivatesOn ?? null });
  return { apiKey, team };
}

/** Returns the same number of credits for each bucket. */
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
