import { z } from 'zod';
import type { Exclusion } from '../../src/core/contact.ts';
import { isConfigurationError, isDonorSyncError } from '../../src/core/errors.ts';
import type { ConnectorOptions, Finding, IdentitySource, LimitState } from '../contract.ts';
import { checkClock, checkDailyRequests, checked, met, metContacts } from '../findings.ts';
import { createApi, type SalesforceApi, type SalesforceWorld } from './api.ts';
import type { ContactShape } from './contact.ts';
import { ACCOUNT_NAME, AFFILIATION_NAME } from './employer.ts';
import { readAs } from './errors.ts';
import { requireFilter } from './filter.ts';
import { RELATION_NAME } from './relations.ts';
import { openSession, type SalesforceSession } from './session.ts';
import type { SalesforceSettings } from './settings.ts';
import { PRIMARY_AFFILIATION } from './success-pack.ts';

/** Every prerequisite of an integration with Salesforce, looked at without changing anything. */
export async function check(
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Finding[]> {
  const signIn = await checked('sign-in', SIGN_IN_FIX, () => checkSignIn(options, world));
  if (signIn.some(({ ok }) => !ok)) return signIn;
  let session: SalesforceSession | null = null;
  const contact = await checked('Contact', CONTACT_FIX, async () => {
    try {
      session = await openSession(options, world);
    } catch (error) {
      const finding = settingsFinding(error);
      if (finding === null) throw error;
      return [finding];
    }
    return [checkContact(session), ...checkIdentity(session.shape)];
  });
  if (session === null) return [...signIn, ...contact];
  const opened: SalesforceSession = session;
  return [
    ...signIn,
    ...contact,
    ...(await checked('contacts', FILTER_FIX, async () => {
      await requireFilter(opened);
      return metContacts('Salesforce', options.contacts);
    })),
    ...(await checkDailyRequests(DAILY_WORDS, options.settings, () => readLimits(opened))),
    ...checkClock('Salesforce', opened),
  ];
}

const SIGN_IN_FIX = 'Correct crm.url and crm.auth as the message says.';
const CONTACT_FIX =
  "Give the integration's user read and edit access to Contact and to the fields in the message.";
const SETTINGS_FIX = 'Write it into the settings as the message says.';
const FILTER_FIX = 'Correct contacts.filter: it is a SOQL condition on Contact, without WHERE.';
const DAILY_WORDS = {
  crm: 'Salesforce',
  period: '24 hours',
  renewal: 'older requests are more than 24 hours ago',
};

const versionsSchema = z.array(z.object({ version: z.string() }));

async function checkSignIn(
  { settings, deps }: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Finding[]> {
  const api = createApi(settings, deps, world);
  const { instanceUrl } = await api.signIn();
  const signedIn = met('sign-in', `Salesforce signs the integration in at ${instanceUrl}.`);
  return [signedIn, await checkVersion(api, settings.apiVersion)];
}

async function checkVersion(api: SalesforceApi, wanted: string): Promise<Finding> {
  const subject = 'API version';
  const versions = readAs(versionsSchema, await api.get('/services/data'));
  if (versions.some(({ version }) => version === wanted)) {
    return met(subject, `The org has version ${wanted} of the API.`);
  }
  const newest = versions.at(-1)?.version ?? 'none';
  const message = `The org has no version ${wanted} of the API; its newest is ${newest}.`;
  return { subject, ok: false, message, fix: `Write "${newest}" into crm.apiVersion.` };
}

/** What is wrong with the settings rather than with the rights; null for any other failure. */
function settingsFinding(error: unknown): Finding | null {
  if (!isConfigurationError(error)) return null;
  const subject = SETTINGS_SUBJECTS.get(error.code);
  if (subject === undefined) return null;
  return { subject, ok: false, message: error.message, fix: SETTINGS_FIX };
}

const SETTINGS_SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['opt_out_values_missing', 'opt-out'],
  ['opt_out_values_unknown', 'opt-out'],
  ['crm_field_unsuitable', 'contacts'],
]);

function checkContact({ description }: SalesforceSession): Finding {
  if (description.updateable) return met('Contact', 'Contacts can be read and edited.');
  const message = "The integration's user may not edit contacts.";
  return { subject: 'Contact', ok: false, message, fix: CONTACT_FIX };
}

const limitsSchema = z.object({
  DailyApiRequests: z.object({ Max: z.number(), Remaining: z.number() }),
});

