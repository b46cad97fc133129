/** The routes of `/crm/properties/{version}/{objectType}` for the properties of an object type. */

import type { Hono } from 'hono';
import { z } from 'zod';
import type { Account } from '../account/account.ts';
import type { Failure } from '../account/record-writes.ts';
import { HubspotError, validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import {
  DATA_SENSITIVITIES,
  FIELD_TYPES,
  numberHints,
  optionSchema,
  type Property,
  propertyBody,
  propertyDefinitionSchema,
  propertyTypeSchema,
} from '../properties/property.ts';
import type { PropertyGroups } from '../properties/property-groups.ts';
import { checkSensitiveWrite, scopesFor } from '../properties/sensitive-data.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  readBody,
  readQuery,
} from '../requests/context.ts';
import { checkScopes } from '../requests/scopes.ts';
import { schemaInPath } from '../requests/type-in-path.ts';
import { batchAnswer } from './batch-answer.ts';
import { groupRoutes } from './property-group-routes.ts';

/** The maximum number of properties in a batch. */
const MAX_INPUTS = 100;
const MAX_NAME_LENGTH = 100;

export function propertyRoutes(account: Account, groups: PropertyGroups): Hono<HubspotEnv> {
  const { properties, clock } = account;
  const router = createRouter();
  router.route('/groups', groupRoutes(groups));
  router.get('/', (c) => {
    const type = schemaInPath(c, 'read');
    const { archived, dataSensitivity } = readQuery(c, listQuery);
    const shown = properties
      .list(type)
      .filter((one) => one.dataSensitivity === dataSensitivity)
      .filter((one) => (one.archivedAtMs !== null) === archived)
      .filter(({ name }) => !properties.isHidden(type, name));
    return c.json({ results: shown.map(propertyBody) });
  });
  router.get('/:propertyName', (c) => {
    const type = schemaInPath(c, 'read');
    const { archived } = readQuery(c, archivedQuery);
    return c.json(propertyBody(findProperty(account, type, c.req.param('propertyName'), archived)));
  });
  router.post('/', async (c) => {
    const type = schemaInPath(c, 'write');
    const order = inVersion(c, await readBody(c, createBody));
    return c.json(propertyBody(createProperty(account, groups, type, order, c)), 201);
  });
  router.patch('/:propertyName', async (c) => {
    const type = schemaInPath(c, 'write');
    const order = inVersion(c, await readBody(c, updateBody));
    checkSensitiveWrite(properties, type, [c.req.param('propertyName')], c.var.grant.scopes);
    const property = findProperty(account, type, c.req.param('propertyName'), false);
    return c.json(propertyBody(updateProperty(account, groups, type, property, order)));
  });
  router.delete('/:propertyName', (c) => {
    const type = schemaInPath(c, 'write');
    archiveProperty(account, type, c.req.param('propertyName'));
    return c.body(null, 204);
  });
  router.post('/batch/read', async (c) => {
    const type = schemaInPath(c, 'read');
    const { inputs, archived } = await readBody(c, readBatchBody);
    return answerEach(inputs, ({ name }) => findProperty(account, type, name, archived), clock);
  });
  router.post('/batch/create', async (c) => {
    const type = schemaInPath(c, 'write');
    const { inputs } = await readBody(c, z.object({ inputs: z.array(createBody).max(MAX_INPUTS) }));
    // The status is 200 in the newest API version and 201 in older versions.
    const status = c.req.path.includes('/2026-09/') ? 200 : 201;
    const create = (order: PropertyOrder) =>
      createProperty(account, groups, type, inVersion(c, order), c);
    return answerEach(inputs, create, clock, status);
  });
  router.post('/batch/archive', async (c) => {
    const type = schemaInPath(c, 'write');
    const { inputs } = await readBody(c, z.object({ inputs: z.array(nameInput) }));
    for (const { name } of inputs) archiveProperty(account, type, name);
    return c.body(null, 204);
  });
  return router;
}

const archivedQuery = z.object({
  archived: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});

/** The list contains Sensitive Data only if the request asks for it. */
const listQuery = archivedQuery.extend({
  dataSensitivity: z.enum(DATA_SENSITIVITIES).default('non_sensitive'),
});

const changes = {
  label: z.string().min(1),
  type: propertyTypeSchema,
  fieldType: z.string(),
  groupName: z.string(),
  description: z.string().optional(),
  options: z.array(optionSchema).optional(),
  displayOrder: z.number().int().optional(),
  hidden: z.boolean().optional(),
  formField: z.boolean().optional(),
  calculationFormula: z.string().optional(),
  ...numberHints,
};

const createBody = z.object({
  ...changes,
  name: z.string().max(MAX_NAME_LENGTH),
  hasUniqueValue: z.boolean().optional(),
  externalOptions: z.boolean().optional(),
  dataSensitivity: z.enum(DATA_SENSITIVITIES).optional(),
});
const updateBody = z.object(changes).partial();

type PropertyOrder = z.output<typeof createBody>;
type PropertyChange = z.output<typeof updateBody>;

const nameInput = z.object({ name: z.string() });
const readBatchBody = z.object({
  inputs: z.array(nameInput).max(MAX_INPUTS),
  archived: z.boolean().default(false),
});

