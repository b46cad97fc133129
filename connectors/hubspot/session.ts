import { z } from 'zod';
import type { WallClock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { ConnectorOptions, CrmAccount } from '../contract.ts';
import { createApi, type HubspotApi, type HubspotWorld } from './api.ts';
import { type ContactShape, shapeContact } from './contact.ts';
import { describeProperties, isSensitive, type Properties } from './describe.ts';
import { readAs } from './errors.ts';
import { type FilterGroup, parseFilter } from './filter.ts';
import {
  type CompanyNames,
  createCompanyNames,
  hiddenCompanies,
  mayReadCompanies,
} from './reading/companies.ts';
import { createLessons, type Lessons } from './rows/lessons.ts';
import type { HubspotSettings } from './settings.ts';
import type { SignIn } from './sign-in/auth.ts';
import {
  mayHave,
  missingScopes,
  READ_COMPANIES,
  READ_CONTACTS,
  READ_SENSITIVE,
  requireScope,
  scopeMissing,
} from './sign-in/scopes.ts';
import { createRuleBook, type RuleBook } from './validations/rule-book.ts';

/** The data that belongs to an open connector. */
export interface HubspotSession {
  settings: HubspotSettings;
  /** The parsed `contacts.filter`. The list of conditions is empty if the settings contain no filter. */
  filter: readonly FilterGroup[];
  api: HubspotApi;
  clock: WallClock;
  log: Log;
  signal: AbortSignal;
  account: CrmAccount;
  /** The account and the token of the sign-in. */
  signIn: SignIn;
  shape: ContactShape;
  /** The properties of contacts. donor-sync reads them again after it has created properties. */
  properties: Properties;
  /** False if the account has Sensitive Data that the token cannot see. */
  seesSensitive: boolean;
  /** Knowledge about rejected values from this session's writes. */
  lessons: Lessons;
  /** The account's validation rules. donor-sync reads them when it writes the first value. */
  rules: RuleBook;
}

/**
 * Signs in and reads how this account describes contacts. Opening the connector takes two requests, including the
 * sign-in. The connector sends a third request if there is no other way to find out whether the token can see
 * companies.
 */
export async function openSession(
  { settings, contacts, deps }: ConnectorOptions<HubspotSettings>,
  world: HubspotWorld,
  api = createApi(settings, deps, world),
): Promise<HubspotSession> {
  try {
    const filter = contacts.filter === null ? [] : parseFilter(contacts.filter);
    const signIn = await api.signIn();
    requireScope(signIn, READ_CONTACTS);
    for (const need of missingScopes(signIn, settings))
      deps.log.warn({ ...need }, 'a scope is missing');
    const { employer } = settings;
    const [properties, companies] = await Promise.all([
      describeProperties(api, settings),
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
        employer,
        contacts,
        companies,
        describe: () => describeProperties(api, settings),
      }),
      properties,
      seesSensitive: await seesSensitive(api, signIn, properties),
      lessons: createLessons(),
      rules: createRuleBook(api, deps.log, deps.signal),
    };
  } catch (error) {
    api.close();
    throw error;
  }
}

const pageSchema = z.object({
  results: z.array(z.object({ properties: z.record(z.string(), z.unknown()) })),
});

/**
 * Returns true if the token can see Sensitive Data. If necessary, the function reads a contact to find out. HubSpot's
 * response omits values that the token cannot see, but contains blank values. donor-sync checks this before it spends
 * credits, and only in accounts with Sensitive Data.
 */
async function seesSensitive(
  api: HubspotApi,
  signIn: SignIn,
  properties: Properties,
): Promise<boolean> {
  const property = [...properties.values()].find(isSensitive);
  if (property === undefined) return true;
  if (signIn.scopes !== null) return mayHave(signIn, READ_SENSITIVE);
  const request = { limit: 1, properties: [property.name] };
  const page = readAs(pageSchema, await api.listRecords('contacts', request));
  return page.results.every((contact) => Object.hasOwn(contact.properties, property.name));
}

/** With the setting `both`, a hidden company name does not affect contacts without a company. */
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