/**
 * The org's daily requests. The list of limits needs a permission that the user may lack, and is
 * up to five minutes old; then the last answer's header says it.
 */
export async function readLimits({
  api,
}: Pick<SalesforceSession, 'api'>): Promise<LimitState | null> {
  try {
    const { DailyApiRequests } = readAs(limitsSchema, await api.readLimits());
    const listed = { max: DailyApiRequests.Max, remaining: DailyApiRequests.Remaining };
    return api.limit.state() ?? { daily: listed };
  } catch (error) {
    if (!isDonorSyncError(error) || error.kind !== 'configuration') throw error;
    if (error.code === 'crm_unauthorized') throw error;
    return api.limit.state();
  }
}

/** The findings about what contacts are made into persons from, and about who is left out. */

/** What a hidden field means for the persons and for the credits; each with its fix. */
export function checkIdentity({ identity, exclusions }: ContactShape): Finding[] {
  const { sources } = identity;
  return [
    checkAddresses(sources.filter(({ part }) => part === 'addresses')),
    ...checkEmployers(sources.filter(({ part }) => part === 'employers')),
    checkMarks('deceased', exclusions.marks.deceased),
    checkMarks('do_not_contact', exclusions.marks.do_not_contact),
  ];
}

const LEFT_OUT = 'left out of what the service is asked';

/** The second address is advice: many orgs never fill it in. */
function checkAddresses(sources: readonly IdentitySource[]): Finding {
  const subject = 'addresses';
  const hidden = sources.filter(({ readable }) => !readable).map(({ name }) => name);
  if (hidden.length === 0) return met(subject, 'The mailing and the other address can be read.');
  const kinds = ['Mailing', 'Other'].filter((kind) => hidden.some((name) => name.startsWith(kind)));
  const message = `The integration's user may not read ${listed(hidden)}: ${LEFT_OUT}.`;
  const setupNames = listed(kinds.map((kind) => `${kind} Address`));
  const fix = `Grant it read access to ${setupNames} of Contact in a permission set (Setup shows the five parts of an address as one field).`;
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
        ? ` ${ACCOUNT_NAME} stands in where the account is no household.`
        : '';
      return {
        ok: false,
        message: `The field ${PRIMARY_AFFILIATION}, which names the employer with the Nonprofit Success Pack, is hidden from the integration's user: ${LEFT_OUT}.${substitute}`,
        fix: `Grant the user read access to ${PRIMARY_AFFILIATION} of Contact in a permission set, or write crm.employer: account to do without it for good.`,
      };
    }
    case RELATION_NAME:
      // Salesforce tells an org without relations and a user who may not see them the same.
      return {
        ok: true,
        message: `The integration's user sees no relations between contacts and accounts: employers of person accounts are ${LEFT_OUT}.`,
        fix: 'If your org relates people to their employers, grant the user read access to AccountContactRelation and its fields Roles and IsActive.',
      };
    default:
      return {
        ok: false,
        message: `The integration's user may not read the employer from ${name}: ${LEFT_OUT}.`,
        fix: 'Grant the user read access in a permission set to AccountId of Contact and, with the Nonprofit Success Pack, to npe01__SYSTEM_AccountType__c of Account, which tells households from employers.',
      };
  }
}

/** How each reason is worded. */
const REASONS = {
  deceased: {
    subject: 'deceased',
    people: 'who has died',
    setting: 'contacts.deceasedField',
    include: 'contacts.includeDeceased',
  },
  do_not_contact: {
    subject: 'do not contact',
    people: 'who wants no contact',
    setting: 'contacts.doNotContactField',
    include: 'contacts.includeDoNotContact',
  },
} satisfies Record<Exclusion, object>;

function checkMarks(
  reason: Exclusion,
  marks: ContactShape['exclusions']['marks'][Exclusion],
): Finding {
  const { subject, people, setting, include } = REASONS[reason];
  if (marks === null) return met(subject, `${include}: they are researched all the same.`);
  const { readable, hidden } = marks;
  if (hidden.length > 0) {
    return {
      subject,
      ok: false,
      message: `What tells ${people} is hidden from the integration's user: ${listed(hidden)}. Each of these people may cost a credit.`,
      fix: `Grant the user read access to ${listed(hidden)} in a permission set, or write ${include}: true to have them researched.`,
    };
  }
  if (readable.length > 0) return met(subject, `${listed(readable)}: ${people} is not researched.`);
  const message = `No field of Contact is known that tells ${people}.`;
  return { subject, ok: true, message, fix: `If your org has one, name it in ${setting}.` };
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
