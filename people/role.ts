/** The relations of people to organisations. */

import type { BodyKind } from './body.ts';

/** A dated relation to an organisation. Dates are ISO days. `end` is null while the relation lasts. */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** The kind of organisation if it really exists. Absent for invented ones. */
  body?: BodyKind;
  /** Served there as a judge, a legislator or a soldier rather than worked there. */
  isService?: boolean;
}
