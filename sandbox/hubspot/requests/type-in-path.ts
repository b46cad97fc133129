/** Reads the object type from a path and checks whether the token has access to it. */

import { findObjectType, type ObjectType } from '../core/object-type.ts';
import type { HubspotContext } from './context.ts';
import { checkScopes } from './scopes.ts';

/** Returns the object type in the path of a request about records. */
export function typeInPath(c: HubspotContext, right: 'read' | 'write'): ObjectType {
  const type = findObjectType(c.req.param('objectType') ?? '');
  checkScopes(c.var.grant.scopes, [`crm.objects.${type.name}.${right}`]);
  return type;
}

/**
 * Returns the object type in the path of a request about properties. A token that can read records can also read their
 * properties' definitions.
 */
export function schemaInPath(c: HubspotContext, right: 'read' | 'write'): ObjectType {
  const type = findObjectType(c.req.param('objectType') ?? '');
  const scopes = [`crm.schemas.${type.name}.${right}`];
  if (right === 'read') {
    scopes.push(`crm.objects.${type.name}.read`, `crm.objects.${type.name}.write`);
  }
  checkScopes(c.var.grant.scopes, scopes);
  return type;
}
