import { z } from 'zod';
import { isConfigurationError, isDonorSyncError } from '../../../src/core/errors.ts';
import type { ConnectorOptions, Finding, LimitState } from '../../contract.ts';
import { CURRENCIES, currencyFindings } from '../../findings/currency-findings.ts';
import {
  attempt,
  checkClock,
  checkDailyRequests,
  checked,
  met,
  metContacts,
  plain,
  untilLimit,
} from '../../findings/findings.ts';
import { createApi, type SalesforceApi, type SalesforceWorld } from '../api.ts';
import { readAs } from '../errors.ts';
import { requireFilter } from '../filter.ts';
import { hasCurrencies, readRates } from '../money/currencies.ts';
import { openSession, type SalesforceSession } from '../session.ts';
import type { SalesforceSettings } from '../settings.ts';
import { findVersion } from '../versions.ts';
import { checkIdentity } from './identity.ts';
import { checkMarks } from './marks.ts';
import { checkObjects, checkSuccessPack } from './objects.ts';

/** Checks every prerequisite of a Salesforce client. The check does not change anything in Salesforce. */
export function check(
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Finding[]> {
  return untilLimit(DAILY_WORDS, options.deps, (findings) => examine(findings, options, world));
}

async function examine(
  findings: Finding[],
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<void> {
  const { settings, contacts, uses } = options;
  findings.push(...(await checked('sign-in', SIGN_IN_FIX, () => checkSignIn(options, world))));
  if (findings.some(({ ok }) => !ok)) return;
  const session = await openForChecks(findings, options, world);
  if (session === null) return;
  findings.push(checkContact(session));
  const pack = await checked('employer', CONTACT_FIX, () => checkSuccessPack(session));
  const isPackHidden = pack.length > 0;
  findings.push(
    ...pack,
    // donor-sync's Salesforce user cannot see the package, although the org has it.
    ...checkIdentity(session.shape).filter(
      ({ subject }) => !(isPackHidden && subject === 'employer'),
    ),
    ...(await checkObjects(session, uses?.groups ?? [])),
    ...(await checked(CURRENCIES, RATES_FIX, () => checkCurrencies(session, uses?.fields ?? []))),
    ...(await checked('contacts', FILTER_FIX, async () => {
      await requireFilter(session);
      return metContacts('Salesforce', contacts);
    })),
    ...(await checked('unknown marks', MARKS_FIX, () => checkMarks(session, contacts))),
    ...(await checkDailyRequests(DAILY_WORDS, settings, () => readLimits(session))),
    ...checkClock('Salesforce', session),
  );
}

/** Opens the session. If the session cannot be opened, adds the reason to the findings and returns null. */
function openForChecks(
  findings: Finding[],
  options: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<SalesforceSession | null> {
  return attempt(findings, 'Contact', CONTACT_FIX, async () => {
    try {
      return await openSession(options, world);
    } catch (error) {
      const finding = settingsFinding(error);
      if (finding === null) throw error;
      findings.push(finding);
      return null;
    }
  });
}

const SIGN_IN_FIX = 'Correct crm.url and crm.auth as the message says.';
const CONTACT_FIX =
  "Give the integration's user read and edit access to Contact and to the fields in the message.";
const SETTINGS_FIX = 'Correct the settings as the message says.';
const FILTER_FIX =
  'Correct contacts.filter: it must be a SOQL condition on Contact, without WHERE.';
const MARKS_FIX =
  'Run doctor again: the values of the picklists that mark contacts could not be checked.';
const RATES_FIX =
  "Activate US dollars and the currencies of your contacts in Setup → Manage Currencies, and let the integration's user read Currency Type.";
const DAILY_WORDS = {
  crm: 'Salesforce',
  period: '24 hours',
  renewal: "yesterday's requests are more than 24 hours old, which frees some requests every hour",
};

async function checkSignIn(
  { settings, deps }: ConnectorOptions<SalesforceSettings>,
  world: SalesforceWorld,
): Promise<Finding[]> {
  const api = createApi(settings, deps, world);
  const { instanceUrl } = await api.signIn();
  const message = `Salesforce signs the integration in at ${instanceUrl}.`;
  const signedIn = { ...met('sign-in', message), report: 'Salesforce signs the integration in.' };
  return [signedIn, await checkVersion(api, settings.apiVersion)];
}

async function checkVersion(api: SalesforceApi, wanted: string): Promise<Finding> {
  const subject = 'API version';
  const { isThere, newest } = await findVersion(api, wanted);
  if (isThere) {
    return plain(met(subject, `The org supports API version ${wanted}.`));
  }
  const message = `The org does not support API version ${wanted}. Its newest version is ${newest}.`;
  const fix = `Set crm.apiVersion to "${newest}".`;
  return plain({ subject, ok: false, message, fix, cause: 'crm_version_unknown' });
}

/** Returns a finding about the problem with the settings, or null if the error has a different cause. */
function settingsFinding(error: unknown): Finding | null {
  if (!isConfigurationError(error)) return null;
  const subject = SETTINGS_SUBJECTS.get(error.code);
  if (subject === undefined) return null;
  const { message, code: cause } = error;
  return { subject, ok: false, message, fix: SETTINGS_FIX, cause };
}

const SETTINGS_SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['opt_out_values_missing', 'opt-out'],
  ['opt_out_values_unknown', 'opt-out'],
  ['crm_field_unsuitable', 'contacts'],
]);

function checkContact({ description }: SalesforceSession): Finding {
  if (description.updateable) return plain(met('Contact', 'Contacts can be read and edited.'));
  const message = "The integration's user may not edit contacts.";
  return plain({
    subject: 'Contact',
    ok: false,
    message,
    fix: CONTACT_FIX,
    cause: 'crm_object_not_editable',
  });
}

/** Shows the exchange rates, so that a user can decide whether to convert amounts with them. */
async function checkCurrencies(
  session: SalesforceSession,
  mapped: readonly string[],
): Promise<Finding[]> {
  const { description, settings } = session;
  if (!hasCurrencies(description)) return [];
  const fields = mapped.filter((name) => description.fields.get(name)?.type === 'currency');
  if (fields.length === 0) return [];
  const seen = { mode: settings.currency, rates: await readRates(session) };
  return currencyFindings('Salesforce', fields, seen, RATES_FIX);
}

const limitsSchema = z.object({
  DailyApiRequests: z.object({ Max: z.number(), Remaining: z.number() }),
});

/** Returns the org's daily requests. If the limits cannot be read, uses the header of the last response. */
export async function readLimits({
  api,
}: Pick<SalesforceSession, 'api'>): Promise<LimitState | null> {
  try {
    const { DailyApiRequests } = readAs(limitsSchema, await api.limits());
    const listed = { max: DailyApiRequests.Max, remaining: DailyApiRequests.Remaining };
    return api.limit.state() ?? { daily: listed };
  } catch (error) {
    if (!isDonorSyncError(error) || error.kind !== 'configuration') throw error;
    if (error.code === 'crm_unauthorized') throw error;
    return api.limit.state();
  }
}
