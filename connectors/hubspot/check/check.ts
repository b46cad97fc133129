import { z } from 'zod';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { ConnectorOptions, Finding, LimitState } from '../../contract.ts';
import { CURRENCIES, currencyFindings } from '../../findings/currency-findings.ts';
import {
  attempt,
  checkClock,
  checkDailyRequests,
  checked,
  met,
  metContacts,
  metMarks,
  plain,
  unreadablePart,
  untilLimit,
} from '../../findings/findings.ts';
import { createApi, type HubspotApi, type HubspotWorld } from '../api.ts';
import { COMPANY_NAME, PRIMARY_COMPANY } from '../contact.ts';
import { requireFilter } from '../filter.ts';
import { requireFilterFits } from '../filter-length.ts';
import { readMoney, readRates } from '../money/currencies.ts';
import { type HubspotSession, openSession } from '../session.ts';
import type { HubspotSettings } from '../settings.ts';
import type { SignIn } from '../sign-in/auth.ts';
import {
  READ_COMPANIES,
  READ_CONTACTS,
  READ_CURRENCIES,
  READ_LISTS,
  WRITE_CONTACTS,
} from '../sign-in/scopes.ts';
import { checkMarks } from './marks.ts';
import { checkRules, RULES } from './rules.ts';
import { findMissingScopes, scopeFindings, sensitiveFindings } from './scopes.ts';

/** Checks every prerequisite of a HubSpot client. The check does not change anything in HubSpot. */
export function check(
  options: ConnectorOptions<HubspotSettings>,
  world: HubspotWorld,
): Promise<Finding[]> {
  const { settings, deps } = options;
  return untilLimit(DAILY_WORDS, deps, async (findings) => {
    const api = createApi(settings, deps, world);
    try {
      await examine(findings, options, { world, api });
    } finally {
      api.close();
    }
  });
}

async function examine(
  findings: Finding[],
  options: ConnectorOptions<HubspotSettings>,
  { world, api }: { world: HubspotWorld; api: HubspotApi },
): Promise<void> {
  const { settings, contacts, uses } = options;
  const signIn = await attempt(findings, 'sign-in', SIGN_IN_FIX, () => api.signIn());
  if (signIn === null) return;
  findings.push(signedIn(signIn), checkVersion(settings));
  const unused = unusedScopes(settings);
  const missing = await attempt(findings, 'scopes', SCOPE_FIX, () =>
    findMissingScopes(api, unused),
  );
  if (missing === null) return;
  const use = { needed: neededScopes(options), unused };
  findings.push(...scopeFindings(missing, use, signIn.scopes));
  // If the token lacks the scopes for opening the connector, the check does not open it, because that would only repeat
  // the finding.
  if (missing.some(({ scope }) => OPENING_NEEDS.has(scope) && use.needed.has(scope))) return;
  const session = await attempt(findings, 'contacts', OPEN_FIX, () =>
    openSession(options, world, api),
  );
  if (session === null) return;
  findings.push(
    ...sensitiveFindings(session),
    ...(await checked('contacts', FILTER_FIX, async () => {
      requireFilterFits(session);
      await requireFilter(session);
      return [...metContacts('HubSpot', contacts), ...metMarks(contacts)];
    })),
    ...(await checked('unknown marks', MARKS_FIX, () => checkMarks(session, contacts))),
    ...checkIdentity(session),
    ...(await checked(CURRENCIES, RATES_FIX, () => checkCurrencies(session, uses?.fields ?? []))),
    ...(await checked(RULES, SCOPE_FIX, () => checkRules(session, uses?.fields ?? null))),
    ...(await checkDailyRequests(DAILY_WORDS, settings, () => readLimits(session))),
    ...checkClock('HubSpot', session),
  );
}

const OPENING_NEEDS: ReadonlySet<string> = new Set([READ_CONTACTS, READ_COMPANIES]);

/**
 * Returns the scopes that the settings require. Every client needs the scopes for reading and writing contacts. A
 * client needs the other scopes only if its settings use them.
 */
function neededScopes({ settings, uses }: ConnectorOptions<HubspotSettings>): ReadonlySet<string> {
  const readsLists = uses?.groups.some((group) => 'list' in group) ?? false;
  return new Set([
    ...[READ_CONTACTS, WRITE_CONTACTS],
    ...(settings.employer === 'associated' ? [READ_COMPANIES] : []),
    ...(readsLists ? [READ_LISTS] : []),
  ]);
}

