/** Creates findings about the parts of a contact's identity and about excluded contacts. */
import type { Exclusion } from '../../../src/core/contact.ts';
import type { Finding, IdentitySource } from '../../contract.ts';
import { met, plain } from '../../findings/findings.ts';
import type { ContactShape } from '../contact.ts';
import { ACCOUNT_NAME, AFFILIATION_NAME } from '../employer.ts';
import { RELATION_NAME } from '../relations.ts';
import { PRIMARY_AFFILIATION } from '../success-pack.ts';

/** Creates the findings. For each hidden field, explains the consequence. */
export function checkIdentity({ identity, exclusions }: ContactShape): Finding[] {
  const { sources } = identity;
  return [
    checkAddresses(sources.filter(({ part }) => part === 'addresses')),
    ...checkEmployers(sources.filter(({ part }) => part === 'employers')),
    checkMarks('deceased', exclusions.marks.deceased),
    checkMarks('do_not_contact', exclusions.marks.do_not_contact),
  ].map((finding) => plain(finding.ok ? finding : { ...finding, cause: 'crm_field_hidden' }));
}

const LEFT_OUT = 'left out of submissions to the service';

/** If the second address is hidden, the finding is only advice, because many orgs never use this address. */
function checkAddresses(sources: readonly IdentitySource[]): Finding {
  const subject = 'addresses';
  const hidden = sources.filter(({ readable }) => !readable).map(({ name }) => name);
  if (hidden.length === 0) return met(subject, 'The mailing and the other address can be read.');
  const kinds = ['Mailing', 'Other'].filter((kind) => hidden.some((name) => name.startsWith(kind)));
  const message = `The integration's user cannot read ${listed(hidden)}, so they are ${LEFT_OUT}.`;
  const setupNames = listed(kinds.map((kind) => `${kind} Address`));
  const fix = `Grant the user read access to ${setupNames} of Contact in a permission set (Setup shows the five parts of an address as one field).`;
  return { subject, ok: !kinds.includes('Mailing'), message, fix };
}

function checkEmployers(sources: readonly IdentitySource[]): Finding[] {
  const hidden = sources.filter(({ readable }) => !readable).map(({ name }) => name);
  const seen = sources.filter(({ readable }) => readable).map(({ name }) => name);
  if (hidden.length === 0) return [met('employer', `It is read from ${listed(seen)}.`)];
  return hidden.map((name) => ({ subject: 'employer', ...hiddenEmployer(name, seen) }));
}

function hiddenEmployer(name: string, seen: readonly string[]): Omit<Finding, 'subject'> {
  switch (name) {
    case AFFILIATION_NAME: {
      const substitute = seen.includes(ACCOUNT_NAME)
        ? ` ${ACCOUNT_NAME} is used instead, unless the account is a household.`
        : '';
      return {
        ok: false,
        message: `The field ${PRIMARY_AFFILIATION}, which names the employer with the Nonprofit Success Pack, is hidden from the integration's user, so it is ${LEFT_OUT}.${substitute}`,
        fix: `Grant the user read access to ${PRIMARY_AFFILIATION} of Contact in a permission set, or set crm.employer: account to do without this field permanently.`,
      };
    }
    case RELATION_NAME:
      // Hidden relations cannot be distinguished from missing relations.
      return {
        ok: true,
        message: `The integration's user cannot see any relations between contacts and accounts, so employers of person accounts are ${LEFT_OUT}.`,
        fix: 'If your org relates people to their employers, grant the user read access to AccountContactRelation and its fields Roles and IsActive.',
      };
    default:
      return {
        ok: false,
        message: `The integration's user cannot read the employer from ${name}, so it is ${LEFT_OUT}.`,
        fix: 'Grant the user read access in a permission set to AccountId of Contact and, with the Nonprofit Success Pack, to npe01__SYSTEM_AccountType__c of Account, which tells households from employers.',
      };
  }
}

/** The text for each reason to exclude a contact. */
const REASONS = {
  deceased: {
    subject: 'deceased',
    people: 'deceased contacts',
    setting: 'contacts.deceasedField',
    include: 'contacts.includeDeceased',
  },
  do_not_contact: {
    subject: 'do not contact',
    people: 'contacts that must not be contacted',
    setting: 'contacts.doNotContactField',
    include: 'contacts.includeDoNotContact',
  },
} satisfies Record<Exclusion, object>;

function checkMarks(
  reason: Exclusion,
  marks: ContactShape['exclusions']['marks'][Exclusion],
): Finding {
  const { subject, people, setting, include } = REASONS[reason];
  if (marks === null) return met(subject, `${include}: these contacts are researched anyway.`);
  const { readable, hidden } = marks;
  if (hidden.length > 0) {
    return {
      subject,
      ok: false,
      message: `The integration's user cannot read the fields that mark ${people}: ${listed(hidden)}. Each of these contacts may cost a credit.`,
      fix: `Grant the user read access to ${listed(hidden)} in a permission set, or set ${include}: true to research these contacts.`,
    };
  }
  if (readable.length > 0)
    return met(subject, `${listed(readable)}: ${people} are not researched.`);
  const message = `donor-sync does not know a Contact field that marks ${people}.`;
  return { subject, ok: true, message, fix: `If your org has one, name it in ${setting}.` };
}

/** Returns a list such as `A, B and C`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
