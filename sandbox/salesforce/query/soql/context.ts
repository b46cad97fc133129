/** The data that all parts of a query need while it is translated. */

import type { Access, User } from '../../metadata/access.ts';
import type { Catalogue } from '../../metadata/catalogue.ts';

/** The user and the org of a query. */
export interface QueryContext {
  catalogue: Catalogue;
  access: Access;
  user: User;
  /** The query as the client sent it, for error messages. */
  soql: string;
  /** The current time (milliseconds since 1970), for TODAY and similar literals. */
  nowMs: number;
  /** True to find deleted records too. */
  all: boolean;
}
