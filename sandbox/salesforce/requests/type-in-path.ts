/** Finds the object that a path names. */

import { notFound } from '../core/errors.ts';
import type { Access, User } from '../metadata/access.ts';
import type { Catalogue } from '../metadata/catalogue.ts';
import type { ObjectType } from '../metadata/object-type.ts';

/** Returns the object. If the user cannot see the object, throws NOT_FOUND, unlike SOQL. */
export function typeInPath(
  { catalogue, access }: { catalogue: Catalogue; access: Access },
  user: User,
  name: string,
): ObjectType {
  const type = catalogue.find(name);
  if (type === undefined || type.toolingOnly || !access.canReadType(user, type)) throw notFound();
  return type;
}
