/** `/_sandbox`: what the stand-ins of all CRMs have of it, beside what every sandbox has. */

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

/** Rules that can be set up and removed while the stand-in runs. */
export interface RuleBook<Rule> {
  add(rule: Rule): void;
  /** Removes the rules of a name; false if there are none. */
  remove(name: string): boolean;
  clear(): void;
  list(): readonly Rule[];
}

/** How the controls of one CRM differ from those of another. */
export interface CrmControlSettings<Fault, Rule> extends Omit<ControlSettings<Fault>, 'maxPeople'> {
  /** Reads a rule that an administrator sets up. */
  ruleSchema: z.ZodType<Rule>;
  rules: RuleBook<Rule>;
  /** The requests of a day: how many there may be, and a way to make so many look used up. */
  apiUsage: { limit: number; set(used: number): void };
  /** Everything about a record, also what no user may see; undefined if there is none. */
  readRecord(type: string, id: string): object | undefined;
}

/** A router with what all CRMs have, to add a CRM's own controls to. */
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

/** `POST` sets a rule up, `DELETE` removes all of them or, with `?name=`, those of a name. */
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
