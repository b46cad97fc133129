/** What the parts of a query share while it is translated. */

import type { Access, User } from '../../metadata/access.ts';
import type { Catalogue } from '../../metadata/catalogue.ts';

/** Whose query it is, and of which org. */
export interface QueryContext {
  catalogue: Catalogue;
  access: Access;
  user: User;
  /** The query as it was sent, for error messages. */
  soql: string;
  /** Milliseconds since 1970, for TODAY and the like. */
  nowMs: number;
  /** Whether deleted records are found too. */
  all: boolean;
}
