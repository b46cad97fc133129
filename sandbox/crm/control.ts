/** The controls below `/_sandbox` that all CRM stand-ins have. */

import type { Hono } from 'hono';
import { z } from 'zod';
import {
  type ControlParts,
  type ControlSettings,
  createControlRouter,
  readOrder,
} from '../../testbed/control.ts';

const MAX_PEOPLE = 10_000;

const usageSchema = z.strictObject({ used: z.number().int().min(0) });

/** Rules that can be added and removed while the stand-in runs. */
export interface RuleBook<Rule> {
  add(rule: Rule): void;
  /** Removes a rule. Returns false if no rule has the name. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
}

/** The parts of the controls that are different for each CRM. */
export interface CrmControlSettings<Fault, Rule> extends Omit<ControlSettings<Fault>, 'maxPeople'> {
  /** Parses a rule. */
  ruleSchema: z.ZodType<Rule>;
  rules: RuleBook<Rule>;
  /** The daily limit of API requests, and a function that sets how many requests have been used. */
  apiUsage: { limit: number; set(used: number): void };
  /**
   * Returns all data about a record, including values that users cannot see. Returns undefined if the record does not
   * exist.
   */
  readRecord(type: string, id: string): object | undefined;
}

/** Creates the controls that all CRM stand-ins share. Each stand-in adds its own controls. */
export function createCrmControlRouter<Fault, Details, Rule>(
  parts: ControlParts<Fault, Details>,
  { ruleSchema, rules, apiUsage, readRecord, ...settings }: CrmControlSettings<Fault, Rule>,
): Hono {
  const router = createControlRouter(parts, { ...settings, maxPeople: MAX_PEOPLE });
  addRuleRoutes(router, '/rules', ruleSchema, rules);
  router.put('/api-usage', async (c) => {
    const { used } = await readOrder(c, usageSchema);
    apiUsage.set(used);
    return c.json({ used, limit: apiUsage.limit });
  });
  router.get('/record/:type/:id', (c) => {
    const record = readRecord(c.req.param('type'), c.req.param('id'));
    return record === undefined
      ? c.json({ detail: 'There is no such record.' }, 404)
      : c.json(record);
  });
  return router;
}

/**
 * `POST` adds a rule. `DELETE` removes all rules. With `?name=`, the request `DELETE` removes only the rules with that
 * name.
 */
export function addRuleRoutes<Rule>(
  router: Hono,
  path: string,
  schema: z.ZodType<Rule>,
  rules: RuleBook<Rule>,
): void {
  router.post(path, async (c) => {
    rules.add(await readOrder(c, schema));
    return c.json({ rules: rules.list() }, 201);
  });
  router.delete(path, (c) => {
    const name = c.req.query('name');
    if (name === undefined) rules.clear();
    else if (!rules.remove(name)) return c.json({ detail: `There is no rule ${name}.` }, 404);
    return c.json({ rules: rules.list() });
  });
}