function unusedScopes({ employer }: HubspotSettings): ReadonlySet<string> {
  return new Set(employer === 'company' ? [READ_COMPANIES] : []);
}

const SIGN_IN_FIX = 'Follow the advice in the message, which is about crm.auth or crm.url.';
const OPEN_FIX =
  'Follow the advice in the message, which is about a field under contacts or about crm.employer.';
const SCOPE_FIX = 'Follow the advice in the message, then run doctor again.';
const FILTER_FIX = 'Correct contacts.filter: it must be a list of HubSpot filters.';
const MARKS_FIX =
  'Run doctor again: the values of the picklists that mark contacts could not be checked.';
const RATES_FIX = `Add US dollars and the currencies of your contacts in HubSpot (Settings → Account Defaults → Currency), and give the token the scope ${READ_CURRENCIES}.`;
const DAILY_WORDS = {
  crm: 'HubSpot',
  period: 'today',
  renewal: "midnight in the account's time zone",
};

function signedIn({ portalId }: SignIn): Finding {
  const message = `HubSpot accepts the token, which belongs to account ${portalId}.`;
  return { ...met('sign-in', message), report: 'HubSpot accepts the token.' };
}

/** Reports when HubSpot stops supporting the API version. Each version has a fixed date (CRM facts, section B1). */
function checkVersion({ apiVersion }: HubspotSettings): Finding {
  const subject = 'API version';
  if (apiVersion !== 'v3') return plain(met(subject, `donor-sync uses API version ${apiVersion}.`));
  const message = 'donor-sync uses API version v3, which HubSpot supports until September 2027.';
  return plain({ subject, ok: true, message, fix: 'Remove crm.apiVersion from the settings.' });
}

/** Shows the CRM's exchange rates, so that a user can decide whether donor-sync converts amounts with them. */
async function checkCurrencies(
  session: HubspotSession,
  mapped: readonly string[],
): Promise<Finding[]> {
  const moneyOf = await readMoney(session);
  const money = mapped.flatMap((name) => {
    const property = session.properties.get(name);
    return (property && moneyOf(property)) ?? [];
  });
  const [first] = money;
  if (first?.code == null) return [];
  const fields = mapped.filter((name) => {
    const property = session.properties.get(name);
    return property !== undefined && moneyOf(property) !== null;
  });
  const seen = { mode: session.settings.currency, rates: await readRates(session, first.code) };
  return currencyFindings('HubSpot', fields, seen, RATES_FIX);
}

/** Reports the parts of the identity that the token cannot read. */
function checkIdentity({ shape, properties }: HubspotSession): Finding[] {
  const hidden = shape.identity().sources.filter(({ readable }) => !readable);
  return hidden.map(({ name }) => {
    const isCompany = name === COMPANY_NAME;
    if (isCompany && properties.has(PRIMARY_COMPANY)) {
      return unreadablePart(`${name} (the employer, of contacts with a company)`, COMPANY_FIX);
    }
    const property = isCompany ? PRIMARY_COMPANY : name;
    return unreadablePart(name, `In HubSpot, let the token read the contact property ${property}.`);
  });
}

const COMPANY_FIX = `Add the scope ${READ_COMPANIES} to the service key or the app in HubSpot, and connect again.`;

const usageSchema = z.object({
  results: z.array(z.object({ currentUsage: z.number(), usageLimit: z.number() })).min(1),
});

/**
 * Returns the account's daily requests from the last response's headers. If the headers do not contain the number,
 * sends a request for the daily usage.
 */
export async function readLimits({ api }: Pick<HubspotSession, 'api'>): Promise<LimitState | null> {
  const state = api.limit.state();
  if (state !== null) return state;
  try {
    const usage = usageSchema.safeParse(await api.readUsage()).data?.results[0];
    if (usage === undefined) return null;
    const remaining = Math.max(0, usage.usageLimit - usage.currentUsage);
    return { daily: { max: usage.usageLimit, remaining } };
  } catch (error) {
    // Public apps have no daily limit, so HubSpot refuses this request.
    if (!isDonorSyncError(error) || error.kind !== 'configuration') throw error;
    if (error.code === 'crm_unauthorized') throw error;
    return null;
  }
}
