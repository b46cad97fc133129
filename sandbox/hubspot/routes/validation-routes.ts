/** The routes of `/crm/property-validations/{version}/{objectTypeId}` for the rules about property values. */

import type { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import { HubspotError, validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Property } from '../properties/property.ts';
import { RULE_TYPES, type RuleType, ruleBodySchema } from '../properties/validation-rule.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  readBody,
} from '../requests/context.ts';
import { schemaInPath } from '../requests/type-in-path.ts';

/** The API versions with these routes, and the path in each version. */
export const VALIDATION_PATHS = [
  ...['2026-03', '2026-09', 'latest'].map((version) => `/crm/property-validations/${version}`),
  '/crm/v3/property-validations',
];

/** Returns the routes for the validation rules of an object type, of a property, or of one rule type. */
export function validationRoutes(account: Account): Hono<HubspotEnv> {
  const { validations } = account;
  const router = createRouter();
  router.get('/', (c) => {
    const type = schemaInPath(c, 'read');
    const results = validations.list(type).map(({ property, rules }) => ({
      propertyName: property,
      propertyValidationRules: rules,
    }));
    return c.json({ results });
  });
  router.get('/:propertyName', (c) => {
    const type = schemaInPath(c, 'read');
    const { name } = findProperty(c, account, type);
    return c.json({ results: validations.of(type, name) });
  });
  router.get('/:propertyName/rule-type/:ruleType', (c) => {
    const type = schemaInPath(c, 'read');
    const { name } = findProperty(c, account, type);
    const ruleType = ruleTypeInPath(c);
    const rule = validations.of(type, name).find((one) => one.ruleType === ruleType);
    if (rule === undefined) {
      throw new HubspotError(404, 'OBJECT_NOT_FOUND', `Property "${name}" has no ${ruleType} rule`);
    }
    return c.json(rule);
  });
  router.put('/:propertyName/rule-type/:ruleType', async (c) => {
    const type = schemaInPath(c, 'write');
    const property = findProperty(c, account, type);
    const rule = { ...(await readBody(c, ruleBodySchema)), ruleType: ruleTypeInPath(c) };
    validations.set(type, property, rule);
    return c.body(null, 204);
  });
  return router;
}

function findProperty(c: HubspotContext, { properties }: Account, type: ObjectType): Property {
  const name = c.req.param('propertyName') ?? '';
  const property = properties.isHidden(type, name) ? undefined : properties.find(type, name);
  if (property?.archivedAtMs === null) return property;
  throw new HubspotError(404, 'OBJECT_NOT_FOUND', `Property "${name}" does not exist`, {
    context: { propertyName: [name] },
  });
}

const ruleTypeSchema = z.enum(RULE_TYPES);

function ruleTypeInPath(c: HubspotContext): RuleType {
  const result = ruleTypeSchema.safeParse(c.req.param('ruleType'));
  if (result.success) return result.data;
  throw validationError(`There is no rule type ${c.req.param('ruleType')}.`);
}
