/** The object that a URL names. */

import { notFound } from '../core/errors.ts';
import type { Access, User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';

/**
 * Unlike in SOQL, an object that the user cannot see leads to a path that does not exist:
 * NOT_FOUND.
 */
export function typeInPath(
  { catalogue, access }: { catalogue: Catalogue; access: Access },
  user: User,
  name: string,
): ObjectType {
  const type = catalogue.find(name);
  if (type === undefined || type.toolingOnly || !access.canReadType(user, type)) throw notFound();
  return type;
}
