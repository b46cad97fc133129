/** Relationships between people and organisations. */

import type { BodyKind } from './body.ts';

/**
 * A relationship with an organisation, with its start and end as ISO dates. `end` is null while the relationship lasts.
 */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
  /** The kind of organisation. Only real organisations have one. Absent for invented organisations. */
  body?: BodyKind;
  /** True if the person served there as a judge, a legislator or a soldier. Ordinary employment is not enough. */
  isService?: boolean;
}
