import type { AboutRemoteCrm, AddressProblem, SignInField } from '../about.ts';
import { salesforceWebhooks } from './webhooks.ts';

const CLIENT_ID: SignInField = {
  name: 'clientId',
  noun: "the app's client ID",
  label: "The app's client ID",
  isSecret: false,
  variable: 'SALESFORCE_CLIENT_ID',
};

const CLIENT_SECRET: SignInField = {
  name: 'clientSecret',
  noun: "the app's client secret",
  label: 'Client secret',
  isSecret: true,
  variable: 'SALESFORCE_CLIENT_SECRET',
};

export const aboutSalesforce: AboutRemoteCrm = {
  kind: 'salesforce',
  name: 'Salesforce',
  offers: ['viewers', 'source'],
  removesFormerValues: 'delete its rows of the field history in Salesforce',
  webhooks: salesforceWebhooks,
  setup: {
    address: {
      noun: 'your Salesforce login or My Domain URL',
      ask: 'What is your Salesforce login or My Domain URL?',
      label: 'Address where you sign in',
      hint: 'login.salesforce.com, test.salesforce.com for a sandbox, or your My Domain.',
      usual: 'https://login.salesforce.com',
    },
    signIns: [
      {
        type: 'clientCredentials',
        label: 'Client credentials of the app',
        hint: 'an ID and a secret',
        fields: [CLIENT_ID, CLIENT_SECRET],
        browser: 'app',
        needsOwnAddress: true,
      },
      {
        type: 'jwt',
        label: 'JWT bearer',
        hint: 'a certificate and a user name',
        fields: [
          CLIENT_ID,
          {
            name: 'username',
            noun: 'the user name',
            label: 'User name',
            isSecret: false,
            variable: 'SALESFORCE_USERNAME',
          },
          {
            name: 'privateKey',
            noun: 'the private key',
            label: 'Private key',
            isSecret: true,
            variable: 'SALESFORCE_PRIVATE_KEY',
          },
        ],
      },
      {
        type: 'refreshToken',
        label: 'Refresh token',
        hint: 'a user signed in once',
        fields: [
          CLIENT_ID,
          CLIENT_SECRET,
          {
            name: 'refreshToken',
            noun: 'the refresh token',
            label: 'Refresh token',
            isSecret: true,
            variable: 'SALESFORCE_REFRESH_TOKEN',
          },
        ],
      },
      {
        type: 'token',
        label: 'Access token',
        hint: 'expires soon; for trying out',
        fields: [
          {
            name: 'token',
            noun: 'the access token',
            label: 'Access token',
            isSecret: true,
            variable: 'SALESFORCE_TOKEN',
          },
        ],
        needsOwnAddress: true,
      },
      {
        type: 'oauth',
        label: 'A user grants access on a Salesforce page',
        // Public Salesforce clients have no secret.
        fields: [CLIENT_ID, { ...CLIENT_SECRET, isOptional: true }],
        browser: 'app',
        isConsent: true,
      },
    ],
    signInHint:
      'Client credentials need the client secret and your My Domain. The app determines the user that they run as.',
    howTo: [
      'In Salesforce: Setup → External Client App Manager → New External Client App.',
      'Enable OAuth, and enter the callback URL below.',
      'Scopes: “Manage user data via APIs (api)” and “Perform requests at any time (refresh_token, offline_access)”.',
      'For client credentials also: Enable Client Credentials Flow, and under Policies → Run As choose the integration user.',
      'Create it. Settings → OAuth Settings → Consumer Key and Secret: the key is the client id.',
    ],
    findAddressProblem,
    employers: [
      { value: 'auto', label: 'as the org’s own model suggests' },
      { value: 'account', label: 'the account' },
      { value: 'primaryAffiliation', label: 'the primary affiliation' },
    ],
    filterExample: "MailingCountry = 'United States'",
    groupExample: '{ campaign: "Board of Directors" }',
  },
};

/**
 * Salesforce accepts these types of sign-in only at the org's own address. The value is the start of the message about
 * it.
 */
const OF_ONE_ORG: ReadonlyMap<string, string> = new Map([
  ['clientCredentials', 'client credentials need'],
  ['token', 'an access token needs'],
]);

const GENERAL_HOSTS: ReadonlySet<string> = new Set(['login.salesforce.com', 'test.salesforce.com']);

function findAddressProblem(signIn: string, url: string): AddressProblem | null {
  const way = OF_ONE_ORG.get(signIn);
  if (way === undefined || !GENERAL_HOSTS.has(new URL(url).hostname)) return null;
  return {
    code: 'setup_my_domain_needed',
    problem: `${way} your My Domain, https://….my.salesforce.com, which Setup → My Domain shows`,
  };
}