function findProperty(
  { properties }: Account,
  type: ObjectType,
  name: string,
  archived: boolean,
): Property {
  const property = properties.isHidden(type, name) ? undefined : properties.find(type, name);
  if (property !== undefined && archived === (property.archivedAtMs !== null)) return property;
  throw new HubspotError(404, 'OBJECT_NOT_FOUND', `Property "${name}" does not exist`, {
    context: { propertyName: [name] },
  });
}

/** If an archived property has the same name, the property is restored with the new definition. */
function createProperty(
  { properties, clock }: Account,
  groups: PropertyGroups,
  type: ObjectType,
  order: PropertyOrder,
  c: HubspotContext,
): Property {
  const present = properties.find(type, order.name);
  if (present?.archivedAtMs === null) {
    const message = `A property named '${order.name}' already exists.`;
    const context = { propertyName: [order.name] };
    throw new HubspotError(409, 'OBJECT_ALREADY_EXISTS', message, { context });
  }
  if (!/^[a-z][a-z0-9_]*$/.test(order.name)) {
    throw validationError(
      `Property name "${order.name}" is not valid: it must begin with a letter and have only lower case letters, digits and underscores.`,
    );
  }
  const definition = propertyDefinitionSchema.parse({
    ...withoutBlanks(order),
    calculated: order.fieldType === 'calculation_equation',
    createdAtMs: present?.createdAtMs ?? clock(),
    updatedAtMs: clock(),
    userId: c.var.grant.userId,
  });
  if (definition.dataSensitivity === 'sensitive') {
    checkScopes(c.var.grant.scopes, scopesFor(type, 'write'));
  }
  const property = { ...definition, archivedAtMs: null };
  checkDefinition(groups, type, property);
  checkCurrency(properties, type, property);
  properties.save(type, property);
  return property;
}

function updateProperty(
  { properties, clock }: Account,
  groups: PropertyGroups,
  type: ObjectType,
  property: Property,
  order: PropertyChange,
): Property {
  checkIsOurs(property);
  const definition = propertyDefinitionSchema.parse({
    ...property,
    ...withoutBlanks(order),
    updatedAtMs: clock(),
  });
  const updated = { ...definition, archivedAtMs: null };
  checkDefinition(groups, type, updated);
  checkCurrency(properties, type, updated);
  properties.save(type, updated);
  return updated;
}

/** Archives a property. If the property is already archived or never existed, nothing changes. */
function archiveProperty({ properties, clock }: Account, type: ObjectType, name: string): void {
  const property = properties.find(type, name);
  if (property === undefined || property.archivedAtMs !== null) return;
  checkIsOurs(property);
  properties.save(type, { ...property, archivedAtMs: clock() });
}

function checkIsOurs({ name, hubspotDefined }: Property): void {
  if (!hubspotDefined) return;
  throw validationError(`Property "${name}" is defined by HubSpot and cannot be changed.`);
}

function checkDefinition(groups: PropertyGroups, type: ObjectType, property: Property): void {
  const { type: kind, fieldType, groupName, options, externalOptions } = property;
  if (!FIELD_TYPES[kind].includes(fieldType)) {
    throw validationError(`fieldType "${fieldType}" does not go with the type "${kind}".`);
  }
  if (groups.find(type, groupName)?.archived !== false) {
    throw validationError(`Property group "${groupName}" does not exist.`);
  }
  const values = options.map(({ value }) => value);
  if (new Set(values).size < values.length) {
    throw validationError('Property option values must be unique.');
  }
  if (kind === 'enumeration' && values.length === 0 && !externalOptions && !property.calculated) {
    throw validationError('Enumeration properties must have options.');
  }
  if (kind === 'bool' && [...values].sort().join() !== 'false,true' && !property.calculated) {
    throw validationError('Boolean properties must have exactly two options: true and false.');
  }
}

/** Removes the hints for numbers in the newest API version, which ignores them. */
function inVersion<Order extends PropertyChange>(c: HubspotContext, order: Order): Order {
  if (!c.req.path.includes('/2026-09')) return order;
  const { numberDisplayHint, showCurrencySymbol, currencyPropertyName, ...known } = order;
  return known as Order;
}

function checkCurrency(
  properties: Account['properties'],
  type: ObjectType,
  { type: kind, currencyPropertyName }: Property,
): void {
  if (currencyPropertyName === undefined) return;
  const named = properties.find(type, currencyPropertyName);
  if (kind !== 'number' || named === undefined || named.archivedAtMs !== null) {
    throw validationError(`"${currencyPropertyName}" is no property with a currency.`);
  }
}

/** Removes undefined members, so that they do not replace the default values. */
function withoutBlanks(order: PropertyChange): Record<string, unknown> {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}

/** Processes each input separately. A 207 response reports the rejected inputs. */
function answerEach<Input extends { name: string }>(
  inputs: readonly Input[],
  work: (input: Input) => Property,
  clock: () => number,
  status = 200,
): Response {
  const startedAtMs = clock();
  const results: unknown[] = [];
  const failures: Failure[] = [];
  for (const input of inputs) {
    try {
      results.push(propertyBody(work(input)));
    } catch (error) {
      if (!(error instanceof HubspotError)) throw error;
      failures.push({ ids: [input.name], error });
    }
  }
  return batchAnswer({ results, failures, startedAtMs, completedAtMs: clock() }, status);
}
