import { z } from 'zod';
import { isConfigurationError, isDonorSyncError } from '../../src/core/errors.ts';
import type { ConnectorOptions, Finding, LimitState } from '../contract.ts';
import { checkClock, checkDailyRequests, checked, met, metContacts } from '../findings.ts';
import { createApi, type SalesforceApi, type SalesforceWorld } from './api.ts';
import { requireFilter } from './filter.ts';
import { openSession, type SalesforceSession } from './session.ts';
import type { SalesforceSettings } from './settings.ts';
import { checkIdentity } from './sign-in/check-identity.ts';

/** Every prerequisite of an integration with Salesforce, looked at without changing anything. */
export async function check(
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Finding[]> {
  const signIn = await checked('sign-in', SIGN_IN_MEND, () => checkSignIn(options, world));
  if (signIn.some(({ ok }) => !ok)) return signIn;
  let session: SalesforceSession | null = null;
  const contact = await checked('Contact', CONTACT_MEND, async () => {
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
    ...(await checked('contacts', FILTER_MEND, async () => {
      await requireFilter(opened);
      return metContacts('Salesforce', options.contacts);
    })),
    ...(await checkDailyRequests(DAILY_WORDS, options.settings, () => readLimits(opened))),
    ...checkClock('Salesforce', opened),
  ];
}

const SIGN_IN_MEND = 'Mend crm.url and crm.auth as the message says.';
const CONTACT_MEND =
  "Give the integration's user read and edit access to Contact and to the fields in the message.";
const SETTINGS_FIX = 'Write it into the settings as the message says.';
const FILTER_MEND = 'Mend contacts.filter: it is a SOQL condition on Contact, without WHERE.';
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
  const api = await createApi(settings, deps, world);
  const { instanceUrl } = await api.signIn();
  const signedIn = met('sign-in', `Salesforce signs the integration in at ${instanceUrl}.`);
  return [signedIn, await checkVersion(api, settings.apiVersion)];
}

async function checkVersion(api: SalesforceApi, wanted: string): Promise<Finding> {
  const subject = 'API version';
  const versions = versionsSchema.parse(await api.get('/services/data'));
  if (versions.some(({ version }) => version === wanted)) {
    return met(subject, `The org has version ${wanted} of the API.`);
  }
  const newest = versions.at(-1)?.version ?? 'none';
  const message = `The org has no version ${wanted} of the API; its newest is ${newest}.`;
  return { subject, ok: false, message, mend: `Write "${newest}" into crm.apiVersion.` };
}

/** What is wrong with the settings rather than with the rights; null for any other failure. */
function settingsFinding(error: unknown): Finding | null {
  if (!isConfigurationError(error)) return null;
  const subject = SETTINGS_SUBJECTS.get(error.code);
  if (subject === undefined) return null;
  return { subject, ok: false, message: error.message, mend: SETTINGS_FIX };
}

const SETTINGS_SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['opt_out_values_missing', 'opt-out'],
  ['opt_out_values_unknown', 'opt-out'],
  ['crm_field_unsuitable', 'contacts'],
]);

function checkContact({ description }: SalesforceSession): Finding {
  if (description.updateable) return met('Contact', 'Contacts can be read and edited.');
  const message = "The integration's user may not edit contacts.";
  return { subject: 'Contact', ok: false, message, mend: CONTACT_MEND };
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
    const { DailyApiRequests } = limitsSchema.parse(await api.readLimits());
    const listed = { max: DailyApiRequests.Max, remaining: DailyApiRequests.Remaining };
    return api.limit.state() ?? { daily: listed };
  } catch (error) {
    if (!isDonorSyncError(error) || error.kind !== 'configuration') throw error;
    if (error.code === 'crm_unauthorized') throw error;
    return api.limit.state();
  }
}
