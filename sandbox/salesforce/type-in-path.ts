/** The object that a URL names. */

import type { Catalogue } from './catalogue.ts';
import { notFound } from './errors.ts';
import type { ObjectType } from './object-type.ts';

/** Unlike in SOQL, an object that nobody knows is a path that leads nowhere: NOT_FOUND. */
export function typeInPath(catalogue: Catalogue, name: string): ObjectType {
  const type = catalogue.find(name);
  if (type === undefined || type.toolingOnly) throw notFound();
  return type;
}
