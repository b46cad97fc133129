import { z } from 'zod';
import { isDonorSyncError } from '../../src/core/errors.ts';
import type { ConnectorOptions, Finding, LimitState } from '../contract.ts';
import {
  checkClock,
  checkDailyRequests,
  checked,
  met,
  metContacts,
  metMarks,
  unreadablePart,
} from '../findings.ts';
import type { HubspotApi, HubspotWorld } from './api.ts';
import { COMPANY_NAME, PRIMARY_COMPANY } from './contact.ts';
import { crmCodeOf } from './errors.ts';
import { requireFilter } from './filter.ts';
import { type HubspotSession, openSession } from './session.ts';
import type { HubspotSettings } from './settings.ts';
import {
  mayHave,
  READ_COMPANIES,
  READ_CONTACTS,
  READ_LISTS,
  SCOPE_NEEDS,
  type ScopeNeed,
  WRITE_CONTACTS,
  WRITE_SCHEMAS,
} from './sign-in/scopes.ts';

/** Every prerequisite of an integration with HubSpot, looked at without changing anything. */
export async function check(
  options: ConnectorOptions<HubspotSettings>,
  world: HubspotWorld,
): Promise<Finding[]> {
  let session: HubspotSession | null = null;
  const signIn = await checked('sign-in', SIGN_IN_FIX, async () => {
    session = await openSession(options, world);
    return [signedIn(session)];
  });
  if (session === null) return signIn;
  const opened: HubspotSession = session;
  try {
    return [
      ...signIn,
      checkVersion(options.settings),
      ...(await checked('scopes', SCOPE_FIX, () => checkScopes(opened))),
      ...(await checked('contacts', FILTER_FIX, async () => {
        await requireFilter(opened);
        return [...metContacts('HubSpot', options.contacts), ...metMarks(options.contacts)];
      })),
      ...checkIdentity(opened),
      ...(await checkDailyRequests(DAILY_WORDS, options.settings, () => readLimits(opened))),
      ...checkClock('HubSpot', opened),
    ];
  } finally {
    opened.api.close();
  }
}

const SIGN_IN_FIX =
  'Do what the message says: it is about crm.auth, crm.url or a field that contacts names.';
const SCOPE_FIX = 'Add the scope to the service key or the app in HubSpot, and connect again.';
const FILTER_FIX = 'Correct contacts.filter: it is a list of filters as HubSpot has them.';
const DAILY_WORDS = {
  crm: 'HubSpot',
  period: 'today',
  renewal: "midnight in the account's time zone",
};

function signedIn({ account, properties }: HubspotSession): Finding {
  const message = `HubSpot knows the token: it is of account ${account.id}, with ${properties.size} contact properties.`;
  return met('sign-in', message);
}

/** HubSpot ends its versions on fixed days (CRM facts, section B1). */
function checkVersion({ apiVersion }: HubspotSettings): Finding {
  const subject = 'API version';
  if (apiVersion !== 'v3') return met(subject, `Version ${apiVersion} of the API is used.`);
  const message = 'Version v3 of the API is used, which HubSpot supports until September 2027.';
  return { subject, ok: true, message, fix: 'Leave crm.apiVersion out of the settings.' };
}

async function checkScopes(session: HubspotSession): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const need of SCOPE_NEEDS) {
    if (await hasScope(session, need)) continue;
    findings.push(missing(need, session.settings));
  }
  return findings.length > 0 ? findings : [met('scopes', 'The token has all scopes.')];
}

/** Nothing can be done without reading and writing; the rest is needed only where it is used. */
function missing({ scope, feature }: ScopeNeed, { employer }: HubspotSettings): Finding {
  const isNeeded =
    [READ_CONTACTS, WRITE_CONTACTS].includes(scope) ||
    (scope === READ_COMPANIES && employer === 'associated');
  const message = `The token lacks the scope ${scope}: ${feature} is off.`;
  return { subject: 'scopes', ok: !isNeeded, message, fix: SCOPE_FIX };
}

/** Where the sign-in does not tell, requests do that change nothing. */
async function hasScope({ api, signIn }: HubspotSession, { scope }: ScopeNeed): Promise<boolean> {
  if (signIn.scopes !== null) return mayHave(signIn, scope);
  const probe = PROBES[scope];
  if (probe === undefined) return true;
  try {
    await probe(api);
    return true;
  } catch (error) {
    const code = crmCodeOf(error);
    if (code === 'MISSING_SCOPES') return false;
    // An empty request may be refused for being empty, which is as good as an answer.
    if (code !== null) return true;
    throw error;
  }
}

const PROBES: Readonly<Record<string, (api: HubspotApi) => Promise<unknown>>> = {
  [READ_CONTACTS]: (api) => api.get(`${api.paths.objects('contacts')}?limit=1`),
  [WRITE_CONTACTS]: (api) => api.post(api.paths.contactsBatchUpdate, { inputs: [] }),
  [READ_COMPANIES]: (api) => api.get(`${api.paths.objects('companies')}?limit=1`),
  [READ_LISTS]: (api) => api.post(api.paths.listsSearch, EMPTY_LIST_SEARCH),
  [WRITE_SCHEMAS]: (api) => api.post(`${api.paths.properties}/batch/create`, { inputs: [] }),
};

/** Parts of the identity that are unknown as long as the token has no right to them. */
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

const EMPTY_LIST_SEARCH = {
  listIds: [],
  processingTypes: [],
  additionalProperties: [],
  count: 1,
  offset: 0,
};

const usageSchema = z.object({
  results: z.array(z.object({ currentUsage: z.number(), usageLimit: z.number() })).min(1),
});

/** The account's daily requests: what the last answer said, or else the list of usage. */
export async function readLimits({ api }: Pick<HubspotSession, 'api'>): Promise<LimitState | null> {
  const state = api.limit.state();
  if (state !== null) return state;
  try {
    const usage = usageSchema.safeParse(await api.readUsage()).data?.results[0];
    if (usage === undefined) return null;
    const remaining = Math.max(0, usage.usageLimit - usage.currentUsage);
    return { daily: { max: usage.usageLimit, remaining } };
  } catch (error) {
    // Public apps have no daily limit, and are refused.
    if (!isDonorSyncError(error) || error.kind !== 'configuration') throw error;
    if (error.code === 'crm_unauthorized') throw error;
    return null;
  }
}
