import type { WallClock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { ConnectorOptions, CrmAccount } from '../contract.ts';
import { createApi, type HubspotApi, type HubspotWorld } from './api.ts';
import {
  type CompanyNames,
  createCompanyNames,
  hiddenCompanies,
  mayReadCompanies,
} from './companies.ts';
import { type ContactShape, shapeContact } from './contact.ts';
import { describeProperties, type Properties } from './describe.ts';
import { type FilterGroup, parseFilter } from './filter.ts';
import { createLessons, type Lessons } from './rows/batch-update.ts';
import type { HubspotSettings } from './settings.ts';
import type { SignIn } from './sign-in/auth.ts';
import {
  missingScopes,
  READ_COMPANIES,
  READ_CONTACTS,
  requireScope,
  scopeMissing,
} from './sign-in/scopes.ts';

/** What the jobs of a connector share while it is open. */
export interface HubspotSession {
  settings: HubspotSettings;
  /** `contacts.filter`; empty for all contacts. */
  filter: readonly FilterGroup[];
  api: HubspotApi;
  clock: WallClock;
  log: Log;
  signal: AbortSignal;
  account: CrmAccount;
  /** As of the sign-in at the beginning. */
  signIn: SignIn;
  shape: ContactShape;
  /** The properties of contacts; renewed when some are created. */
  properties: Properties;
  /** What its writes have learned of values that HubSpot refuses. */
  lessons: Lessons;
}

/**
 * Signs in and learns what contacts look like in this account: one request besides the sign-in, and
 * another one where only asking tells whether companies can be seen.
 */
export async function openSession(
  { settings, contacts, deps }: ConnectorOptions<HubspotSettings>,
  world: HubspotWorld,
): Promise<HubspotSession> {
  const filter = contacts.filter === null ? [] : parseFilter(contacts.filter);
  const api = createApi(settings, deps, world);
  try {
    const signIn = await api.signIn();
    requireScope(signIn, READ_CONTACTS);
    for (const need of missingScopes(signIn)) deps.log.warn({ ...need }, 'a scope is missing');
    const { employer } = settings;
    const [properties, companies] = await Promise.all([
      describeProperties(api),
      openCompanies(api, signIn, employer, deps.log),
    ]);
    return {
      settings,
      filter,
      api,
      clock: deps.clock,
      log: deps.log,
      signal: deps.signal,
      account: { id: signIn.portalId, name: `HubSpot account ${signIn.portalId}` },
      signIn,
      shape: shapeContact(properties, {
        ...{ employer, contacts, companies },
        describe: () => describeProperties(api),
      }),
      properties,
      lessons: createLessons(),
    };
  } catch (error) {
    api.close();
    throw error;
  }
}

/** With `both`, contacts without a company can be read to their end all the same. */
async function openCompanies(
  api: HubspotApi,
  signIn: SignIn,
  employer: HubspotSettings['employer'],
  log: Log,
): Promise<CompanyNames> {
  if (employer === 'company') return hiddenCompanies;
  const isRequired = employer === 'associated';
  if (await mayReadCompanies(api, signIn)) {
    return createCompanyNames(api, {
      isRequired,
      onMissingScope: () => log.warn({ scope: READ_COMPANIES }, 'companies cannot be seen'),
    });
  }
  if (isRequired) throw scopeMissing(READ_COMPANIES);
  return hiddenCompanies;
}
