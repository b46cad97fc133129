/**
 * Controls the stand-in itself under `/_sandbox`, for tests and for people who try things out. Requests need no token.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type ControlParts, readOrder } from '../../../testbed/control.ts';
import { addRuleRoutes, createCrmControlRouter } from '../../crm/control.ts';
import type { RequestDetails } from '../../crm/requests.ts';
import { type Account, OWNER } from '../account/account.ts';
import { automationSchema } from '../account/automation.ts';
import { currenciesSchema } from '../account/currencies.ts';
import { listProcessingSchema } from '../account/list-processing.ts';
import { contactIdOf } from '../account/person-id.ts';
import { HubspotError } from '../core/errors.ts';
import { findObjectType, type ObjectType } from '../core/object-type.ts';
import {
  numberHints,
  optionSchema,
  type Property,
  propertyDefinitionSchema,
} from '../properties/property.ts';
import { validationRuleSchema } from '../properties/validation-rule.ts';
import { recordBody, shownNames } from '../records/record-body.ts';
import { ruleSchema } from '../records/rules.ts';
import { type HubspotFault, hubspotFaultRulesSchema } from '../requests/faults.ts';
import type { Limits } from '../requests/limits.ts';
import { ALL_SCOPES } from '../requests/scopes.ts';
import type { Tokens } from '../requests/tokens.ts';
import { lateRecordsSchema } from '../search/late-records.ts';
import { editRecord, editSchema } from './edit.ts';

export interface ControlOptions extends ControlParts<HubspotFault, RequestDetails> {
  account: Account;
  tokens: Tokens;
  limits: Limits;
  privateAppId: number;
}

/** Creates the controls below `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono {
  const { account, limits } = options;
  const router = createCrmControlRouter(options, {
    rulesSchema: hubspotFaultRulesSchema,
    contactIdOf,
    isRefusal: (error) =>
      error instanceof HubspotError || error instanceof RangeError || error instanceof SyntaxError,
    ruleSchema,
    rules: account.rules,
    apiUsage: { limit: limits.dailyLimit, set: limits.setUsedToday },
    readRecord: (type, id) => readRecord(account, type, id),
  });
  router.post('/edit', async (c) =>
    c.json({ id: editRecord(account, await readOrder(c, editSchema)) }),
  );
  router.post('/tokens', async (c) => {
    const { kind, scopes, lifetimeMs } = await readOrder(c, tokenOrderSchema);
    const appId = options.privateAppId;
    const grant = { kind, appId, userId: OWNER.userId, scopes };
    return c.json({ token: options.tokens.issue(grant, { lifetimeMs }) }, 201);
  });
  router.put('/scopes', async (c) => {
    const { withdrawn, listed } = await readOrder(c, withdrawalSchema);
    options.tokens.withdraw(withdrawn, { areListed: listed });
    return c.json({ withdrawn, listed });
  });
  addRuleRoutes(router, '/automation', automationSchema, account.automation);
  router.put('/property-validations', async (c) => {
    const { type: typeName, property: name, rules } = await readOrder(c, validationsSchema);
    const type = findObjectType(typeName);
    const property = findProperty(account, type, name);
    account.store.transact(() => {
      account.validations.remove(type, name);
      for (const rule of rules) account.validations.set(type, property, rule);
    });
    return c.json({ type: typeName, property: name, rules: account.validations.of(type, name) });
  });
  router.put('/currencies', async (c) => {
    account.currencies.set(await readOrder(c, currenciesSchema));
    return c.json({ company: account.currencies.company(), rates: account.currencies.rates() });
  });
  router.put('/search-lag', async (c) => {
    const order = await readOrder(c, lateRecordsSchema);
    for (const id of order.ids)
      account.lateRecords.set(findObjectType(order.type), id, order.lagMs);
    return c.json(order);
  });
  router.put('/list-processing', async (c) => {
    const order = await readOrder(c, listProcessingSchema);
    account.listsInProgress.set(order);
    return c.json(order);
  });
  router.put('/property', async (c) => {
    const order = await readOrder(c, propertySchema);
    return c.json(changeProperty(account, order));
  });
  router.put('/record-access', async (c) => {
    const { type: typeName, ids, access } = await readOrder(c, recordAccessSchema);
    const type = findObjectType(typeName);
    for (const id of ids) {
      if (account.store.readHidden(type, id) === undefined) {
        throw new RangeError(`There is no record ${id}.`);
      }
      account.store.hide(type, id, access === 'hidden');
    }
    return c.json({ type: typeName, ids, access });
  });
  router.put('/property-access', async (c) => {
    const { type, property, access } = await readOrder(c, accessSchema);
    restrict(account, findObjectType(type), property, access === 'hidden');
    return c.json({ type, property, access });
  });
  return router;
}

const tokenOrderSchema = z.strictObject({
  kind: z.enum(['private', 'oauth']).default('private'),
  scopes: z.array(z.string()).default([...ALL_SCOPES]),
  /** The token's lifetime (ms). With the lifetime 0, the token never expires. */
  lifetimeMs: z.number().int().min(0).default(0),
});

