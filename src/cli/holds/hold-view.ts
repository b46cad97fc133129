import { isoTime } from '../../core/clock.ts';
import type { HoldRow } from '../../store/holds.ts';

/** A hold as `holds --json` shows it. */
export interface HoldView {
  id: string;
  integration: string;
  /** The contact's id in the CRM. */
  contact: string;
  kind: HoldRow['kind'];
  /** Why it is held, in words. */
  reason: string;
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

export function describeHold(row: HoldRow): HoldView {
  return {
    id: row.id,
    integration: row.integration_id,
    contact: row.crm_id,
    kind: row.kind,
    reason: reasonOf(row),
    since: isoTime(row.opened_at),
  };
}

/** What the name guard found, in words; the words of the guard are in `name-guard.ts`. */
const MISMATCHES = new Map([
  ['last_name_differs', 'the profile has another last name'],
  ['first_name_unrelated', 'the profile has a first name that is no form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

function reasonOf({ kind, detail }: HoldRow): string {
  if (kind === 'name_mismatch') {
    return MISMATCHES.get(detail ?? '') ?? 'the name in the profile is not that of the contact';
  }
  const proof = detail === null ? '' : `: ${detail}`;
  return `the answer to its submission was lost and its credit may be spent${proof}`;
}
