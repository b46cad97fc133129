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
  /** The kind of organisation. Omitted for fictional organisations. */
  body?: BodyKind;
  /**
   * True if the person served in the organisation as a judge, a legislator or a soldier. False for ordinary employment.
   */
  isService?: boolean;
}
