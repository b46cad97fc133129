import type { Finding } from '../../contract.ts';
import { met, plain } from '../../findings/findings.ts';
import type { HubspotSession } from '../session.ts';

/** The title of the finding. */
export const RULES = 'validation rules';

/**
 * Reports which mapped properties have validation rules. The value of `fields` is null if the mapped properties are
 * unknown.
 */
export async function checkRules(
  { rules }: Pick<HubspotSession, 'rules'>,
  fields: readonly string[] | null,
): Promise<Finding[]> {
  const known = await rules.read();
  if (known === null) return [plain(UNREADABLE)];
  const ruled = [...known.ruled].filter((name) => fields === null || fields.includes(name)).sort();
  if (ruled.length === 0) return [plain(met(RULES, 'No mapped property has a validation rule.'))];
  const message = `Values that break a validation rule in HubSpot are not written; the contact's other values are written. Properties with rules: ${ruled.join(', ')}.`;
  const report = `${ruled.length} mapped properties have validation rules.`;
  return [{ ...met(RULES, message), report }];
}

const UNREADABLE: Finding = {
  subject: RULES,
  ok: true,
  message:
    'HubSpot does not allow donor-sync to read the validation rules. donor-sync finds values that break a rule by trial, which costs more requests.',
  fix: 'Add the scope crm.schemas.contacts.read to the service key or the app in HubSpot, and connect again.',
};
