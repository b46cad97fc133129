/** The object that a URL names. */

import type { Access, User } from './access.ts';
import type { Catalogue } from './catalogue.ts';
import { notFound } from './errors.ts';
import type { ObjectType } from './object-type.ts';

/** Unlike in SOQL, an object that the user does not know is a path that leads nowhere: NOT_FOUND. */
export function typeInPath(
  { catalogue, access }: { catalogue: Catalogue; access: Access },
  user: User,
  name: string,
): ObjectType {
  const type = catalogue.find(name);
  if (type === undefined || type.toolingOnly || !access.canReadType(user, type)) throw notFound();
  return type;
}