const withdrawalSchema = z.strictObject({
  withdrawn: z.array(z.enum(ALL_SCOPES)),
  /** True if HubSpot's responses must still list the withdrawn scopes for tokens. */
  listed: z.boolean().default(false),
});

const accessSchema = z.strictObject({
  type: z.string().default('contacts'),
  property: z.string(),
  access: z.enum(['hidden', 'visible']),
});

function restrict(
  { properties }: Account,
  type: ObjectType,
  name: string,
  isHidden: boolean,
): void {
  findProperty({ properties }, type, name);
  properties.hide(type, name, isHidden);
}

const validationsSchema = z.strictObject({
  type: z.string().default('contacts'),
  property: z.string(),
  rules: z.array(validationRuleSchema),
});

const propertySchema = z.strictObject({
  type: z.string().default('contacts'),
  property: z.string(),
  archived: z.boolean().optional(),
  /** True if only HubSpot can write the property, as it does with a calculated property. */
  readOnly: z.boolean().optional(),
  label: z.string().optional(),
  propertyType: propertyDefinitionSchema.shape.type.optional(),
  fieldType: z.string().optional(),
  /** The options of the property. Each option is a value, or an object with all members of an option. */
  options: z.array(z.union([z.string(), optionSchema])).optional(),
  ...numberHints,
});

const recordAccessSchema = z.strictObject({
  type: z.string().default('contacts'),
  ids: z.array(z.string()),
  access: z.enum(['hidden', 'visible']),
});

function findProperty(
  { properties }: Pick<Account, 'properties'>,
  type: ObjectType,
  name: string,
): Property {
  const property = properties.find(type, name);
  if (property === undefined) throw new RangeError(`${type.name} have no property ${name}.`);
  return property;
}

/** Changes a property in the account's settings. Properties that HubSpot defines can also be changed. */
function changeProperty(account: Account, order: z.output<typeof propertySchema>): Property {
  const type = findObjectType(order.type);
  const { archivedAtMs, ...present } = findProperty(account, type, order.property);
  const { archived, readOnly, label, propertyType, fieldType, options } = order;
  const { numberDisplayHint, showCurrencySymbol, currencyPropertyName } = order;
  const nowMs = account.clock();
  const definition = propertyDefinitionSchema.parse({
    ...present,
    updatedAtMs: nowMs,
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(label === undefined ? {} : { label }),
    ...(propertyType === undefined ? {} : { type: propertyType }),
    ...(fieldType === undefined ? {} : { fieldType }),
    ...(options === undefined ? {} : { options: options.map(toOption) }),
    ...(numberDisplayHint === undefined ? {} : { numberDisplayHint }),
    ...(showCurrencySymbol === undefined ? {} : { showCurrencySymbol }),
    ...(currencyPropertyName === undefined ? {} : { currencyPropertyName }),
  });
  const changed = {
    ...definition,
    archivedAtMs: archived === undefined ? archivedAtMs : archived ? nowMs : null,
  };
  account.properties.save(type, changed);
  return changed;
}

function toOption(option: string | z.output<typeof optionSchema>) {
  return typeof option === 'string' ? { label: option, value: option } : option;
}

/** Returns all values of a record and its history. Archived and merged records are found too. */
function readRecord({ store, associations }: Account, typeName: string, id: string) {
  const type = findObjectType(typeName);
  const record = store.readHidden(type, id);
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
