/** The resource `/tooling`, which creates, reads and deletes custom fields. */

import { Hono } from 'hono';
import { z } from 'zod';
import { noRightError, notFound, saved, toRequestError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import {
  customFieldSchema,
  defineCustomField,
  fieldChangeSchema,
  readCustomField,
} from '../metadata/custom-field.ts';
import { describeBriefly, describeObject } from '../metadata/describe.ts';
import { findField } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import type { SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';
import { queryRoutes } from './query-routes.ts';

/** Returns the resources for `/tooling`. */
export function toolingRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.route('/', queryRoutes(org, { tooling: true }));
  router.get('/sobjects', (c) => {
    const basePath = `${c.var.basePath}/tooling`;
    const sobjects = org.catalogue.list().map((type) => describeBriefly(type, basePath));
    return c.json({ encoding: 'UTF-8', maxBatchSize: 200, sobjects });
  });
  router.get('/sobjects/:type/describe', (c) => {
    const type = org.catalogue.find(c.req.param('type'));
    if (type === undefined) throw notFound();
    return c.json(describeObject(org, type, c.var.user, `${c.var.basePath}/tooling`));
  });
  router.post('/sobjects/CustomField', (c) => {
    if (!org.access.mayDo(c.var.user, 'CustomizeApplication')) throw noRightError();
    const order = readJson(customFieldSchema, c.var.body);
    const { type, field } = readCustomField(org.catalogue, order);
    const result = org.store.insert(c.var.user, org.catalogue.get('CustomField'), {
      DeveloperName: field.name.replace(/__c$/, ''),
      TableEnumOrId: type.name,
      Description: order.Metadata.description ?? null,
    });
    if (result.id === null) throw toRequestError(result);
    org.catalogue.addCustomField(result.id, type, field, order.Metadata);
    return c.json({ ...saved(result.id), warnings: [], infos: [] }, 201);
  });
  router.get('/sobjects/CustomField/:id', (c) => {
    const { id, type, name, metadata } = findCustomField(org, c.req.param('id'));
    const url = `${c.var.basePath}/tooling/sobjects/CustomField/${id}`;
    return c.json({
      attributes: { type: 'CustomField', url },
      Id: id,
      DeveloperName: name.replace(/__c$/, ''),
      TableEnumOrId: type.name,
      FullName: `${type.name}.${name}`,
      Metadata: metadata,
    });
  });
  router.patch('/sobjects/CustomField/:id', (c) => {
    if (!org.access.mayDo(c.var.user, 'CustomizeApplication')) throw noRightError();
    const { type, name } = findCustomField(org, c.req.param('id'));
    const { Metadata } = readJson(fieldChangeSchema, c.var.body);
    org.catalogue.changeField(type, defineCustomField(name, Metadata), Metadata);
    return c.body(null, 204);
  });
  router.delete('/sobjects/CustomField/:id', (c) => {
    const { id, type, name } = findCustomField(org, c.req.param('id'));
    const field = findField(type, name);
    if (field === undefined) throw notFound();
    org.catalogue.removeCustomField(id, type, field);
    org.store.remove(c.var.user, org.catalogue.get('CustomField'), id);
    return c.body(null, 204);
  });
  return router;
}

const rowSchema = z.object({
  type: z.string(),
  definition: z
    .string()
    .transform((text) => z.object({ name: z.string() }).parse(JSON.parse(text))),
  metadata: z.string().transform((text): unknown => JSON.parse(text)),
});

function findCustomField(org: Org, text: string) {
  const id = readId(text) ?? '';
  const row = org.db.prepare('select * from custom_fields where id = ?').get(id);
  if (row === undefined) throw notFound();
  const { type, definition, metadata } = rowSchema.parse(row);
  return { id, type: org.catalogue.get(type), name: definition.name, metadata };
}
