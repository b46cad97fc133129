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

/** The data that the tasks of an open connector share. */
export interface HubspotSession {
  settings: HubspotSettings;
  /** `contacts.filter`. Empty for all contacts. */
  filter: readonly FilterGroup[];
  api: HubspotApi;
  clock: WallClock;
  log: Log;
  signal: AbortSignal;
  account: CrmAccount;
  /** The account that the sign-in has found. */
  signIn: SignIn;
  shape: ContactShape;
  /** The properties of contacts. They are read again after donor-sync has created properties. */
  properties: Properties;
  /** False if the token may not see the values of Sensitive Data that the account has. */
  seesSensitive: boolean;
  /** The knowledge about rejected values that this session's writes have gained. */
  lessons: Lessons;
  /** The account's validation rules, read when the first value is written. */
  rules: RuleBook;
}

/**
 * Signs in and reads how this account describes contacts. This takes two requests, including the sign-in. If only a
 * request can show whether companies are visible, it takes one more.
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
 * True if the token can see Sensitive Data. If necessary, reads a contact. HubSpot omits values that a token cannot
 * see, but includes blank values. This is checked before credits are spent, and only in accounts that have such
 * properties.
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

/** With `both`, contacts without a company are still complete. */
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
