import { type AnyHold, decisionsFor, reasonText } from '../../application/holds.ts';
import { isoTime } from '../../core/clock.ts';

/** A hold as `holds --json` shows it. */
export interface HoldView {
  id: string;
  integration: string;
  /** The contact's id in the CRM; null for the hold of a network. */
  contact: string | null;
  /** The name of the network; only for its hold. */
  network?: string;
  kind: AnyHold['row']['kind'];
  /** Holds of one cause share it and can be decided together; null for one that stands alone. */
  batch: string | null;
  /** Why it is held, in words. */
  reason: string;
  /** What may be decided. */
  decisions: ReturnType<typeof decisionsFor>;
  since: string;
  /** With `--show`: the two names; null if the hold is not about names. */
  names?: HoldNames | null;
}

/** The names that differ, as CRM and service have them now. */
export interface HoldNames {
  contact: string | null;
  profile: string | null;
  /** Why a name is missing here. */
  problem: string | null;
}

/** A hold as `holds --json` shows it, without names. */
export function describeHold(hold: AnyHold): HoldView {
  const { id, integration_id: integration, kind, opened_at } = hold.row;
  return {
    ...{ id, integration, kind },
    ...(hold.about === 'contact'
      ? { contact: hold.row.crm_id, batch: hold.row.batch }
      : { contact: null, network: hold.row.name, batch: null }),
    reason: reasonText(hold),
    decisions: decisionsFor(hold),
    since: isoTime(opened_at),
  };
}
