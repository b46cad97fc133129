/**
 * `/_sandbox` controls the stand-in itself. The routes under `/_sandbox` are for tests and for people who try things
 * out. Requests need no token.
 */

import type { Hono } from 'hono';
import { z } from 'zod';
import { type ControlParts, readOrder } from '../../../testbed/control.ts';
import { addRuleRoutes, createCrmControlRouter } from '../../crm/control.ts';
import type { RequestDetails } from '../../crm/requests.ts';
import { SalesforceError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import { SETUP_PERMISSIONS } from '../metadata/access.ts';
import { fieldSchema } from '../metadata/field.ts';
import { findField } from '../metadata/object-type.ts';
import {
  ADMINISTRATOR,
  INTEGRATION_PERMISSIONS_ID,
  INTEGRATION_USER,
  SYSTEM,
} from '../metadata/setup-records.ts';
import type { Tokens } from '../oauth/tokens.ts';
import {
  calloutOrderSchema,
  messageOrderSchema,
  sendCallout,
  sendMessage,
} from '../org/messages.ts';
import type { Org } from '../org/org.ts';
import { contactIdOf } from '../org/person-id.ts';
import { runQuery } from '../query/query.ts';
import { automationSchema } from '../records/automation.ts';
import { lockSchema } from '../records/locks.ts';
import { ruleSchema } from '../records/rules.ts';
import { type SalesforceFault, salesforceFaultRulesSchema } from '../requests/faults.ts';
import { editRecords, editSchema } from './edit.ts';

/** The objects that the controls need. */
export interface ControlOptions extends ControlParts<SalesforceFault, RequestDetails> {
  org: Org;
  tokens: Tokens;
}

/** Returns the controls for `/_sandbox`. */
export function controlRoutes(options: ControlOptions): Hono {
  const { org } = options;
  const router = createCrmControlRouter(options, {
    rulesSchema: salesforceFaultRulesSchema,
    contactIdOf,
    isRefusal: (error) => error instanceof SalesforceError || error instanceof RangeError,
    ruleSchema,
    rules: org.rules,
    apiUsage: org.usage,
    readRecord: (type, id) => readRecord(org, type, id),
  });
  router.post('/edit', async (c) => {
    const result = editRecords(org, await readOrder(c, editSchema));
    return c.json(result, result.success ? 200 : 422);
  });
  router.post('/locks', async (c) => {
    org.locks.add(await readOrder(c, lockSchema));
    return c.json({ locks: org.locks.list() }, 201);
  });
  addRuleRoutes(router, '/automation', automationSchema, org.automation);
  router.get('/updates', (c) => c.json({ updates: org.store.listUpdates() }));
  router.put('/field-access', async (c) => c.json(restrict(org, await readOrder(c, accessSchema))));
  router.put('/field', async (c) => {
    const { type: typeName, field: name, ...changes } = await readOrder(c, fieldOrderSchema);
    const type = org.catalogue.get(typeName);
    const field = findField(type, name);
    if (field === undefined) throw new RangeError(`${type.name} has no field ${name}.`);
    org.catalogue.changeField(type, fieldSchema.parse({ ...field, ...changes, name: field.name }));
    return c.json({ ...findField(type, name) });
  });
  router.put('/object-access', async (c) => {
    const { type: name, access } = await readOrder(c, objectAccessSchema);
    const type = org.catalogue.get(name);
    org.access.hideType(type, access === 'hidden');
    return c.json({ type: type.name, access });
  });
  router.put('/user-permissions', async (c) => {
    const { denied } = await readOrder(c, permissionsSchema);
    org.access.deny(denied);
    return c.json({ denied });
  });
  router.put('/record-access', async (c) => {
    const { id, ids = [], access } = await readOrder(c, recordAccessSchema);
    const known = [...(id === undefined ? [] : [id]), ...ids].map((text) => recordId(org, text));
    for (const one of known) org.access.hideRecord(one, access === 'hidden');
    return c.json({ ...(id === undefined ? {} : { id: known[0] }), ids: known, access });
  });
  router.post('/outbound-message', async (c) => {
    const order = await readOrder(c, messageOrderSchema);
    const records = order.ids.map((id) => ({ ...readRecord(org, order.type, id) }));
    return c.json(await sendMessage(order, records), 201);
  });
  router.post('/flow-callout', async (c) =>
    c.json(await sendCallout(await readOrder(c, calloutOrderSchema)), 201),
  );
  router.post('/tokens', async (c) => {
    const order = await readOrder(c, tokenOrderSchema);
    const user = order.user === 'administrator' ? ADMINISTRATOR : INTEGRATION_USER;
    const lifetime = order.lifetimeMs === undefined ? {} : { lifetimeMs: order.lifetimeMs };
    const token = options.tokens.issueAccess({ user, scope: 'api' }, lifetime);
    return c.json({ token, userId: user.id, username: user.username }, 201);
  });
  return router;
}

const tokenOrderSchema = z.strictObject({
  user: z.enum(['integration', 'administrator']).default('integration'),
  /**
   * The lifetime of the token (ms). 0 means that it never expires. The default is the same lifetime as for all other
   * tokens.
   */
  lifetimeMs: z.number().int().min(0).optional(),
});

const accessSchema = z.strictObject({
  type: z.string(),
  field: z.string(),
  access: z.enum(['hidden', 'readOnly', 'visible', 'granted']),
});

/** The properties of a field that an administrator can change. Standard fields can be changed too. */
const fieldOrderSchema = z.strictObject({
  type: z.string().default('Contact'),
  field: z.string(),
  label: z.string().optional(),
  length: z.number().int().min(0).optional(),
  precision: z.number().int().min(0).max(18).optional(),
  scale: z.number().int().min(0).max(18).optional(),
  required: z.boolean().optional(),
  picklist: z.array(z.string()).optional(),
  restricted: z.boolean().optional(),
});

const hiddenOrVisible = z.enum(['hidden', 'visible']);

/**
 * The integration user's permission for an object. Without the permission, describe does not return the object, and
 * lookup fields to its records are blank.
 */
const objectAccessSchema = z.strictObject({ type: z.string(), access: hiddenOrVisible });

/** The setup permissions that the integration user lacks. */
const permissionsSchema = z.strictObject({ denied: z.array(z.enum(SETUP_PERMISSIONS)) });

/**
 * Defines whether a record is shared with the integration user. A query does not find a record that is not shared.
 * Lookup fields that refer to such a record are blank.
 */
const recordAccessSchema = z.strictObject({
  id: z.string().optional(),
  ids: z.array(z.string()).optional(),
  access: hiddenOrVisible,
});

/** Returns the 18-character ID of an existing record. */
function recordId(org: Org, text: string): string {
  const id = readId(text) ?? '';
  const type = org.catalogue.ofId(id);
  if (type !== undefined && org.store.read(type, id) !== undefined) return id;
  throw new RangeError(`There is no record ${text}.`);
}

function restrict(org: Org, { type: typeName, field: name, access }: z.infer<typeof accessSchema>) {
  const type = org.catalogue.get(typeName);
  const field = findField(type, name);
  if (field === undefined) throw new RangeError(`${type.name} has no field ${name}.`);
  const isLimit = access === 'hidden' || access === 'readOnly';
  org.access.restrict(type, field, isLimit ? access : null);
  if (access === 'granted') grant(org, `${type.name}.${field.name}`, type.name);
  return { type: type.name, field: field.name, access };
}

/** Gives the integration user's profile permission to read and edit a field. */
function grant(org: Org, field: string, typeName: string): void {
  const type = org.catalogue.get('FieldPermissions');
  const rights = { PermissionsRead: true, PermissionsEdit: true };
  const soql = `SELECT Id FROM FieldPermissions WHERE Field = '${field}' AND ParentId = '${INTEGRATION_PERMISSIONS_ID}'`;
  const [present] = runQuery(org, soql, SYSTEM, { basePath: '' }).records(0, 1);
  const result =
    present === undefined
      ? org.store.insert(SYSTEM, type, {
          ParentId: INTEGRATION_PERMISSIONS_ID,
          SobjectType: typeName,
          Field: field,
          ...rights,
        })
      : org.store.update(SYSTEM, type, String(present['Id']), rights);
  const [error] = result.errors;
  if (error !== undefined) throw new RangeError(error.message);
}

/** Returns all fields of a record, including fields that no user can see. Deleted records are found too. */
function readRecord(org: Org, typeName: string, text: string) {
  const type = org.catalogue.get(typeName);
  const fields = type.fields.map(({ name }) => name).join(', ');
  const soql = `SELECT ${fields} FROM ${type.name} WHERE Id = '${readId(text) ?? ''}'`;
  const options = { all: true, tooling: true, basePath: '' };
  return runQuery(org, soql, SYSTEM, options).records(0, 1)[0];
}
