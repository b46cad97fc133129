/** Previews a requested delivery for the terminal and the API. */

import type { FieldMapping } from '../../core/field-map.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { exclusionText, KEPT_OUT_TEXTS } from '../../fields/redelivery-view.ts';
import type { RunDeps } from '../control/context.ts';
import { openCrm } from '../control/crm-account.ts';
import { chooseFields } from './choose-fields.ts';
import { previewRedelivery, type RedeliveryPreview } from './request.ts';

export interface WantedDelivery {
  integration: Integration;
  /** The contact's ID in the CRM, or null for all contacts. */
  only: string | null;
  /** The names of the chosen fields. An empty list means all mapped fields. */
  names: readonly string[];
}

/**
 * Opens the CRM and counts the values that the delivery would write now. Writes nothing. Throws a ConfigurationError
 * for an unknown field.
 */
export async function previewRequest(
  { deps, mappings }: { deps: RunDeps; mappings: readonly FieldMapping[] },
  { integration, only, names }: WantedDelivery,
): Promise<RedeliveryPreview> {
  const fields = chooseFields(mappings, names);
  const crm = await openCrm(deps, null);
  return previewRedelivery(crm, { integration, mappings, only, fields });
}

/** Returns the preview as a JSON document, with the numbers of contacts and the reasons in words. */
export function describePreview({ fields, kept, excluded, ...preview }: RedeliveryPreview) {
  return {
    ...preview,
    fields: fields === null ? null : [...fields],
    kept: kept.map((each) => ({ ...each, text: KEPT_OUT_TEXTS[each.state] })),
    excluded: excluded.map((each) => ({ ...each, text: exclusionText(each.reason) })),
  };
}
