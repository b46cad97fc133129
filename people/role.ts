/** Relations of people to organisations. */

import type { BodyKind } from './body.ts';

/** A relation to an organisation with ISO dates. `end` is null while the relation lasts. */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** The kind of organisation, if it is real. Absent for invented organisations. */
  body?: BodyKind;
  /** True if the person served there as a judge, a legislator or a soldier, and was not merely employed. */
  isService?: boolean;
}
