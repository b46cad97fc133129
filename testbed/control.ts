/**
 * `/_sandbox` controls the stand-in itself. It is for tests and for people who try things out. Requests need no key and
 * no token. This file contains the controls that all sandboxes share.
 */

import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Address, CrmPerson, World } from '../people/world.ts';
import type { FaultRulesSchema, Faults } from './fault-rules.ts';
import type { RequestLog } from './request-log.ts';

const DEFAULT_PEOPLE = 100;

/** The objects that every sandbox passes to the controls. */
export interface ControlParts<Fault, Details> {
  faults: Faults<Fault>;
  requests: RequestLog<Details>;
  world: World;
  /** The number of people from the world's contact list in the sandbox. */
  contactCount: number;
}

/** The settings in which the controls of different sandboxes differ. */
export interface ControlSettings<Fault> {
  rulesSchema: FaultRulesSchema<Fault>;
  /** The maximum number of people on one page. */
  maxPeople: number;
  /** Returns the ID of the nth person in the contact list, counted from 0. */
  contactIdOf(person: number): string;
  /** Returns true if the error means that the sandbox cannot carry out a request. The response is then a 422. */
  isRefusal?(error: Error): boolean;
}

/** Creates a router with `/requests`, `/faults` and `/people`. Each sandbox adds its own controls. */
export function createControlRouter<Fault, Details>(
  { faults, requests, world, contactCount }: ControlParts<Fault, Details>,
  { rulesSchema, maxPeople, contactIdOf, isRefusal = () => false }: ControlSettings<Fault>,
): Hono {
  const router = new Hono();
  const pageSchema = pageSchemaOf(maxPeople);
  router.get('/requests', (c) => c.json({ requests: requests.list(), total: requests.total() }));
  router.put('/faults', async (c) => {
    const rules = await readOrder(c, rulesSchema);
    faults.replace(rules);
    return c.json({ rules: rules.length });
  });
  router.get('/faults', (c) => c.json({ strikes: faults.countStrikes() }));
  router.get('/people', (c) => {
    const { limit, offset } = checkOrder(pageSchema, c.req.query());
    const length = Math.max(0, Math.min(limit, contactCount - offset));
    const people = Array.from({ length }, (_, index) => {
      const person = world.crmPerson(offset + index);
      return { id: contactIdOf(person.number), ...showPerson(person) };
    });
    return c.json({ people, total: contactCount });
  });
  router.onError((error, c) => {
    if (!(error instanceof OrderError) && !isRefusal(error)) throw error;
    return c.json({ detail: error.message }, 422);
  });
  return router;
}

/**
 * Reads the body of a request to a control. Responds with 422 if the body does not match the schema. `absent` is the
 * text that is used if the body is empty.
 */
export async function readOrder<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  absent?: unknown,
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  return checkOrder(schema, text === '' ? absent : parseJson(text));
}

/** The error for a request to a control if the body does not match the schema. */
class OrderError extends Error {
  override readonly name = 'OrderError';
}

function checkOrder<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new OrderError(z.prettifyError(result.error));
}

/** Parses JSON. For any other text, returns a value that matches no schema. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pageSchemaOf(maxPeople: number) {
  return z.object({
    limit: z.coerce.number().int().min(0).max(maxPeople).default(DEFAULT_PEOPLE),
    offset: z.coerce.number().int().min(0).default(0),
  });
}

/** Returns a person in the form in which a contact list contains it, with the ID of the matching donor. */
function showPerson({ firstName, lastName, address, employer, email, donorId }: CrmPerson) {
  return {
    firstName,
    lastName,
    addresses: address === null ? [] : [toLine(address)],
    employers: employer === null ? [] : [employer],
    email,
    donorId,
  };
}

function toLine({ street, city, state, postalCode }: Address): string {
  return `${street}, ${city}, ${state} ${postalCode}`;
}
