/** The routes of `/crm/properties/{version}/{objectType}/groups`. */

import type { Hono } from 'hono';
import { z } from 'zod';
import { HubspotError, validationError } from '../core/errors.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { PropertyGroup, PropertyGroups } from '../properties/property-groups.ts';
import { STANDARD_GROUPS } from '../properties/standard-properties.ts';
import { createRouter, type HubspotEnv, readBody } from '../requests/context.ts';
import { schemaInPath } from '../requests/type-in-path.ts';

export function groupRoutes(groups: PropertyGroups): Hono<HubspotEnv> {
  const router = createRouter();
  router.get('/', (c) => c.json({ results: groups.list(schemaInPath(c, 'read')) }));
  router.get('/:groupName', (c) =>
    c.json(findGroup(groups, schemaInPath(c, 'read'), c.req.param('groupName'))),
  );
  router.post('/', async (c) => {
    const type = schemaInPath(c, 'write');
    const order = await readBody(c, createBody);
    if (groups.find(type, order.name)?.archived === false) {
      const message = `A property group named '${order.name}' already exists.`;
      throw new HubspotError(409, 'OBJECT_ALREADY_EXISTS', message);
    }
    const group = { ...order, archived: false };
    groups.save(type, group);
    return c.json(group, 201);
  });
  router.patch('/:groupName', async (c) => {
    const type = schemaInPath(c, 'write');
    const { label, displayOrder } = await readBody(c, updateBody);
    const group = findOwnGroup(groups, type, c.req.param('groupName'));
    const changed = {
      ...group,
      label: label ?? group.label,
      displayOrder: displayOrder ?? group.displayOrder,
    };
    groups.save(type, changed);
    return c.json(changed);
  });
  router.delete('/:groupName', (c) => {
    const type = schemaInPath(c, 'write');
    const group = findOwnGroup(groups, type, c.req.param('groupName'));
    groups.save(type, { ...group, archived: true });
    return c.body(null, 204);
  });
  return router;
}

const createBody = z.object({
  name: z.string().min(1),
  label: z.string().min(1),
  displayOrder: z.number().int().default(-1),
});
const updateBody = z.object({
  label: z.string().min(1).optional(),
  displayOrder: z.number().int().optional(),
});

function findGroup(groups: PropertyGroups, type: ObjectType, name: string): PropertyGroup {
  const group = groups.find(type, name);
  if (group?.archived === false) return group;
  throw new HubspotError(404, 'OBJECT_NOT_FOUND', `Property group "${name}" does not exist.`);
}

function findOwnGroup(groups: PropertyGroups, type: ObjectType, name: string): PropertyGroup {
  if (STANDARD_GROUPS[type.name].some(([standard]) => standard === name)) {
    throw validationError(`Property group "${name}" is defined by HubSpot and cannot be changed.`);
  }
  return findGroup(groups, type, name);
}
